// The clusters shown against labels that came with the leaves: a table of how many leaves they share.

import { adjustedRand } from "../tree/contingency.js";
import { grouped, percent } from "../tree/numbers.js";
import { paletteColor } from "../draw/palette.js";
import { byId, element, note, swatch } from "./elements.js";
/**
 * @import { Pair } from "../tree/contingency.js"
 * @import { Labeling } from "../tree/payload.js"
 * @import { App } from "../page/app.js"
 */

const LISTED_ROWS = 14;
const LISTED_COLUMNS = 7;
const TINT = 35; // Percent of the accent behind a cell that holds all of its row.

export class Comparison {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.box = byId("comparison");
    this.choice = byId("compared", HTMLSelectElement);
    const { labelings } = app.page;
    this.box.hidden = !labelings.length;
    this.choice.replaceChildren(...labelings.map(({ id, title }) => element("option", { value: id, text: title })));
    byId("compared-row").hidden = labelings.length < 2;
    this.choice.addEventListener("change", () => this.refresh());
    app.listen((changed) => {
      if (changed.some((key) => ["clusters", "level", "look", "renamed"].includes(key))) this.refresh();
    });
    this.refresh();
  }

  refresh() {
    const labeling = this.app.labeling(this.choice.value);
    if (!labeling) return;
    const pairs = this.app.pairsWith(labeling);
    const known = pairs.reduce((sum, { count }) => sum + count, 0);
    byId("agreement").textContent = known ? `Adjusted Rand index ${adjustedRand(pairs).toFixed(3)} (1: they agree, 0: chance)`
      : "No label is known.";
    byId("comparison-title").textContent = `Clusters and ${labeling.id === "class" ? "classes" : labeling.title}`;
    byId("pairs").replaceChildren(...this.table(pairs, labeling));
  }

  /** @param {Pair[]} pairs @param {Labeling} labeling */
  table(pairs, labeling) {
    const codes = this.columns(pairs);
    const rows = this.app.partition.bySize();
    const shown = rows.slice(0, LISTED_ROWS).map((label) => this.row(label, pairs, codes, labeling));
    const head = element("tr", {}, [
      element("th", { scope: "col", text: "Cluster" }),
      ...codes.map((code) => this.heading(code, labeling)),
      ...(labeling.names.length > codes.length ? [element("th", { scope: "col", text: "other" })] : []),
    ]);
    const rest = rows.length > shown.length ? [note(`and ${grouped(rows.length - shown.length)} more clusters`, "p")] : [];
    const table = element("table", { className: "pairs" }, [
      element("thead", {}, [head]), element("tbody", {}, shown),
    ]);
    return [table, ...rest];
  }

  /**
   * The labels with the most leaves, in the order of their names.
   * @param {Pair[]} pairs
   */
  columns(pairs) {
    /** @type {Map<number, number>} */
    const sums = new Map();
    for (const { code, count } of pairs) sums.set(code, (sums.get(code) || 0) + count);
    const most = Array.from(sums.keys()).sort((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0) || a - b);
    return most.slice(0, LISTED_COLUMNS).sort((a, b) => a - b);
  }

  /** @param {number} code @param {Labeling} labeling */
  heading(code, labeling) {
    const name = labeling.names[code];
    return element("th", { scope: "col", title: name }, [
      element("span", { className: "upright", text: name }), swatch(this.app.palette(labeling)[code]),
    ]);
  }

  /** @param {number} label @param {Pair[]} pairs @param {number[]} codes @param {Labeling} labeling */
  row(label, pairs, codes, labeling) {
    const { app } = this;
    const { partition } = app;
    const own = pairs.filter((pair) => pair.label === label);
    const counts = codes.map((code) => own.find((pair) => pair.code === code)?.count ?? 0);
    const all = own.reduce((sum, { count }) => sum + count, 0);
    const other = all - counts.reduce((sum, count) => sum + count, 0);
    const cells = labeling.names.length > codes.length ? [...counts, other] : counts;
    const title = app.clusterTitle(label);
    const button = element("button", {
      type: "button", className: "plain", title, onclick: () => app.select(partition.tops[label]),
    }, [
      swatch(paletteColor(partition.colors[label], app.state.look)), element("span", { text: partition.numberOf(label) }),
    ]);
    return element("tr", {}, [
      element("th", { scope: "row" }, [button]), ...cells.map((count) => pairCell(count, all)),
    ]);
  }
}

/** @param {number} count @param {number} all */
function pairCell(count, all) {
  const share = all ? count / all : 0;
  const cell = element("td", { text: count ? grouped(count) : "·", title: `${percent(share)} of the cluster` });
  if (count) cell.style.background = `color-mix(in srgb, var(--accent) ${Math.round(TINT * share)}%, transparent)`;
  return cell;
}
