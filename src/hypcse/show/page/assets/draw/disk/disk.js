// The first view: the tree in the Poincare disk.

import { diskNameSlots, diskPathToRoot } from "./names.js";
import { buildDisk } from "./picture.js";
import {
  arcPieces, arcPoint, compose, halfTurn, IDENTITY, inverse, MOST_PIECES, radiusOf, towardsCenter, transform,
  transformAll, translation, translationBetween,
} from "./moebius.js";
/**
 * @import { Page } from "../../tree/payload.js"
 * @import { Tree } from "../../tree/tree.js"
 * @import { Moebius, Point } from "./moebius.js"
 * @import { Look } from "../palette.js"
 * @import { Motion, Scene } from "../scene.js"
 * @import { Word } from "../words.js"
 */

export const REACH = 14; // Pixels around a node within which the pointer means it.
const MOST_MAGNIFIED = 12;
const REVEALED = 1.2; // Farthest way from the center that the root goes for a node that is searched.
const NAMED_TREE = 400; // Leaves up to which the rim leaves room for names.

export class DiskView {
  /** @param {Tree} tree @param {Page} page */
  constructor(tree, page) {
    this.tree = tree;
    this.x = new Float64Array(tree.nodeCount);
    this.y = new Float64Array(tree.nodeCount);
    for (let node = 0; node < tree.nodeCount; node++) {
      const norm = Math.tanh(page.radius[node] / 2);
      this.x[node] = norm * Math.cos(page.angle[node]);
      this.y[node] = norm * Math.sin(page.angle[node]);
    }
    this.farthest = page.radius.reduce((most, radius) => Math.max(most, radius), 0);
    this.diskX = new Float64Array(tree.nodeCount);
    this.diskY = new Float64Array(tree.nodeCount);
    // The points of the branch that is being drawn.
    this.lineX = new Float64Array(MOST_PIECES + 1);
    this.lineY = new Float64Array(MOST_PIECES + 1);
    this.logLeaves = Math.log(Math.max(tree.leafCount, 2));
    /** @type {Moebius} */
    this.map = IDENTITY;
    this.magnified = 1;
    this.nameSize = 11;
    this.width = 100;
    this.height = 100;
    this.baseRadius = 50;
    this.resize(100, 100);
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    this.width = width;
    this.height = height;
    const least = Math.min(width, height);
    const margin = this.tree.leafCount <= NAMED_TREE ? Math.min(84, 0.15 * least) : 16;
    this.baseRadius = Math.max(least / 2 - margin, 20);
    this.project();
  }

  /**
   * There is none in the disk, where nothing is drawn by height.
   * @returns {null}
   */
  get axis() {
    return null;
  }

  /** Pixels from the center of the disk to its rim. */
  get scale() {
    return this.baseRadius * this.magnified;
  }

  /** Bring all nodes to where the map sends them. */
  project() {
    transformAll(this.map, this.x, this.y, this.diskX, this.diskY);
  }

  /** @param {number} x @param {number} y @returns {Point} */
  toScreen(x, y) {
    return [this.width / 2 + x * this.scale, this.height / 2 + y * this.scale];
  }

  /**
   * A pixel as a point of the disk; pixels outside mean the nearest point well inside.
   * @param {number} x @param {number} y @returns {Point}
   */
  toDisk(x, y) {
    /** @type {Point} */
    const point = [(x - this.width / 2) / this.scale, (y - this.height / 2) / this.scale];
    const norm = Math.hypot(...point);
    return norm > 0.97 ? [(point[0] * 0.97) / norm, (point[1] * 0.97) / norm] : point;
  }

  /** @param {number} node @returns {Point} */
  position(node) {
    return this.toScreen(this.diskX[node], this.diskY[node]);
  }

  /**
   * Apply one more motion, unless it would lose the tree from sight.
   * @param {Moebius} motion
   */
  move(motion) {
    const map = compose(motion, this.map);
    const [x, y] = transform(inverse(map), 0, 0);
    if (!(radiusOf(x, y) <= this.farthest + 1)) return;
    this.map = map;
    this.project();
  }

  /**
   * The point under the pointer goes with it.
   * @param {number} fromX @param {number} fromY @param {number} toX @param {number} toY
   */
  pan(fromX, fromY, toX, toY) {
    this.move(translationBetween(this.toDisk(fromX, fromY), this.toDisk(toX, toY)));
  }

  /**
   * In: what is under the pointer comes towards the center, where the disk is large; what is left of the step enlarges
   * the picture. Out: the same backwards, and then home.
   * @param {number} factor @param {number} x @param {number} y
   */
  zoom(factor, x, y) {
    const step = Math.log(factor);
    if (step > 0) {
      const point = this.toDisk(x, y);
      const way = Math.min(step, radiusOf(...point));
      this.move(towardsCenter(...point, way));
      this.magnified = Math.min(this.magnified * Math.exp(step - way), MOST_MAGNIFIED);
    } else {
      const shrink = Math.min(-step, Math.log(this.magnified));
      this.magnified = Math.max(this.magnified * Math.exp(-shrink), 1);
      this.move(towardsCenter(this.diskX[this.tree.root], this.diskY[this.tree.root], -step - shrink));
    }
  }

  /**
   * A function of time 0 .. 1 that brings a node to the center along the straight way.
   * @param {number} node @returns {Motion}
   */
  focusMotion(node) {
    const begin = this.map;
    const [x, y] = [this.diskX[node], this.diskY[node]];
    const way = radiusOf(x, y);
    return (time) => {
      this.map = compose(towardsCenter(x, y, way * time), begin);
      this.project();
    };
  }

  /**
   * A function of time 0 .. 1 that brings a node nearer from its place in the whole tree, while the root stays in sight.
   * @param {number} node @returns {Motion}
   */
  revealMotion(node) {
    const home = this.resetMotion();
    const step = towardsCenter(this.x[node], this.y[node], REVEALED);
    return (time) => {
      home(time);
      if (time < 1) return;
      this.map = step;
      this.project();
    };
  }

  /**
   * A function of time 0 .. 1 that undoes all panning, turning and zooming.
   * @returns {Motion}
   */
  resetMotion() {
    const [x, y] = transform(inverse(this.map), 0, 0);
    // A map and its negative are the same, so that half a turn is the most there can be to undo.
    const turn = Math.atan(this.map.ai / this.map.ar);
    const size = this.magnified;
    return (time) => {
      const left = 1 - time;
      const shrink = Math.hypot(x, y) > 0 ? Math.tanh(Math.atanh(Math.hypot(x, y)) * left) / Math.hypot(x, y) : 0;
      const rotation = { ar: Math.cos(turn * left), ai: Math.sin(turn * left), br: 0, bi: 0 };
      this.map = time === 1 ? IDENTITY : compose(rotation, translation(-x * shrink, -y * shrink));
      this.magnified = size ** left;
      this.project();
    };
  }

  /**
   * Draw into a scene; `moving` leaves out what is too small to be missed.
   * @param {Scene} scene @param {Uint32Array} colors @param {Look} look @param {boolean} moving
   */
  build(scene, colors, look, moving) {
    buildDisk(this, scene, colors, look, moving);
  }

  /**
   * Put points along the geodesic between two nodes, in pixels, into lineX and lineY; how many they are.
   * @param {number} from @param {number} to @param {number} tolerance
   */
  traceBranch(from, to, tolerance) {
    const [px, py, qx, qy] = [this.diskX[from], this.diskY[from], this.diskX[to], this.diskY[to]];
    const half = halfTurn(px, py, qx, qy);
    const pieces = arcPieces(Math.hypot(qx - px, qy - py) * this.scale, half, tolerance);
    for (let k = 0; k <= pieces; k++) {
      const [x, y] = arcPoint(px, py, qx, qy, half, k / pieces);
      this.lineX[k] = this.width / 2 + x * this.scale;
      this.lineY[k] = this.height / 2 + y * this.scale;
    }
    return pieces + 1;
  }

  /**
   * How much larger a node is drawn than the same node at the rim: 1 at the center, 0 at the rim.
   * @param {number} node
   */
  nearness(node) {
    return Math.sqrt(Math.max(1 - this.diskX[node] ** 2 - this.diskY[node] ** 2, 0));
  }

  /** @param {number} node */
  branchWidth(node) {
    const weight = Math.log(this.tree.size[node] + 1) / this.logLeaves;
    return Math.max((1.1 + 2.6 * Math.min(weight, 1)) * this.nearness(node), 0.7);
  }

  /** @param {number} node */
  dotRadius(node) {
    const near = this.nearness(node);
    if (this.tree.isLeaf(node)) return Math.max(4 * near, this.tree.leafCount > NAMED_TREE ? 0.8 : 2);
    return near < 0.12 ? 0 : 2.6 * near;
  }

  /**
   * The node that the pointer means, -1 for none: the nearest, where large nodes seem a little nearer.
   * @param {number} x @param {number} y
   */
  nodeAt(x, y) {
    const { tree, diskX, diskY, scale } = this;
    const atX = (x - this.width / 2) / scale;
    const atY = (y - this.height / 2) / scale;
    const reach = (REACH / scale) ** 2;
    let [best, found] = [REACH, -1];
    for (let node = 0; node < tree.nodeCount; node++) {
      const square = (diskX[node] - atX) ** 2 + (diskY[node] - atY) ** 2;
      if (square > reach) continue;
      const seeming = Math.sqrt(square) * scale - 0.3 * Math.log2(tree.size[node]);
      if (seeming < best) [best, found] = [seeming, node];
    }
    return found;
  }

  /** @param {number} most */
  nameSlots(most) {
    return diskNameSlots(this, most);
  }

  /**
   * There are none but the names.
   * @returns {Word[]}
   */
  words() {
    return [];
  }

  /**
   * Where the name of a cluster begins that takes so many pixels: it stands in the middle over its node.
   * @param {number} node @param {number} width @returns {Point}
   */
  titlePlace(node, width) {
    const [x, y] = this.position(node);
    return [x - width / 2, y - 14];
  }

  /**
   * Pixels for the name of a cluster.
   * @param {number} node
   */
  titleRoom(node) {
    const [x] = this.position(node);
    return 2 * Math.min(x, this.width - x);
  }

  /** @param {number} node */
  pathToRoot(node) {
    return diskPathToRoot(this, node);
  }

  /** Numbers that tell where one looks, for tests. */
  summary() {
    return { ...this.map, magnified: this.magnified };
  }

  /** Numbers from which `goTo` comes back here; none where the whole tree is seen. */
  place() {
    const { ar, ai, br, bi } = this.map;
    return ar === 1 && !ai && !br && !bi && this.magnified === 1 ? [] : [ar, ai, br, bi, this.magnified];
  }

  /** @param {number[]} place */
  goTo([ar, ai, br, bi, magnified]) {
    const scale = Math.sqrt(ar * ar + ai * ai - br * br - bi * bi);
    if (!(scale > 0) || !(magnified >= 1)) return;
    this.map = IDENTITY;
    this.move({ ar: ar / scale, ai: ai / scale, br: br / scale, bi: bi / scale });
    this.magnified = Math.min(magnified, MOST_MAGNIFIED);
  }
}
