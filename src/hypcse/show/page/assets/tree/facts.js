// What there is to say about a node. Everything is computed when it is asked for, from its leaves.

import { brief } from "./numbers.js";
/**
 * @import { Labeling, Page } from "./payload.js"
 * @import { Tree } from "./tree.js"
 */

const EXEMPLARS = 3;

/** @typedef {{ name: string, shift: number, mean: number, overall: number }} ColumnFact Shift in deviations. */

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
   * Labels under a node with their counts, most frequent first. Unknown ones do not count.
   * @param {number} node @param {Labeling} labeling
   */
  mix(node, { codes, names }) {
    /** @type {Map<number, number>} */
    const counts = new Map();
    for (const leaf of this.tree.leavesInOrder(node)) {
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
   * Columns whose mean under a node lies farthest from that of the other leaves; null where they are not told.
   * @param {number} node
   */
  columns(node) {
    const { table } = this.page;
    const row = table?.row.get(node);
    if (!table || row === undefined) return null;
    const begin = row * table.told;
    /** @type {ColumnFact[]} */
    const found = [];
    for (let k = begin; k < begin + table.told; k++) {
      if (table.shift[k] === 0) continue;
      const column = table.column[k];
      const mean = table.nodeMean[k];
      found.push({ name: table.names[column], shift: table.shift[k], mean, overall: table.mean[column] });
    }
    return found;
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
    const mix = classes ? this.mix(node, classes) : [];
    const most = mix.length ? `, mostly ${mix[0].name}` : "";
    const parts = tree.children(node).length;
    const apart = this.distance(node);
    const children = `${parts} children${apart === null ? "" : ` ${apart} apart`}`;
    return `${title}: ${tree.size[node]} leaves, ${children}, depth ${tree.depth[node]}${most}.`;
  }
}
