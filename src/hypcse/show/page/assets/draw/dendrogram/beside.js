// What stands beside the leaves of the dendrogram: strips of colors, one for each set of labels, and a heat map of the
// columns by cluster.

import { heatColor, LOOKS, packHex } from "../palette.js";
import { LETTER, shortText } from "../words.js";
/**
 * @import { Partition } from "../../tree/partition.js"
 * @import { Page } from "../../tree/payload.js"
 * @import { Tree } from "../../tree/tree.js"
 * @import { DendrogramView } from "./dendrogram.js"
 * @import { Point } from "../disk/moebius.js"
 * @import { Look } from "../palette.js"
 * @import { Scene } from "../scene.js"
 * @import { Word } from "../words.js"
 */

/** @typedef {{ title: string, codes: ArrayLike<number>, palette: Uint32Array }} Strip A color for each leaf, by code. */
/** @typedef {{ partition: Partition, strips: Strip[], heat: boolean }} BesideContent */

const GAP = 8; // Pixels before the strips, and between them and the heat map.
const STRIP = 12;
const STRIP_GAP = 3;
const CELL = 16; // Width of a column of the heat map.
const WIDEST = 0.42; // Share of the picture that all of it may take.
const HEADING = 10; // Size of the letters over it.
const TALLEST_HEAD = 104;
const LEAST_HEAD = 14;

export class Beside {
  /** @param {Tree} tree @param {Page} page */
  constructor(tree, page) {
    this.tree = tree;
    this.table = page.table;
    /** @type {BesideContent | null} */
    this.content = null;
    // What fit measures: pixels in all, pixels over the leaves, and the columns shown, as places in table.heat.columns.
    this.width = 0;
    this.head = LEAST_HEAD;
    /** @type {number[]} */
    this.columns = [];
    /** @type {Runs | null} */
    this.runs = null;
  }

  /** @param {BesideContent} content @param {number} width @param {number} height */
  show(content, width, height) {
    if (content.partition !== this.content?.partition) this.runs = new Runs(this.tree, content.partition);
    this.content = content;
    this.fit(width, height);
  }

  /**
   * Choose the columns and measure, for a picture of this size.
   * @param {number} width @param {number} height
   */
  fit(width, height) {
    if (!this.content) return;
    const { strips, heat } = this.content;
    const room = Math.max(WIDEST * width - this.stripRoom() - GAP, 0);
    this.columns = heat ? this.farthestColumns(Math.floor(room / CELL)) : [];
    this.width = this.stripRoom() + (this.columns.length ? GAP + CELL * this.columns.length : 0);
    const titles = [...strips.map(({ title }) => title), ...this.columns.map((place) => this.columnName(place))];
    const longest = Math.max(0, ...titles.map((title) => title.length * LETTER * HEADING));
    this.head = titles.length ? Math.min(longest + 12, TALLEST_HEAD, 0.3 * height) : LEAST_HEAD;
  }

  stripRoom() {
    const count = this.content?.strips.length ?? 0;
    return count ? GAP + count * (STRIP + STRIP_GAP) : 0;
  }

  /** @param {number} place */
  columnName(place) {
    return this.table ? this.table.names[this.table.heat.columns[place]] : "";
  }

  /**
   * The columns that differ most between the clusters shown, in the order of the table.
   * @param {number} most
   */
  farthestColumns(most) {
    if (!this.table || !this.content) return [];
    const { partition } = this.content;
    const places = Array.from(this.table.heat.columns.keys());
    const largest = partition.bySize().slice(0, 200);
    const weight = places.map((place) => largest.reduce(
      (sum, label) => sum + partition.sizes[label] * (this.value(label, place) ?? 0) ** 2, 0,
    ));
    return places.sort((a, b) => weight[b] - weight[a] || a - b).slice(0, most).sort((a, b) => a - b);
  }

  /**
   * The standardized mean of a column in a cluster; null where it is not known.
   * @param {number} label @param {number} place
   */
  value(label, place) {
    if (!this.table || !this.content) return null;
    const { partition } = this.content;
    const { heat, row } = this.table;
    const node = partition.tops[label];
    if (!partition.ofNodes || node < 0) return null;
    if (node === this.tree.root) return 0;
    const at = row.get(node) ?? Infinity;
    return at < heat.rows ? heat.values[at * heat.columns.length + place] : null;
  }

  /** @param {DendrogramView} view @param {Scene} scene @param {Look} look */
  build(view, scene, look) {
    if (!this.content || !this.width) return;
    this.content.strips.forEach((strip, k) => this.buildStrip(view, scene, strip, this.stripX(view, k)));
    if (this.columns.length && this.runs) this.buildHeat(view, scene, look, this.runs);
  }

  /** @param {DendrogramView} view @param {number} k */
  stripX(view, k) {
    return view.leafX + GAP + k * (STRIP + STRIP_GAP);
  }

  /** @param {DendrogramView} view */
  heatX(view) {
    return view.leafX + this.stripRoom() + GAP;
  }

  /**
   * One rectangle for leaves of one color below each other; where a row of pixels holds several leaves, their middle
   * one stands for them.
   * @param {DendrogramView} view @param {Scene} scene @param {Strip} strip @param {number} x
   */
  buildStrip(view, scene, { codes, palette }, x) {
    const { leafAt, leafCount } = this.tree;
    const step = Math.max(1 / view.pixelsPerLeaf, 1);
    const last = Math.min(view.window.bottom, leafCount);
    /** @param {number} from @param {number} to @param {number} color */
    const fill = (from, to, color) => {
      const [top, bottom] = [view.screenY(from), Math.min(view.screenY(to), view.leafFloor)];
      if (bottom > top) scene.rect(x, top, STRIP, bottom - top, color);
    };
    const first = Math.max(Math.floor(view.window.top), 0);
    let [begin, color] = [first, -1];
    for (let place = first; place < last; place += step) {
      const own = palette[codes[leafAt[Math.min(Math.floor(place + step / 2), leafCount - 1)]]];
      if (own === color) continue;
      if (color >= 0) fill(begin, place, color);
      [begin, color] = [place, own];
    }
    if (color >= 0) fill(begin, last, color);
  }

  /** @param {DendrogramView} view @param {Scene} scene @param {Look} look @param {Runs} runs */
  buildHeat(view, scene, look, runs) {
    const unknown = packHex(LOOKS[look].rim);
    let drawn = view.screenY(Math.max(view.window.top, 0));
    for (let k = 0; k < runs.count; k++) {
      const bottom = Math.min(view.screenY(runs.start[k + 1]), view.leafFloor);
      if (bottom - drawn < 0.7) continue;
      const gap = bottom - drawn > 6 ? 1 : 0;
      for (let column = 0; column < this.columns.length; column++) {
        const value = this.value(runs.label[k], this.columns[column]);
        const color = value === null ? unknown : heatColor(value, look);
        scene.rect(this.heatX(view) + CELL * column, drawn, CELL - 1, bottom - drawn - gap, color);
      }
      drawn = bottom;
    }
  }

  /**
   * Headings, upright over the strips and columns.
   * @param {DendrogramView} view @returns {Word[]}
   */
  words(view) {
    if (!this.content) return [];
    const fits = Math.floor((this.head - 10) / (LETTER * HEADING));
    /** @param {number} x @param {string} title @returns {Word} */
    const upright = (x, title) => (
      { x, y: this.head - 5, text: shortText(title, fits), angle: -Math.PI / 2, size: HEADING }
    );
    return [
      ...this.content.strips.map(({ title }, k) => upright(this.stripX(view, k) + STRIP / 2, title)),
      ...this.columns.map((place, k) => upright(this.heatX(view) + CELL * (k + 0.5), this.columnName(place))),
    ];
  }

  /**
   * The pixel in the middle of a cell of the heat map.
   * @param {DendrogramView} view @param {number} label @param {number} place @returns {Point}
   */
  placeOf(view, label, place) {
    const { runs } = this;
    const k = runs ? runs.label.indexOf(label) : -1;
    const middle = runs && k >= 0 ? (runs.start[k] + runs.start[k + 1]) / 2 : 0;
    return [this.heatX(view) + CELL * (this.columns.indexOf(place) + 0.5), view.screenY(middle)];
  }

  /**
   * What is at a pixel: a strip or a column of the heat map, and a leaf unless the pixel is over the leaves; null for
   * nothing.
   * @param {DendrogramView} view @param {number} x @param {number} y
   */
  hit(view, x, y) {
    if (!this.content || x < view.leafX + GAP || x > view.leafX + this.width || y > view.leafFloor) return null;
    const leaf = y < this.head ? -1 : view.leafAtRow(y);
    const strip = Math.floor((x - this.stripX(view, 0)) / (STRIP + STRIP_GAP));
    if (strip < this.content.strips.length) return { leaf, strip, place: -1 };
    const column = Math.floor((x - this.heatX(view)) / CELL);
    if (column < 0 || column >= this.columns.length) return null;
    return { leaf, strip: -1, place: this.columns[column] };
  }
}

/** Stretches of leaves of one cluster below each other: run k begins at start[k] and ends where the next begins. */
class Runs {
  /** @param {Tree} tree @param {Partition} partition */
  constructor(tree, partition) {
    /** @type {number[]} */
    this.start = [];
    /** @type {number[]} */
    this.label = [];
    for (let place = 0; place < tree.leafCount; place++) {
      const label = partition.labels[tree.leafAt[place]];
      if (label === this.label.at(-1)) continue;
      this.start.push(place);
      this.label.push(label);
    }
    this.count = this.label.length;
    this.start.push(tree.leafCount);
  }
}
