// What is known about the selected node, and a short form of it beside the pointer.

import { brief, grouped, percent } from "../tree/numbers.js";
import { shortName } from "../draw/names.js";
import { paletteColour, toHex } from "../draw/palette.js";
import { byId, element, note, swatch } from "./elements.js";
/**
 * @import { ColumnFact } from "../tree/facts.js"
 * @import { App } from "./app.js"
 * @import { Stage } from "./stage.js"
 */

const LISTED_CLASSES = 6;
const LISTED_LEAVES = 200;

export class Panel {
  /** @param {App} app @param {Stage} stage */
  constructor(app, stage) {
    this.app = app;
    this.stage = stage;
    this.box = byId("details");
    this.tip = byId("tip");
    this.live = byId("live");
    app.listen((changed) => {
      if (changed.some((key) => ["selected", "clusters", "level", "look"].includes(key))) this.refresh();
      if (changed.includes("hovered")) this.point();
      if (changed.includes("selected")) this.tell(app.state.selected);
      if (changed.includes("heights")) this.live.textContent = `Height is ${app.views.dendrogram.axis.title}.`;
    });
    this.refresh();
  }

  /**
   * Say it to people who hear the page.
   * @param {number} node
   */
  tell(node) {
    this.live.textContent = node < 0 ? "Nothing selected." : this.app.facts.sentence(node);
  }

  refresh() {
    const { tree, state } = this.app;
    const node = state.selected;
    if (node < 0) {
      this.box.replaceChildren(
        element("h2", { text: "Nothing selected" }),
        note("Click a node, or press shift and an arrow key, to see what is known about it.", "p"),
      );
      return;
    }
    this.box.replaceChildren(
      element("h2", { text: tree.title(node) }),
      this.actions(node),
      this.numbers(node),
      ...this.mix(node),
      ...this.columns(node),
      ...(tree.isLeaf(node) ? [] : [...this.exemplars(node), ...this.leaves(node)]),
    );
  }

  /** @param {number} node */
  actions(node) {
    const { app, stage } = this;
    const up = element("button", { type: "button", text: "Parent", onclick: () => app.step("parent") });
    up.disabled = node === app.tree.root;
    return element("div", { className: "buttons" }, [
      element("button", { type: "button", text: "To the centre", onclick: () => stage.focus(node) }),
      up,
    ]);
  }

  /** @param {number} node */
  numbers(node) {
    const { tree, facts, partition } = this.app;
    const rows = [
      ["Leaves", `${grouped(tree.size[node])}  (${percent(tree.size[node] / tree.leafCount)})`],
      ["Height", brief(tree.height[node])],
    ];
    const apart = facts.distance(node);
    if (apart !== null) rows.push(["Distance of parts", apart]);
    rows.push(["Depth", grouped(tree.depth[node])]);
    const label = partition.ofNode[node];
    if (label >= 0) rows.push(["Cluster", String(label)]);
    const entropy = facts.entropy(node);
    if (entropy) {
      rows.push(["Entropy share", percent(entropy.own)]);
      if (!tree.isLeaf(node)) rows.push(["… of its subtree", percent(entropy.below)]);
      if (entropy.own === 0 && node !== tree.root) rows.push(["Edges that leave it", "none"]);
    }
    const cells = rows.flatMap(([name, value]) => [element("dt", { text: name }), element("dd", { text: value })]);
    return element("dl", {}, cells);
  }

  /**
   * Classes under the node as one bar and a list.
   * @param {number} node
   */
  mix(node) {
    const { app } = this;
    const found = app.facts.classMix(node);
    if (!found.length) return [];
    const bar = element("div", { className: "mix", "aria-hidden": "true" });
    for (const { code, count } of found) {
      const part = element("span");
      part.style.flex = String(count);
      part.style.background = toHex(paletteColour(code, app.state.look));
      bar.append(part);
    }
    const rows = found.slice(0, LISTED_CLASSES).map(({ code, count, name }) => element("li", {}, [
      swatch(paletteColour(code, app.state.look)),
      element("span", { className: "name", text: name, title: name }),
      element("span", { className: "count", text: `${grouped(count)}  ${percent(count / app.tree.size[node])}` }),
    ]));
    if (found.length > LISTED_CLASSES) rows.push(note(`and ${found.length - LISTED_CLASSES} more`, "li"));
    return [element("h3", { text: "Classes" }), bar, element("ul", { className: "plain-list" }, rows)];
  }

  /**
   * Columns that set the node apart, with a bar from the middle to the left or right.
   * @param {number} node
   */
  columns(node) {
    const { page, facts, tree } = this.app;
    if (!page.table || node === tree.root) return [];
    const title = element("h3", { text: "Columns that set it apart" });
    const found = facts.columns(node);
    if (!found) return [title, note("Computed for the largest nodes only; see its ancestors.", "p")];
    if (!found.length) return [title, note("None: all columns are as elsewhere.", "p")];
    const most = Math.max(...found.map(({ shift }) => Math.abs(shift)));
    return [title, element("ul", { className: "plain-list" }, found.map((column) => columnRow(column, most)))];
  }

  /** @param {number} node */
  exemplars(node) {
    return [element("h3", { text: "Exemplars" }), this.leafList(this.app.facts.exemplars(node))];
  }

  /** @param {number} node */
  leaves(node) {
    const { tree } = this.app;
    const shown = Array.from(tree.leavesInOrder(node).subarray(0, LISTED_LEAVES));
    const list = this.leafList(shown);
    list.classList.add("leaves");
    const rest = tree.size[node] - shown.length;
    if (rest > 0) list.append(note(`and ${grouped(rest)} more`, "li"));
    return [element("h3", { text: "Leaves" }), list];
  }

  /**
   * Leaves by name, each a button that selects it.
   * @param {number[]} leaves
   */
  leafList(leaves) {
    const { app } = this;
    return element("ul", { className: "plain-list" }, leaves.map((leaf) => {
      const name = app.tree.leafName(leaf) || "(no name)";
      const button = element("button", { type: "button", className: "plain", onclick: () => app.select(leaf) }, [
        swatch(app.colours[leaf]),
        element("span", { className: "name", text: name, title: name }),
      ]);
      return element("li", {}, [button]);
    }));
  }

  /** The short form beside the pointer. */
  point() {
    const { state, tree, view } = this.app;
    const node = state.hovered;
    this.tip.hidden = node < 0;
    if (node < 0) return;
    const lines = this.shortFacts(node).map((text) => element("div", { text }));
    this.tip.replaceChildren(element("strong", { text: shortName(tree.title(node), 60) }), ...lines);
    this.placeTip(...view.position(node));
  }

  /** @param {number} node */
  shortFacts(node) {
    const { tree, facts } = this.app;
    const lines = [];
    if (!tree.isLeaf(node)) lines.push(`${grouped(tree.size[node])} leaves, height ${brief(tree.height[node])}`);
    const apart = facts.distance(node);
    if (apart !== null) lines.push(`parts ${apart} apart`);
    const mix = facts.classMix(node).slice(0, 3);
    if (mix.length && tree.isLeaf(node)) lines.push(`class ${shortName(mix[0].name)}`);
    else lines.push(...mix.map(({ name, count }) => `${percent(count / tree.size[node])} class ${shortName(name)}`));
    const entropy = facts.entropy(node);
    if (entropy) lines.push(`entropy share ${percent(entropy.own)}`);
    return lines;
  }

  /** @param {number} x @param {number} y */
  placeTip(x, y) {
    const { view } = this.app;
    const { offsetWidth, offsetHeight } = this.tip;
    const left = x + 16 + offsetWidth > view.width ? x - 16 - offsetWidth : x + 16;
    this.tip.style.left = `${Math.max(left, 4)}px`;
    this.tip.style.top = `${Math.min(Math.max(y - offsetHeight / 2, 4), view.height - offsetHeight - 4)}px`;
  }
}

/** @param {ColumnFact} column @param {number} most */
function columnRow({ name, shift, mean, overall }, most) {
  const bar = element("span", { className: "bar", "aria-hidden": "true" });
  const fill = element("i");
  const width = (50 * Math.abs(shift)) / most;
  fill.style.width = `${width}%`;
  fill.style.left = `${shift > 0 ? 50 : 50 - width}%`;
  bar.append(fill);
  const sign = shift > 0 ? "+" : "−";
  return element("li", { title: `mean ${brief(mean)} here, ${brief(overall)} over all leaves` }, [
    element("span", { className: "name", text: name }),
    bar,
    element("span", { className: "count", text: `${sign}${Math.abs(shift).toFixed(1)} sd` }),
  ]);
}
