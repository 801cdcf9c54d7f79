// A picture as lists of segments, dots and rectangles in pixels. Both views make scenes; WebGL, canvas and SVG paint them.

/** @typedef {(time: number) => void} Motion Moves a view to where it is at a time from 0 to 1. */
/** @typedef {{ x: number, y: number, radius: number, fill: string }} Disk */

/** Rows of numbers with one color each, in typed arrays that grow. */
class Rows {
  /** @param {number} width */
  constructor(width) {
    this.width = width;
    this.count = 0;
    this.values = new Float32Array(width * 4096);
    this.colors = new Uint32Array(4096);
  }

  clear() {
    this.count = 0;
  }

  /**
   * Room for one more row; the index of its first value.
   * @param {number} color
   */
  extend(color) {
    if (this.count === this.colors.length) this.grow();
    this.colors[this.count] = color;
    return this.width * this.count++;
  }

  grow() {
    const values = new Float32Array(this.values.length * 2);
    const colors = new Uint32Array(this.colors.length * 2);
    values.set(this.values);
    colors.set(this.colors);
    [this.values, this.colors] = [values, colors];
  }
}

export const SEGMENT_NUMBERS = 7; // Both ends, width, and the bend at either end.
export const DOT_NUMBERS = 3;
export const RECT_NUMBERS = 4; // Left, top, width and height.

export class Scene {
  constructor() {
    this.segments = new Rows(SEGMENT_NUMBERS);
    this.dots = new Rows(DOT_NUMBERS);
    this.rects = new Rows(RECT_NUMBERS);
    this.ground = "#ffffff";
    /** @type {Disk | null} */
    this.disk = null;
  }

  clear() {
    this.segments.clear();
    this.dots.clear();
    this.rects.clear();
    this.disk = null;
  }

  /**
   * A straight line. At a joint with another, `bend` is tan of half the angle by which the line turns there.
   * @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {number} width
   * @param {number} color
   */
  segment(x0, y0, x1, y1, width, color, bend0 = 0, bend1 = 0) {
    const at = this.segments.extend(color);
    const { values } = this.segments;
    values[at] = x0;
    values[at + 1] = y0;
    values[at + 2] = x1;
    values[at + 3] = y1;
    values[at + 4] = width;
    values[at + 5] = bend0;
    values[at + 6] = bend1;
  }

  /**
   * Straight pieces through `count` points of xs and ys, joined without gaps.
   * @param {ArrayLike<number>} xs @param {ArrayLike<number>} ys @param {number} count @param {number} width
   * @param {number} color
   */
  polyline(xs, ys, count, width, color) {
    let before = 0;
    for (let k = 1; k < count; k++) {
      const after = k + 1 < count ? bendAt(xs, ys, k) : 0;
      this.segment(xs[k - 1], ys[k - 1], xs[k], ys[k], width, color, before, after);
      before = after;
    }
  }

  /**
   * A filled rectangle.
   * @param {number} x @param {number} y @param {number} width @param {number} height @param {number} color
   */
  rect(x, y, width, height, color) {
    const at = this.rects.extend(color);
    this.rects.values.set([x, y, width, height], at);
  }

  /** @param {number} x @param {number} y @param {number} radius @param {number} color */
  dot(x, y, radius, color) {
    const at = this.dots.extend(color);
    const { values } = this.dots;
    values[at] = x;
    values[at + 1] = y;
    values[at + 2] = radius;
  }
}

/**
 * Tan of half the angle by which a line of points turns at point k, at most a right angle's.
 * @param {ArrayLike<number>} xs @param {ArrayLike<number>} ys @param {number} k
 */
function bendAt(xs, ys, k) {
  const [ax, ay] = [xs[k] - xs[k - 1], ys[k] - ys[k - 1]];
  const [bx, by] = [xs[k + 1] - xs[k], ys[k + 1] - ys[k]];
  const turn = Math.atan2(ax * by - ay * bx, ax * bx + ay * by);
  return Math.min(Math.max(Math.tan(turn / 2), -1), 1) || 0;
}

/** Which lines are drawn already, by the pixels at their ends: of those that look the same one is enough. */
export class LineMarks {
  /** @param {number} grain */
  constructor(grain) {
    this.grain = grain;
    this.seen = new Set();
  }

  /**
   * Whether a line between these places (no farther out than a few thousand pixels) is new; from now on it is not.
   * @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1
   */
  take(x0, y0, x1, y1) {
    /** @param {number} value */
    const place = (value) => Math.round(value / this.grain) & 4095;
    const key = ((place(x0) * 4096 + place(y0)) * 4096 + place(x1)) * 4096 + place(y1);
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    return true;
  }
}

/** Which pixels hold something already, so that a hundred thousand leaves on one rim are drawn as often as seen. */
export class PixelMarks {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    this.width = Math.ceil(width);
    this.height = Math.ceil(height);
    this.marks = new Uint8Array(this.width * this.height);
  }

  /**
   * Whether this pixel was free; from now on it is not.
   * @param {number} x @param {number} y
   */
  take(x, y) {
    const column = x | 0;
    const row = y | 0;
    if (column < 0 || row < 0 || column >= this.width || row >= this.height) return false;
    const at = row * this.width + column;
    if (this.marks[at]) return false;
    this.marks[at] = 1;
    return true;
  }
}
