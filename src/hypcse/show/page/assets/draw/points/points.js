// The leaves as points of a plane: what is in sight of it, and which leaves lie where.

import { mixColors, packHex, LOOKS } from "../palette.js";
import { PixelMarks } from "../scene.js";
/**
 * @import { Page } from "../../tree/payload.js"
 * @import { Look } from "../palette.js"
 * @import { Scene } from "../scene.js"
 * @import { Word } from "../words.js"
 * @import { Point } from "../disk/moebius.js"
 */

const MIDDLE = 65535 / 2; // Of the steps in which places are held.
const EDGES = { left: 34, right: 14, top: 30, bottom: 34 }; // Pixels for the titles of the axes, and a line above.
const MOST_ZOOM = 200;
const FADED = 0.78; // How far points that are not meant are on their way to the color of the ground.
const MANY = 20_000; // From so many points on, one per pixel is drawn.
const CLOSE = 12; // Pixels around a point within which the pointer means it.

export class PointsView {
  /** @param {NonNullable<Page["scatter"]>} scatter */
  constructor({ x, y, titles }) {
    this.x = x;
    this.y = y;
    this.titles = titles;
    this.count = x.length;
    this.width = 100;
    this.height = 100;
    /** @type {Point} The steps of both axes in the middle of the picture ... */
    this.middle = [MIDDLE, MIDDLE];
    this.enlarged = 1; // ... and how much it is enlarged.
  }

  /** Show the whole plane. */
  reset() {
    this.middle = [MIDDLE, MIDDLE];
    this.enlarged = 1;
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    this.width = width;
    this.height = height;
  }

  get pixelsPerStep() {
    const room = [this.width - EDGES.left - EDGES.right, this.height - EDGES.top - EDGES.bottom];
    return room.map((pixels) => (Math.max(pixels, 20) * this.enlarged) / (2 * MIDDLE));
  }

  /**
   * The pixel in the middle of what is in sight.
   * @returns {Point}
   */
  get center() {
    return [(EDGES.left + this.width - EDGES.right) / 2, (EDGES.top + this.height - EDGES.bottom) / 2];
  }

  /** The pixel of a point whose places are both 0, and the pixels per step of either axis. */
  get frame() {
    const [stepX, stepY] = this.pixelsPerStep;
    const [x, y] = this.center;
    return { left: x - this.middle[0] * stepX, bottom: y + this.middle[1] * stepY, stepX, stepY };
  }

  /** @param {number} leaf @returns {Point} */
  position(leaf) {
    const { left, bottom, stepX, stepY } = this.frame;
    return [left + this.x[leaf] * stepX, bottom - this.y[leaf] * stepY];
  }

  /**
   * Enlarge around a pixel, not beyond the whole plane.
   * @param {number} factor @param {number} x @param {number} y
   */
  zoom(factor, x, y) {
    const next = Math.min(Math.max(this.enlarged * factor, 1), MOST_ZOOM);
    const [stepX, stepY] = this.pixelsPerStep;
    const [atX, atY] = this.center;
    const share = 1 - this.enlarged / next;
    const reach = MIDDLE * (1 - 1 / next);
    /** @param {number} step */
    const inside = (step) => Math.min(Math.max(step, MIDDLE - reach), MIDDLE + reach);
    this.middle = [
      inside(this.middle[0] + ((x - atX) / stepX) * share),
      inside(this.middle[1] - ((y - atY) / stepY) * share),
    ];
    this.enlarged = next;
  }

  get radius() {
    return Math.min(Math.max(14 / this.count ** 0.25, 0.8) * Math.min(this.enlarged ** 0.3, 2), 5);
  }

  /**
   * Draw the points into a scene, those that are meant over the others; without `lit` all of them are.
   * @param {Scene} scene @param {Uint32Array} colors @param {Uint8Array | null} lit @param {Look} look
   */
  build(scene, colors, lit, look) {
    const { disk, ground } = LOOKS[look];
    scene.ground = disk;
    if (lit) this.addDots(scene, lit, 0, (leaf) => mixColors(colors[leaf], packHex(ground), FADED));
    this.addDots(scene, lit, 1, (leaf) => colors[leaf]);
  }

  /** @param {Scene} scene @param {Uint8Array | null} lit @param {number} wanted @param {(leaf: number) => number} color */
  addDots(scene, lit, wanted, color) {
    const { radius, width, height } = this;
    const { left, bottom, stepX, stepY } = this.frame;
    const free = this.count > MANY ? new PixelMarks(width, height) : null;
    for (let leaf = 0; leaf < this.count; leaf++) {
      if (lit && lit[leaf] !== wanted) continue;
      const [x, y] = [left + this.x[leaf] * stepX, bottom - this.y[leaf] * stepY];
      if (x < -radius || y < -radius || x > width + radius || y > height + radius) continue;
      if (free && !free.take(x, y)) continue;
      scene.dot(x, y, radius, color(leaf));
    }
  }

  /**
   * The titles of the axes: below, and upright on the left.
   * @returns {Word[]}
   */
  words() {
    const [across, up] = this.titles;
    const [x, y] = this.center;
    return [
      { x, y: this.height - 14, text: across, size: 10, anchor: "middle" },
      { x: 14, y, text: up, size: 10, anchor: "middle", angle: -Math.PI / 2 },
    ];
  }

  /**
   * The leaf that the pointer means, -1 for none.
   * @param {number} x @param {number} y
   */
  leafAt(x, y) {
    const { left, bottom, stepX, stepY } = this.frame;
    let [best, nearest] = [CLOSE ** 2, -1];
    for (let leaf = 0; leaf < this.count; leaf++) {
      const square = (left + this.x[leaf] * stepX - x) ** 2 + (bottom - this.y[leaf] * stepY - y) ** 2;
      if (square < best) [best, nearest] = [square, leaf];
    }
    return nearest;
  }

  /**
   * The leaves inside a closed line of pixels: from such a one, any ray crosses the line an odd number of times.
   * @param {Point[]} line
   */
  leavesInside(line) {
    const { left, bottom, stepX, stepY } = this.frame;
    const inside = [];
    for (let leaf = 0; leaf < this.count; leaf++) {
      const [x, y] = [left + this.x[leaf] * stepX, bottom - this.y[leaf] * stepY];
      let odd = false;
      for (let k = 0; k < line.length; k++) {
        const [[ax, ay], [bx, by]] = [line[k], line[(k + 1) % line.length]];
        if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) odd = !odd;
      }
      if (odd) inside.push(leaf);
    }
    return Int32Array.from(inside);
  }
}
