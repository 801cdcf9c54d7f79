// What is known about the selected node.

import { brief, grouped, percent } from "../../tree/numbers.js";
import { toHex } from "../../draw/palette.js";
import { copyLeaves } from "../taking/clipboard.js";
import { byId, element, note, swatch } from "../elements.js";
import { editName } from "./renaming.js";
/**
 * @import { ColumnFact } from "../../tree/facts.js"
 * @import { Labeling } from "../../tree/payload.js"
 * @import { App } from "../../page/app.js"
 * @import { Stage } from "../../page/stage.js"
 */

const LISTED_CLASSES = 6;
const LISTED_LEAVES = 200;

export class Panel {
  /** @param {App} app @param {Stage} stage */
  constructor(app, stage) {
    this.app = app;
    this.stage = stage;
    this.box = byId("details");
    this.live = byId("live");
    app.listen((changed) => {
      if (changed.some((key) => ["selected", "clusters", "level", "look", "mode", "renamed"].includes(key))) this.refresh();
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
    const { facts, names } = this.app;
    this.live.textContent = node < 0 ? "Nothing selected." : facts.sentence(node, names.title(node));
  }

  refresh() {
    const { tree, state, page, names } = this.app;
    const node = state.selected;
    if (node < 0) {
      this.box.replaceChildren(
        element("h2", { text: "Nothing selected" }),
        note("Click a node, or press shift and an arrow key, to see what is known about it.", "p"),
      );
      return;
    }
    this.box.replaceChildren(
      element("h2", { text: names.title(node) }),
      this.actions(node),
      this.numbers(node),
      ...page.labelings.flatMap((labeling) => this.mix(node, labeling)),
      ...this.columns(node),
      ...(tree.isLeaf(node) ? [] : [...this.exemplars(node), ...this.leaves(node)]),
    );
  }

  /** @param {number} node */
  actions(node) {
    const { app, stage } = this;
    /** @param {string} text @param {string} title @param {() => void} onclick */
    const button = (text, title, onclick) => element("button", { type: "button", text, title, onclick });
    const up = button("Parent", "Go to the parent (Shift and up)", () => app.step("parent"));
    up.disabled = node === app.tree.root;
    const own = [
      button("To the center", "Bring the node to the center (Enter)", () => stage.focus(node)), up,
      button("Copy leaves", "Copy the names of its leaves, one per line (y)", () => copyLeaves(app)),
    ];
    if (!app.tree.isLeaf(node)) own.push(button("Rename", "Give the node a name (n)", () => editName(app, stage)));
    return element("div", { className: "buttons" }, own);
  }

  /** @param {number} node */
  numbers(node) {
    const { tree, facts, partition } = this.app;
    const rows = [
      ...(tree.isLeaf(node) ? [] : [["Node", String(node)]]),
      ["Leaves", `${grouped(tree.size[node])}  (${percent(tree.size[node] / tree.leafCount)})`],
      ["Height", brief(tree.height[node])],
    ];
    const apart = facts.distance(node);
    if (apart !== null) rows.push(["Distance of parts", apart]);
    rows.push(["Depth", grouped(tree.depth[node])]);
    const label = partition.ofNode[node];
    if (label >= 0) rows.push(["Cluster", partition.numberOf(label)]);
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
   * Labels under the node as one bar and a list.
   * @param {number} node @param {Labeling} labeling
   */
  mix(node, labeling) {
    const { app } = this;
    const found = app.facts.mix(node, labeling);
    if (!found.length) return [];
    const palette = app.palette(labeling);
    const heading = labeling.id === "class" ? "Classes" : labeling.title;
    const bar = element("div", { className: "mix", "aria-hidden": "true" });
    for (const { code, count } of found) {
      const part = element("span");
      part.style.flex = String(count);
      part.style.background = toHex(palette[code]);
      bar.append(part);
    }
    const rows = found.slice(0, LISTED_CLASSES).map(({ code, count, name }) => element("li", {}, [
      swatch(palette[code]),
      element("span", { className: "name", text: name, title: name }),
      element("span", { className: "count", text: `${grouped(count)}  ${percent(count / app.tree.size[node])}` }),
    ]));
    if (found.length > LISTED_CLASSES) rows.push(note(`and ${found.length - LISTED_CLASSES} more`, "li"));
    return [element("h3", { text: heading }), bar, element("ul", { className: "plain-list" }, rows)];
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
        swatch(app.colors[leaf]),
        element("span", { className: "name", text: name, title: name }),
      ]);
      return element("li", {}, [button]);
    }));
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
  return element("li", { title: `${name}: mean ${brief(mean)} here, ${brief(overall)} over all leaves` }, [
    element("span", { className: "name whole", text: name }),
    bar,
    element("span", { className: "count", text: `${sign}${Math.abs(shift).toFixed(1)} sd` }),
  ]);
}
