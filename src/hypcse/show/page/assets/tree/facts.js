// What there is to say about a node. Everything is computed when it is asked for, from its leaves.

import { brief } from "./numbers.js";
/**
 * @import { Labeling, Page } from "./payload.js"
 * @import { Tree } from "./tree.js"
 */

const EXEMPLARS = 3;

/** @typedef {{ name: string, here: string, others: string }} TypicalValue Of a column under a node and elsewhere. */

export class Facts {
  /** @param {Tree} tree @param {Page} page */
  constructor(tree, page) {
    this.tree = tree;
    this.page = page;
    this.entropyBelow = page.entropy && tree.subtreeSums(page.entropy);
    // Leaves with the largest degree in the graph stand for a node; without a graph, those that were joined first.
    this.weight = page.degrees
      || Float64Array.from({ length: tree.leafCount }, (_, leaf) => -tree.height[tree.parent[leaf]]);
  }

  /**
   * Labels of leaves with their counts, most frequent first. Unknown ones do not count.
   * @param {Int32Array} leaves @param {Labeling} labeling
   */
  mix(leaves, { codes, names }) {
    /** @type {Map<number, number>} */
    const counts = new Map();
    for (const leaf of leaves) {
      if (codes[leaf] < names.length) counts.set(codes[leaf], (counts.get(codes[leaf]) || 0) + 1);
    }
    return Array.from(counts, ([code, count]) => ({ code, count, name: names[code] }))
      .sort((a, b) => b.count - a.count || a.code - b.code);
  }

  /**
   * The few leaves that stand for a node.
   * @param {number} node
   */
  exemplars(node) {
    /** @type {number[]} */
    const best = [];
    for (const leaf of this.tree.leavesInOrder(node)) {
      if (best.length === EXEMPLARS && this.weight[leaf] <= this.weight[best[EXEMPLARS - 1]]) continue;
      let place = best.length;
      while (place > 0 && this.weight[best[place - 1]] < this.weight[leaf]) place--;
      best.splice(place, 0, leaf);
      best.length = Math.min(best.length, EXEMPLARS);
    }
    return best;
  }

  /**
   * Typical values of the columns that tell most of a node, the first most; null where they are not known.
   * @param {number} node
   */
  typical(node) {
    const { table } = this.page;
    const row = table?.row.get(node);
    if (!table || row === undefined) return null;
    const { texts, column, here, others } = table.typical;
    const width = column.length / table.row.size;
    /** @type {TypicalValue[]} */
    const values = [];
    for (let k = row * width; k < (row + 1) * width && column[k]; k++) {
      values.push({ name: texts[column[k]], here: texts[here[k]], others: texts[others[k]] });
    }
    return values;
  }

  /**
   * Distance between the parts that a node joins, in words; null at leaves and where it is not known. The distances of
   * the page never fall upwards: one that is also a child's says only how far apart the parts are at most.
   * @param {number} node
   */
  distance(node) {
    if (!this.page.distance || this.tree.isLeaf(node)) return null;
    const { ofNode } = this.page.distance;
    const lifted = ofNode[node] > 0 && this.tree.children(node).some((child) => ofNode[child] === ofNode[node]);
    return `${lifted ? "at most " : ""}${brief(ofNode[node])}`;
  }

  /**
   * Own share of a node in the structural entropy, and that of its whole subtree; null without a graph.
   * @param {number} node
   */
  entropy(node) {
    if (!this.page.entropy || !this.entropyBelow) return null;
    return { own: this.page.entropy[node], below: this.entropyBelow[node] };
  }

  /**
   * One sentence for people who hear the page.
   * @param {number} node @param {string} title
   */
  sentence(node, title) {
    const { tree } = this;
    if (tree.isLeaf(node)) return `Leaf ${title}, depth ${tree.depth[node]}.`;
    const [classes] = this.page.labelings;
    const mix = classes ? this.mix(tree.leavesInOrder(node), classes) : [];
    const most = mix.length ? `, mostly ${mix[0].name}` : "";
    const parts = tree.children(node).length;
    const apart = this.distance(node);
    const children = `${parts} children${apart === null ? "" : ` ${apart} apart`}`;
    return `${title}: ${tree.size[node]} leaves, ${children}, depth ${tree.depth[node]}${most}.`;
  }
}
