// What is known about the selected node, or about leaves that a lasso selected.

import { brief, grouped, percent } from "../../tree/numbers.js";
import { paletteOf } from "../../draw/colors.js";
import { toHex } from "../../draw/palette.js";
import { copyLeaves } from "../taking/clipboard.js";
import { byId, element, note, swatch } from "../elements.js";
import { editName } from "./renaming.js";
/**
 * @import { TypicalValue } from "../../tree/facts.js"
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
      if (changed.some((key) => ["selected", "lasso", "clusters", "level", "look", "mode", "renamed"].includes(key))) this.refresh();
      if (changed.includes("selected") || changed.includes("lasso")) this.tell(app.state.selected);
      if (changed.includes("heights")) this.live.textContent = `Height is ${app.views.dendrogram.axis.title}.`;
    });
    this.refresh();
  }

  /**
   * Say it to people who hear the page.
   * @param {number} node
   */
  tell(node) {
    const { facts, names, lassoed } = this.app;
    const none = lassoed ? `${grouped(lassoed.length)} leaves selected.` : "Nothing selected.";
    this.live.textContent = node < 0 ? none : facts.sentence(node, names.title(node));
  }

  refresh() {
    const { tree, state, page, names, lassoed } = this.app;
    const node = state.selected;
    if (lassoed) {
      this.box.replaceChildren(...this.lassoed(lassoed));
      return;
    }
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
      ...this.typical(node),
      this.numbers(node),
      ...page.labelings.flatMap((labeling) => this.mix(tree.leavesInOrder(node), labeling)),
      ...(tree.isLeaf(node) ? [] : [...this.exemplars(node), ...this.leaves(tree.leavesInOrder(node))]),
    );
  }

  /**
   * Leaves that a lasso selected: the clusters and labels that they have.
   * @param {Int32Array} leaves
   */
  lassoed(leaves) {
    const { app, stage } = this;
    const { partition, tree } = app;
    const goToBest = () => {
      const inside = new Set(leaves);
      const node = tree.bestNode((leaf) => inside.has(leaf));
      app.select(node);
      stage.reveal(node);
    };
    /** @param {string} text @param {string} title @param {() => void} onclick */
    const button = (text, title, onclick) => element("button", { type: "button", text, title, onclick });
    const names = Array.from(partition.sizes.keys(), (label) => app.clusterTitle(label));
    const clusters = { id: "cut", title: "Clusters", codes: partition.labels, names };
    return [
      element("h2", { text: leaves.length === 1 ? "1 leaf by lasso" : `${grouped(leaves.length)} leaves by lasso` }),
      element("div", { className: "buttons" }, [
        button("Nearest node", "Select the node whose leaves are most like these", goToBest),
        button("Copy leaves", "Copy their names, one per line (y)", () => copyLeaves(app)),
        button("Clear", "Select nothing (Esc)", () => app.select(-1)),
      ]),
      ...[clusters, ...app.page.labelings].flatMap((labeling) => this.mix(leaves, labeling)),
      ...this.leaves(leaves),
    ];
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
   * Labels of leaves as one bar and a list.
   * @param {Int32Array} leaves @param {Labeling} labeling
   */
  mix(leaves, labeling) {
    const { app } = this;
    const found = app.facts.mix(leaves, labeling);
    if (!found.length) return [];
    const palette = labeling.id === "cut" ? paletteOf(app.partition.colors, app.state.look) : app.palette(labeling);
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
      element("span", { className: "count", text: `${grouped(count)}  ${percent(count / leaves.length)}` }),
    ]));
    if (found.length > LISTED_CLASSES) rows.push(note(`and ${found.length - LISTED_CLASSES} more`, "li"));
    return [element("h3", { text: heading }), bar, element("ul", { className: "plain-list" }, rows)];
  }

  /**
   * Typical values of the columns that tell most of the node, beside those of all other leaves.
   * @param {number} node
   */
  typical(node) {
    const { page, facts, tree } = this.app;
    if (!page.table || node === tree.root) return [];
    const title = element("h3", { text: "Typical values" });
    const values = facts.typical(node);
    if (!values) return [title, note("Computed for the largest nodes only; see its ancestors.", "p")];
    if (!values.length) return [title, note("As elsewhere in all columns.", "p")];
    const head = ["", "here", "others"].map((text) => element("th", { scope: "col", text }));
    return [title, element("table", { className: "typical" }, [
      element("thead", {}, [element("tr", {}, head)]), element("tbody", {}, values.map(typicalRow)),
    ])];
  }

  /** @param {number} node */
  exemplars(node) {
    return [element("h3", { text: "Exemplars" }), this.leafList(this.app.facts.exemplars(node))];
  }

  /** @param {Int32Array} leaves */
  leaves(leaves) {
    const shown = Array.from(leaves.subarray(0, LISTED_LEAVES));
    const list = this.leafList(shown);
    list.classList.add("leaves");
    const rest = leaves.length - shown.length;
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

/** @param {TypicalValue} value */
function typicalRow({ name, here, others }) {
  return element("tr", {}, [
    element("th", { scope: "row", text: name }), element("td", { text: here }), element("td", { text: others }),
  ]);
}
