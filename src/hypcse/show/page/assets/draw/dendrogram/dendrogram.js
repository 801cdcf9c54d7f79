// The second view: a rectangular dendrogram, the root on the left, leaves one below the other, height as length. What
// is drawn as height need not be the tree's own: see axis.js.

import { AXIS_ROOM, axisWords, buildTicks, heightAxes } from "./axis.js";
import { Beside } from "./beside.js";
import {
  dendrogramNameSlots, dendrogramNodeAt, dendrogramPathToRoot, longestName, MOST_SKIPPED, NAME_ROW,
} from "./names.js";
import { buildDendrogram } from "./picture.js";
/**
 * @import { Page } from "../../tree/payload.js"
 * @import { Tree } from "../../tree/tree.js"
 * @import { AxisKind } from "./axis.js"
 * @import { BesideContent } from "./beside.js"
 * @import { Point } from "../disk/moebius.js"
 * @import { Look } from "../palette.js"
 * @import { Motion, Scene } from "../scene.js"
 */

const EDGE_ROOM = 14;
const BUTTON_ROOM = 58; // On the left, where the buttons are.
const LEAST_LEAVES = 3; // Fewest leaves that fill the height of the picture ...
const FOCUS_LEAVES = 20; // ... and fewest that are shown around a node that is brought to the center.
const FEW_LEAVES = 5; // A node with fewer is shown as part of the smallest one that has as many.

/**
 * What is in sight: leaf positions from top to bottom, and the height at the left edge.
 * @typedef {{ top: number, bottom: number, left: number }} Extent
 */

export class DendrogramView {
  /** @param {Tree} tree @param {Page} page */
  constructor(tree, page) {
    this.tree = tree;
    this.axes = heightAxes(tree, page);
    this.beside = new Beside(tree, page);
    this.longestName = longestName(tree);
    // Middle of the children of a node, in leaf positions; a leaf at its own.
    this.middle = new Float64Array(tree.nodeCount);
    for (let leaf = 0; leaf < tree.leafCount; leaf++) this.middle[leaf] = tree.first[leaf] + 0.5;
    this.low = new Float64Array(tree.nodeCount).fill(Infinity);
    this.high = new Float64Array(tree.nodeCount).fill(-Infinity);
    for (let node = 0; node < tree.root; node++) {
      if (!tree.isLeaf(node)) this.middle[node] = (this.low[node] + this.high[node]) / 2;
      const above = tree.parent[node];
      this.low[above] = Math.min(this.low[above], this.middle[node]);
      this.high[above] = Math.max(this.high[above], this.middle[node]);
    }
    if (tree.root > 0) this.middle[tree.root] = (this.low[tree.root] + this.high[tree.root]) / 2;
    // What setAxis and look measure.
    this.axis = this.axes.tree;
    this.drawn = this.axis.height;
    this.rootHeight = 1;
    this.floor = 0;
    this.ceiling = 0;
    this.pixelsPerLeaf = 0;
    this.pixelsPerHeight = 0;
    this.nameRoom = 0;
    this.leafX = 0;
    this.width = 100;
    this.height = 100;
    this.setAxis("tree");
    this.window = this.wholeWindow();
    this.look(this.window);
  }

  /**
   * drawn: the height of every node in the picture; rootHeight: the most of them.
   * @param {AxisKind} kind
   */
  setAxis(kind) {
    this.axis = this.axes[kind] ?? this.axes.tree;
    this.drawn = this.axis.height;
    this.rootHeight = this.drawn[this.tree.root] || 1;
  }

  /**
   * Draw other heights. The leaves in sight stay, and their subtrees take as much of the width as before.
   * @param {AxisKind} kind
   */
  drawHeights(kind) {
    const [highest, root] = [this.highestInSight(), this.rootHeight];
    this.setAxis(kind);
    const higher = this.highestInSight();
    const left = this.window.left * (highest && higher ? higher / highest : this.rootHeight / root);
    this.look({ ...this.window, left: Math.min(left, this.rootHeight) });
  }

  /** The greatest height of a node whose leaves are all in sight; 0 where there is none. */
  highestInSight() {
    const { tree, window } = this;
    let highest = 0;
    for (let node = tree.leafCount; node < tree.nodeCount; node++) {
      const inside = tree.first[node] >= window.top && tree.first[node] + tree.size[node] <= window.bottom;
      if (inside) highest = Math.max(highest, this.drawn[node]);
    }
    return highest;
  }

  /** @returns {Extent} */
  wholeWindow() {
    return { top: 0, bottom: this.tree.leafCount, left: this.rootHeight };
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    this.width = width;
    this.height = height;
    this.beside.fit(width, height);
    this.look(this.window);
  }

  /** @param {BesideContent} content */
  showBeside(content) {
    this.beside.show(content, this.width, this.height);
    this.look(this.window);
  }

  /** Pixels from the top to the first leaf. */
  get head() {
    return Math.max(this.beside.head, EDGE_ROOM);
  }

  /** Where leaves end and the axis begins, in pixels from the top. */
  get leafFloor() {
    return this.height - AXIS_ROOM;
  }

  /**
   * Look through a window, and measure what that makes of leaves and heights; nothing is drawn below the floor or above the
   * ceiling.
   * @param {Extent} window
   */
  look(window) {
    this.window = window;
    this.ceiling = this.head > EDGE_ROOM ? this.head - 2 : -2;
    this.floor = this.leafFloor + 2;
    this.pixelsPerLeaf = (this.leafFloor - this.head) / (window.bottom - window.top);
    // Room for names comes up as the rows of leaves become high enough for letters.
    const share = Math.min(Math.max((this.pixelsPerLeaf * MOST_SKIPPED) / NAME_ROW - 0.7, 0) / 0.3, 1);
    this.nameRoom = 10 + share * Math.min(this.longestName, 0.25 * (this.width - this.beside.width));
    this.leafX = this.width - this.nameRoom - this.beside.width - EDGE_ROOM;
    this.pixelsPerHeight = (this.leafX - BUTTON_ROOM) / window.left;
  }

  project() {}

  /** Size of the letters of names. */
  get nameSize() {
    return Math.min(Math.max(this.pixelsPerLeaf, NAME_ROW), 12);
  }

  /** @param {number} height */
  screenX(height) {
    return this.leafX - height * this.pixelsPerHeight;
  }

  /** @param {number} place */
  screenY(place) {
    return this.head + (place - this.window.top) * this.pixelsPerLeaf;
  }

  /**
   * The leaf in the row of this pixel, or the nearest to it.
   * @param {number} y
   */
  leafAtRow(y) {
    const place = Math.floor(this.window.top + (y - this.head) / this.pixelsPerLeaf);
    return this.tree.leafAt[Math.min(Math.max(place, 0), this.tree.leafCount - 1)];
  }

  /** @param {number} node @returns {Point} */
  position(node) {
    return [this.screenX(this.drawn[node]), this.screenY(this.middle[node])];
  }

  /** @param {number} fromX @param {number} fromY @param {number} toX @param {number} toY */
  pan(fromX, fromY, toX, toY) {
    this.shift((fromY - toY) / this.pixelsPerLeaf);
  }

  /**
   * Move by so many leaves, not beyond the ends.
   * @param {number} leaves
   */
  shift(leaves) {
    const span = this.window.bottom - this.window.top;
    const top = Math.min(Math.max(this.window.top + leaves, -0.3 * span), this.tree.leafCount - 0.7 * span);
    this.look({ ...this.window, top, bottom: top + span });
  }

  /**
   * Spread leaves and heights around the pointer; the leaves keep their edge of the picture.
   * @param {number} factor @param {number} x @param {number} y
   */
  zoom(factor, x, y) {
    const { leafCount } = this.tree;
    const place = this.window.top + (y - this.head) / this.pixelsPerLeaf;
    const old = this.window.bottom - this.window.top;
    const span = Math.min(Math.max(old / factor, Math.min(LEAST_LEAVES, leafCount)), leafCount);
    const top = place - ((place - this.window.top) * span) / old;
    // The heights in sight shrink much slower than the leaves: half the leaves are most of the tree's height.
    const left = span >= leafCount ? this.rootHeight : Math.min(this.window.left / factor ** 0.25, this.rootHeight);
    this.look(span >= leafCount ? this.wholeWindow() : { top, bottom: top + span, left });
    this.shift(0);
  }

  /** @param {number} node */
  focusMotion(node) {
    const { tree } = this;
    const least = Math.min(FOCUS_LEAVES, tree.leafCount);
    const span = Math.max(1.08 * tree.size[node] + 1, least);
    if (span >= tree.leafCount) return this.windowMotion(this.wholeWindow());
    const middle = tree.first[node] + tree.size[node] / 2;
    const top = Math.min(Math.max(middle - span / 2, 0), tree.leafCount - span);
    // Of a node of few leaves, as much of the height as they need to hang together with those around them.
    let shown = node;
    while (tree.size[shown] < FEW_LEAVES || (tree.size[node] < FEW_LEAVES && tree.size[tree.parent[shown]] <= span)) {
      shown = tree.parent[shown];
    }
    const left = Math.min((this.drawn[shown] || this.rootHeight) * 1.15, this.rootHeight);
    return this.windowMotion({ top, bottom: top + span, left });
  }

  /** @param {number} node */
  revealMotion(node) {
    return this.focusMotion(node);
  }

  resetMotion() {
    return this.windowMotion(this.wholeWindow());
  }

  /** @param {Extent} target @returns {Motion} */
  windowMotion(target) {
    const begin = this.window;
    return (time) => {
      /** @param {keyof Extent} key */
      const between = (key) => begin[key] + (target[key] - begin[key]) * time;
      this.look({ top: between("top"), bottom: between("bottom"), left: between("left") });
    };
  }

  /** @param {Scene} scene @param {Uint32Array} colors @param {Look} look */
  build(scene, colors, look) {
    buildDendrogram(this, scene, colors, look);
    buildTicks(this, scene, look);
    this.beside.build(this, scene, look);
  }

  /** The axis and the headings of what stands beside the leaves. */
  words() {
    return [...axisWords(this), ...this.beside.words(this)];
  }

  /**
   * Where the name of a cluster begins: over the branch above its node, which it may overrun.
   * @param {number} node @returns {Point}
   */
  titlePlace(node) {
    const above = this.tree.parent[node];
    const begin = above < 0 ? 0 : this.screenX(this.drawn[above]);
    return [Math.max(begin, 0) + 5, this.screenY(this.middle[node]) - 9];
  }

  /**
   * Pixels for the name of a cluster.
   * @param {number} node
   */
  titleRoom(node) {
    return this.leafX - this.titlePlace(node)[0] - 5;
  }

  /** @param {number} x @param {number} y */
  nodeAt(x, y) {
    return dendrogramNodeAt(this, x, y);
  }

  /** @param {number} most */
  nameSlots(most) {
    return dendrogramNameSlots(this, most);
  }

  /** @param {number} node */
  pathToRoot(node) {
    return dendrogramPathToRoot(this, node);
  }

  summary() {
    return { ...this.window };
  }

  /** Numbers from which `goTo` comes back here; none where the whole tree is seen. */
  place() {
    const { top, bottom, left } = this.window;
    const whole = this.wholeWindow();
    return top === whole.top && bottom === whole.bottom && left === whole.left ? [] : [top, bottom, left];
  }

  /** @param {number[]} place */
  goTo([top, bottom, left]) {
    const { leafCount } = this.tree;
    if (!(bottom - top > 0) || !(left > 0)) return;
    const span = Math.min(Math.max(bottom - top, Math.min(LEAST_LEAVES, leafCount)), leafCount);
    this.look({ top, bottom: top + span, left: Math.min(left, this.rootHeight) });
    this.shift(0);
  }
}
