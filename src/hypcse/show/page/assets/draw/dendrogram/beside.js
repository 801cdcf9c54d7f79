// What stands beside the leaves of the dendrogram: strips of colors, one for each set of labels, and a heat map of the
// columns, row by row.

import { heatColor } from "../palette.js";
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
    /** @type {Float64Array} Mean of each column in each cluster, standardized, cluster by cluster. */
    this.means = new Float64Array(0);
  }

  /** @param {BesideContent} content @param {number} width @param {number} height */
  show(content, width, height) {
    if (content.partition !== this.content?.partition) this.means = this.clusterMeans(content.partition);
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
      (sum, label) => sum + partition.sizes[label] * this.value(label, place) ** 2, 0,
    ));
    return places.sort((a, b) => weight[b] - weight[a] || a - b).slice(0, most).sort((a, b) => a - b);
  }

  /**
   * The row of the heat map that holds the leaf at a place.
   * @param {number} place
   */
  rowAt(place) {
    const { leafCount } = this.tree;
    const rows = this.table?.heat.rows ?? 0;
    return Math.min(Math.floor(((place + 1) * rows - 1) / leafCount), rows - 1);
  }

  /** @param {Partition} partition */
  clusterMeans(partition) {
    const { tree } = this;
    const { values, columns } = this.table?.heat ?? { values: [], columns: [] };
    const width = columns.length;
    const sums = new Float64Array(partition.sizes.length * width);
    tree.leafAt.forEach((leaf, place) => {
      const [from, to] = [this.rowAt(place) * width, partition.labels[leaf] * width];
      for (let column = 0; column < width; column++) sums[to + column] += values[from + column];
    });
    return sums.map((sum, k) => sum / partition.sizes[Math.floor(k / width)]);
  }

  /**
   * The standardized mean of a column in a cluster.
   * @param {number} label @param {number} place
   */
  value(label, place) {
    return this.table ? this.means[label * this.table.heat.columns.length + place] : 0;
  }

  /**
   * The standardized value of a column at the leaf at a place, or the mean of those that share its row.
   * @param {number} at @param {number} place
   */
  valueAt(at, place) {
    return this.table ? this.table.heat.values[this.rowAt(at) * this.table.heat.columns.length + place] : 0;
  }

  /** @param {DendrogramView} view @param {Scene} scene @param {Look} look */
  build(view, scene, look) {
    if (!this.content || !this.width) return;
    this.content.strips.forEach((strip, k) => this.buildStrip(view, scene, strip, this.stripX(view, k)));
    if (this.columns.length) this.buildHeat(view, scene, look);
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

  /**
   * One row of cells per leaf, or where leaves are lower than a row of pixels, the mean of those in it.
   * @param {DendrogramView} view @param {Scene} scene @param {Look} look
   */
  buildHeat(view, scene, look) {
    const { leafCount } = this.tree;
    const step = Math.max(1 / view.pixelsPerLeaf, 1);
    const last = Math.min(view.window.bottom, leafCount);
    for (let place = Math.max(Math.floor(view.window.top), 0); place < last; place += step) {
      const [top, bottom] = [view.screenY(place), Math.min(view.screenY(place + step), view.leafFloor)];
      if (bottom <= top) break;
      const [first, end] = [this.rowAt(Math.floor(place)), this.rowAt(Math.min(Math.ceil(place + step), leafCount) - 1)];
      this.columns.forEach((column, k) => {
        scene.rect(this.heatX(view) + CELL * k, top, CELL - 1, bottom - top, heatColor(this.meanOfRows(first, end, column), look));
      });
    }
  }

  /** @param {number} first @param {number} last @param {number} column */
  meanOfRows(first, last, column) {
    if (!this.table) return 0;
    const { values, columns } = this.table.heat;
    let sum = 0;
    for (let row = first; row <= last; row++) sum += values[row * columns.length + column];
    return sum / (last - first + 1);
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
   * @param {DendrogramView} view @param {number} leaf @param {number} place @returns {Point}
   */
  placeOf(view, leaf, place) {
    return [this.heatX(view) + CELL * (this.columns.indexOf(place) + 0.5), view.screenY(this.tree.first[leaf] + 0.5)];
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
