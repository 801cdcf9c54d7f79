// What the colors mean.

import { grouped } from "../tree/numbers.js";
import { heatColor, paletteColor, rampColor, toHex } from "../draw/palette.js";
import { byId, element, note, swatch } from "./elements.js";
/**
 * @import { Labeling } from "../tree/payload.js"
 * @import { App } from "../page/app.js"
 */

/** @typedef {{ color: number, text: string, count: number, node: number }} Entry One color; node: -1 for none. */

const FIRST_ENTRIES = 10;
const MOST_ENTRIES = 200;

export class Legend {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.list = byId("legend");
    this.more = byId("legend-more", HTMLButtonElement);
    this.whole = false;
    this.more.addEventListener("click", () => this.toggle());
    app.listen((changed) => {
      if (changed.some((key) => ["clusters", "level", "mode", "look", "renamed", "heat", "view"].includes(key))) {
        this.refresh();
      }
    });
    this.refresh();
  }

  toggle() {
    this.whole = !this.whole;
    this.refresh();
  }

  refresh() {
    const { app } = this;
    const { look, heat, view, mode } = app.state;
    const labeling = app.labeling(mode);
    const entries = legendEntries(app);
    const shown = entries.slice(0, this.whole ? MOST_ENTRIES : FIRST_ENTRIES);
    const depth = mode === "depth" ? [ramp((value) => rampColor(value, look), "root", `depth ${app.tree.deepest}`)] : [];
    this.list.replaceChildren(...shown.map((entry) => this.row(entry)), ...depth);
    this.more.hidden = entries.length <= FIRST_ENTRIES;
    const last = Math.min(entries.length, MOST_ENTRIES);
    this.more.textContent = this.whole ? `Show the first ${FIRST_ENTRIES} of ${grouped(entries.length)}`
      : `${grouped(entries.length - shown.length)} more${last < entries.length ? `, ${last} listed` : ""}`;
    this.more.setAttribute("aria-expanded", String(this.whole));
    byId("legend-note").hidden = !labeling;
    const heatShown = heat && view === "dendrogram" && app.views.dendrogram.beside.columns.length > 0;
    byId("heat-key").hidden = !heatShown;
    byId("heat-key").replaceChildren(
      note("Heat map: values of the leaves, in standard deviations from the mean of all", "p"),
      ramp((value) => heatColor(4 * value - 2, look), "−2", "+2"),
    );
  }

  /** @param {Entry} entry */
  row({ color, text, count, node }) {
    const words = [
      swatch(color),
      element("span", { className: "name whole", text, title: text }),
      element("span", { className: "count", text: grouped(count) }),
    ];
    if (node < 0) return element("li", { className: "row" }, words);
    return element("li", {}, [element("button", { type: "button", onclick: () => this.app.select(node) }, words)]);
  }
}

/**
 * One entry for each color: clusters with the largest first, or labels; none for depths, which are a ramp.
 * @param {App} app @returns {Entry[]}
 */
export function legendEntries(app) {
  const labeling = app.labeling(app.state.mode);
  if (labeling) return labelEntries(app, labeling);
  return app.state.mode === "depth" ? [] : clusterEntries(app);
}

/** @param {App} app @returns {Entry[]} */
function clusterEntries(app) {
  const { partition, state } = app;
  return partition.bySize().map((label) => ({
    color: paletteColor(partition.colors[label], state.look),
    get text() {
      const title = app.clusterTitle(label);
      return label === partition.outliers || title.startsWith("cluster ") ? title : `${label}: ${title}`;
    },
    count: partition.sizes[label],
    node: partition.tops[label],
  }));
}

/**
 * In the order of the labels where all of them are listed at once, the most frequent first otherwise.
 * @param {App} app @param {Labeling} labeling @returns {Entry[]}
 */
function labelEntries(app, labeling) {
  const mix = app.facts.mix(app.tree.leafAt, labeling);
  if (mix.length <= FIRST_ENTRIES) mix.sort((a, b) => a.code - b.code);
  const palette = app.palette(labeling);
  return mix.map(({ code, count, name }) => ({ color: palette[code], text: name, count, node: -1 }));
}

/** @param {(value: number) => number} colorAt @param {string} from @param {string} to */
function ramp(colorAt, from, to) {
  const bar = element("span", { className: "ramp" });
  const stops = Array.from({ length: 9 }, (_, k) => toHex(colorAt(k / 8)));
  bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  const ends = element("span", { className: "ends" }, [element("span", { text: from }), element("span", { text: to })]);
  return element("li", {}, [bar, ends]);
}
