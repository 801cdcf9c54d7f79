// What the page shows now, and all that can be done to it. Parts of the page listen and draw themselves anew.

import { Cuts, nestedPartitions, Partition } from "../tree/cut.js";
import { Facts } from "../tree/facts.js";
import { Tree } from "../tree/tree.js";
import { colourNodes } from "../draw/colours.js";
import { DendrogramView } from "../draw/dendrogram.js";
import { DiskView } from "../draw/disk.js";
/**
 * @import { Page } from "../tree/payload.js"
 * @import { AxisKind } from "../draw/axis.js"
 * @import { Mode } from "../draw/colours.js"
 * @import { Look } from "../draw/palette.js"
 */

/** @type {Mode[]} */
const MODES = ["cut", "class", "depth"];

/**
 * What the page shows. level: -1 stands for none, so that clusters count; clusters: 0 stands for the automatic cut;
 * selected and hovered: a node, -1 for none.
 * @typedef {object} State
 * @property {"disk" | "dendrogram"} view
 * @property {Mode} mode
 * @property {number} level
 * @property {number} clusters
 * @property {number} selected
 * @property {number} hovered
 * @property {Look} look
 * @property {AxisKind} heights What the dendrogram draws as height.
 */
/** @typedef {"parent" | "child" | "before" | "after"} Direction */

export class App {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.tree = new Tree(page);
    this.cuts = new Cuts(this.tree);
    this.facts = new Facts(this.tree, page);
    this.views = { disk: new DiskView(this.tree, page), dendrogram: new DendrogramView(this.tree, page) };
    /** @type {((changed: (keyof State)[]) => void)[]} */
    this.listeners = [];
    this.levels = nestedPartitions(this.tree, page.levels);
    this.automatic = page.automatic ? new Partition(this.tree, page.automatic) : this.levels[page.mainLevel ?? 0];
    /** @type {State} */
    this.state = {
      view: "disk", mode: "cut", level: -1, clusters: page.clusters || 0, selected: -1, hovered: -1, look: "light",
      heights: page.byDistance ? "distance" : "tree",
    };
    this.views.dendrogram.drawHeights(this.state.heights);
    this.partition = this.automatic;
    this.colours = new Uint32Array(0);
    this.cutAnew();
  }

  get view() {
    return this.views[this.state.view];
  }

  /**
   * Call `listener(changed)` with the keys of the state that changed, after each change.
   * @param {(changed: (keyof State)[]) => void} listener
   */
  listen(listener) {
    this.listeners.push(listener);
  }

  /**
   * Change the state and tell everybody what changed.
   * @param {Partial<State>} changes
   */
  set(changes) {
    const keys = /** @type {(keyof State)[]} */ (Object.keys(changes));
    const changed = keys.filter((key) => this.state[key] !== changes[key]);
    if (!changed.length) return;
    Object.assign(this.state, changes);
    if (changed.includes("heights")) this.views.dendrogram.drawHeights(this.state.heights);
    if (changed.includes("clusters") || changed.includes("level")) this.cutAnew();
    else if (changed.includes("mode") || changed.includes("look")) this.colourAnew();
    for (const listener of this.listeners) listener(changed);
  }

  cutAnew() {
    const { level, clusters } = this.state;
    if (level >= 0) this.partition = this.levels[level];
    else this.partition = clusters ? this.cuts.into(clusters) : this.automatic;
    this.colourAnew();
  }

  colourAnew() {
    this.colours = colourNodes(this.tree, this.page, this.partition, this.state.mode, this.state.look);
  }

  /**
   * Cut into so many clusters, as far as the tree has them, and show their colours.
   * @param {number} wanted
   */
  setClusters(wanted) {
    if (!Number.isFinite(wanted)) return;
    this.set({ clusters: Math.min(Math.max(Math.round(wanted), 1), this.tree.leafCount), level: -1, mode: "cut" });
  }

  showAutomatic() {
    this.set({ clusters: 0, level: -1 });
  }

  /** @param {number} level */
  showLevel(level) {
    this.set({ level, mode: "cut" });
  }

  /** The level that is shown, from 0: the automatic cut may be one; -1 where none is. */
  shownLevel() {
    return this.levels.indexOf(this.partition);
  }

  /** The level after the one shown, or the first with more clusters than are shown; after the last the first again. */
  nextLevel() {
    if (!this.levels.length) return;
    const shown = this.shownLevel();
    const finer = this.levels.findIndex(({ count }) => count > this.partition.count);
    this.showLevel(shown < 0 ? Math.max(finer, 0) : (shown + 1) % this.levels.length);
  }

  nextMode() {
    const known = MODES.filter((mode) => mode !== "class" || this.page.classes);
    this.set({ mode: known[(known.indexOf(this.state.mode) + 1) % known.length] });
  }

  /** @param {number} node */
  select(node) {
    this.set({ selected: node });
  }

  /**
   * Go from the selected node to its parent, its largest child or a sibling; from nothing to the root.
   * @param {Direction} direction
   */
  step(direction) {
    const { tree } = this;
    const from = this.state.selected;
    if (from < 0) return this.select(tree.root);
    const next = {
      parent: () => (from === tree.root ? from : tree.parent[from]),
      child: () => (tree.isLeaf(from) ? from : tree.largestChild(from)),
      before: () => tree.sibling(from, -1),
      after: () => tree.sibling(from, 1),
    };
    return this.select(next[direction]());
  }
}
