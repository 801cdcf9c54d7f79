// What the page shows now, and all that can be done to it. Parts of the page listen and draw themselves anew.

import { countPairs, matchedColors } from "../tree/contingency.js";
import { Cuts } from "../tree/cut.js";
import { Facts } from "../tree/facts.js";
import { NodeNames } from "../tree/node_names.js";
import { inheritedColors, Partition } from "../tree/partition.js";
import { Tree } from "../tree/tree.js";
import { colorByCut, colorByDepth, colorByLabel, fadeOthers, majorities, paletteOf } from "../draw/colors.js";
import { DendrogramView } from "../draw/dendrogram/dendrogram.js";
import { DiskView } from "../draw/disk/disk.js";
/**
 * @import { Pair } from "../tree/contingency.js"
 * @import { Labeling, Page } from "../tree/payload.js"
 * @import { AxisKind } from "../draw/dendrogram/axis.js"
 * @import { Majorities, Mode } from "../draw/colors.js"
 * @import { Point } from "../draw/disk/moebius.js"
 * @import { Look } from "../draw/palette.js"
 */

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
 * @property {string} cell What the pointer is at beside the leaves, in lines of text.
 * @property {Look} look
 * @property {AxisKind} heights What the dendrogram draws as height.
 * @property {boolean} heat Whether the heat map is beside the leaves ...
 * @property {boolean} strips ... and the strips of labels.
 * @property {boolean} scatter Whether the points are beside the tree.
 * @property {number} lasso How often leaves were selected by a lasso.
 * @property {number} renamed How often a node was given a name.
 */
/** @typedef {"parent" | "child" | "before" | "after"} Direction */

const WIDE = "(min-width: 1100px)"; // Windows that have room for the points beside the tree at first.

export class App {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.tree = new Tree(page);
    this.facts = new Facts(this.tree, page);
    this.names = new NodeNames(this.tree, page, this.facts);
    this.views = { disk: new DiskView(this.tree, page), dendrogram: new DendrogramView(this.tree, page) };
    /** @type {((changed: (keyof State)[]) => void)[]} */
    this.listeners = [];
    this.levels = page.levels.map((labels) => new Partition(this.tree, labels));
    this.cuts = new Cuts(this.tree, this.levels);
    this.levels.forEach((level, k) => {
      if (k && !level.ofSubtrees) level.colors = inheritedColors(level, this.levels[k - 1]);
    });
    this.levels.forEach((level, k) => { level.names = page.table?.clusters?.[k] ?? null; });
    this.automatic = page.automatic ? new Partition(this.tree, page.automatic, null, page.outliers) : this.levels[page.mainLevel ?? 0];
    this.automatic.names = page.table?.clusters?.at(-1) ?? null;
    /** @type {State} */
    this.state = {
      view: "disk", mode: "cut", level: -1, clusters: page.clusters || 0, selected: -1, hovered: -1, cell: "",
      look: "light", heights: page.byDistance ? "distance" : "tree", heat: Boolean(page.table?.said),
      strips: page.labelings.length > 0, scatter: page.scatter !== null && matchMedia(WIDE).matches, lasso: 0, renamed: 0,
    };
    this.views.dendrogram.drawHeights(this.state.heights);
    this.partition = this.automatic;
    /** @type {Int32Array | null} Leaves that a lasso selected. */
    this.lassoed = null;
    /** @type {Map<string, Majorities>} */
    this.majorities = new Map();
    /** @type {Map<string, Uint32Array>} */
    this.palettes = new Map();
    /** @type {Map<string, Pair[]>} */
    this.pairs = new Map();
    this.besideShown = false;
    this.colors = new Uint32Array(0);
    this.bright = this.colors; // Without what a lasso fades.
    /** @type {Point} Where the pointer was last, in pixels of the picture. */
    this.pointed = [0, 0];
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
    else if (changed.some((key) => ["mode", "look", "heat", "strips", "lasso"].includes(key))) this.colorAnew();
    if (this.state.view === "dendrogram") this.arrangeBeside();
    for (const listener of this.listeners) listener(changed);
  }

  cutAnew() {
    const { level, clusters } = this.state;
    if (level >= 0) this.partition = this.levels[level];
    else this.partition = clusters ? this.partitionInto(clusters) : this.automatic;
    this.names.partition = this.partition;
    this.pairs.clear();
    this.colorAnew();
  }

  /**
   * One partition for every number: the automatic one, the level, or the cut with so many clusters.
   * @param {number} clusters
   */
  partitionInto(clusters) {
    if (this.automatic.count === clusters) return this.automatic;
    return this.levels.find(({ count }) => count === clusters) ?? this.cuts.into(clusters);
  }

  colorAnew() {
    const { tree, partition } = this;
    const { mode, look } = this.state;
    this.palettes.clear();
    const labeling = this.labeling(mode);
    if (labeling) this.colors = colorByLabel(this.majoritiesOf(labeling), this.palette(labeling));
    else this.colors = mode === "depth" ? colorByDepth(tree, look) : colorByCut(partition, look);
    this.bright = this.colors;
    if (this.lassoed) this.colors = fadeOthers(tree, this.bright, this.lassoed, look);
    this.besideShown = false;
  }

  /** Bring what stands beside the leaves up to date; in the disk nobody sees it, so that it can wait. */
  arrangeBeside() {
    if (this.besideShown) return;
    this.besideShown = true;
    const { partition, state } = this;
    this.views.dendrogram.showBeside({ partition, strips: this.strips(), heat: state.heat });
  }

  /**
   * Clusters shown and labels, with the leaves that they share.
   * @param {Labeling} labeling
   */
  pairsWith(labeling) {
    const found = this.pairs.get(labeling.id) ?? countPairs(this.partition, labeling);
    this.pairs.set(labeling.id, found);
    return found;
  }

  /**
   * The labels with this id, if there are any.
   * @param {string} id
   */
  labeling(id) {
    return this.page.labelings.find((labeling) => labeling.id === id);
  }

  /** @param {Labeling} labeling */
  majoritiesOf(labeling) {
    const found = this.majorities.get(labeling.id) ?? majorities(this.tree, labeling);
    this.majorities.set(labeling.id, found);
    return found;
  }

  /**
   * Packed colors of labels by their code, with gray behind them.
   * @param {Labeling} labeling
   */
  palette(labeling) {
    const made = this.palettes.get(labeling.id)
      ?? paletteOf(matchedColors(this.partition, labeling, this.pairsWith(labeling)), this.state.look);
    this.palettes.set(labeling.id, made);
    return made;
  }

  /** The clusters shown and all labels that came with the leaves, where they are to stand side by side. */
  strips() {
    const { partition, state, page } = this;
    if (!state.strips || !page.labelings.length) return [];
    const clusters = { title: "cluster", codes: partition.labels, palette: paletteOf(partition.colors, state.look) };
    return [
      clusters, ...page.labelings.map((own) => ({ title: own.title, codes: own.codes, palette: this.palette(own) })),
    ];
  }

  /**
   * Show so many clusters, as far as the tree has them, and their colors.
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

  /**
   * The next finer level (1) or the next coarser (-1) than what is shown; past the last one, from the other end.
   * @param {1 | -1} step
   */
  stepLevel(step) {
    const { levels, partition } = this;
    if (!levels.length) return;
    const shown = this.shownLevel();
    const finer = levels.findIndex(({ count }) => count > partition.count);
    const between = step > 0 ? Math.max(finer, 0) : (finer < 0 ? levels.length : finer) - 1;
    this.showLevel(((shown < 0 ? between : shown + step) + levels.length) % levels.length);
  }

  /** All that colors can stand for. */
  modes() {
    return ["cut", ...this.page.labelings.map(({ id }) => id), "depth"];
  }

  nextMode() {
    const known = this.modes();
    this.set({ mode: known[(known.indexOf(this.state.mode) + 1) % known.length] });
  }

  /** @param {number} node */
  select(node) {
    if (this.lassoed) this.lassoLeaves(new Int32Array(0));
    this.set({ selected: node });
  }

  /**
   * Select leaves one by one instead of a node; none selects nothing.
   * @param {Int32Array} leaves
   */
  lassoLeaves(leaves) {
    this.lassoed = leaves.length ? leaves : null;
    this.set({ selected: -1, lasso: this.state.lasso + 1 });
  }

  /** The leaves that are selected, by a lasso or under a node; null where nothing is. */
  selectedLeaves() {
    const { selected } = this.state;
    return this.lassoed ?? (selected < 0 ? null : this.tree.leavesInOrder(selected));
  }

  /**
   * Name a node; an empty name takes back what was given here.
   * @param {number} node @param {string} name
   */
  rename(node, name) {
    this.names.rename(node, name.trim());
    this.set({ renamed: this.state.renamed + 1 });
  }

  /**
   * What a cluster is called: as its node, or by its number where no node holds just its leaves.
   * @param {number} label
   */
  clusterTitle(label) {
    if (label === this.partition.outliers) return "outliers";
    const node = this.partition.tops[label];
    return this.partition.ofNodes ? this.names.title(node) : this.partition.names?.[label] ?? `cluster ${label}`;
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
