// Flat labels of the leaves, and what they mean at the nodes above them.

/**
 * @import { Numbers } from "./payload.js"
 * @import { Tree } from "./tree.js"
 */

const MAIN_SHARE = 0.9; // Share of the leaves of a cluster under one node that the node may be shown and named for.

/** Flat labels of the leaves, what they mean at the nodes above them, and a color number for each cluster. */
export class Partition {
  /**
   * colorOf: a color number for each node, where the clusters take theirs from; by size, largest first, without.
   * hasOutliers: whether the last label is no cluster but outliers: gray, and listed last.
   * @param {Tree} tree @param {Numbers} labels @param {Int32Array | null} colorOf @param {boolean} hasOutliers
   */
  constructor(tree, labels, colorOf = null, hasOutliers = false) {
    this.labels = labels;
    let most = 0;
    for (const label of labels) most = Math.max(most, label);
    this.outliers = hasOutliers ? most : -1;
    this.ofNode = sharedLabels(tree, labels, this.outliers);
    this.sizes = new Int32Array(most + 1);
    for (const label of labels) this.sizes[label]++;
    // Labels that came with the tree may leave numbers out.
    this.count = this.sizes.reduce((count, size) => count + (size > 0 ? 1 : 0), hasOutliers ? -1 : 0);
    this.tops = this.findTops(tree);
    /** @param {number} share */
    const under = (share) => this.tops.every((node, label) => node < 0 || tree.size[node] >= share * this.sizes[label]);
    // Whether every cluster is all that lies under one node, and whether it is but for a few strays.
    this.ofSubtrees = under(1);
    this.ofNodes = under(MAIN_SHARE);
    /** @type {string[] | null} What `describe` calls the clusters, by label. */
    this.names = null;
    this.colors = colorOf ? this.colorsFrom(colorOf) : this.ranks();
  }

  /**
   * The color number of each cluster, from one for each node.
   * @param {Int32Array} colorOf
   */
  colorsFrom(colorOf) {
    return this.tops.map((node) => (node < 0 ? 0 : colorOf[node]));
  }

  /**
   * The largest node of each cluster; -1 for outliers.
   * @param {Tree} tree
   */
  findTops(tree) {
    const tops = new Int32Array(this.sizes.length).fill(-1);
    for (let node = tree.root; node >= 0; node--) {
      const label = this.ofNode[node];
      if (label < 0 || label === this.outliers) continue;
      if (tops[label] < 0 || tree.size[node] > tree.size[tops[label]]) tops[label] = node;
    }
    return tops;
  }

  /** Labels that have leaves, the largest cluster first, outliers last. */
  bySize() {
    const used = Array.from(this.sizes.keys()).filter((label) => this.sizes[label] > 0 && label !== this.outliers);
    used.sort((a, b) => this.sizes[b] - this.sizes[a] || a - b);
    return this.outliers < 0 ? used : [...used, this.outliers];
  }

  /** Rank of each cluster by size; -1, which is gray, for outliers. */
  ranks() {
    const rank = new Int32Array(this.sizes.length);
    this.bySize().forEach((label, k) => { rank[label] = label === this.outliers ? -1 : k; });
    return rank;
  }

  /**
   * The number of a cluster as it is written; outliers are -1.
   * @param {number} label
   */
  numberOf(label) {
    return label === this.outliers ? "-1" : String(label);
  }
}

/**
 * Colors of a partition whose clusters each lie inside one of a coarser: the largest part of a cluster keeps its color
 * and the others take the next ones.
 * @param {Partition} partition @param {Partition} coarser
 */
export function inheritedColors(partition, coarser) {
  const above = new Int32Array(partition.sizes.length);
  partition.labels.forEach((label, leaf) => { above[label] = coarser.labels[leaf]; });
  const colors = new Int32Array(partition.sizes.length);
  const kept = new Set();
  let next = coarser.count;
  for (const label of partition.bySize()) {
    colors[label] = kept.has(above[label]) ? next++ : coarser.colors[above[label]];
    kept.add(above[label]);
  }
  return colors;
}

/**
 * The label that all leaves under a node share, outliers aside; -1 where they differ.
 * @param {Tree} tree @param {Numbers} labels @param {number} outliers
 */
function sharedLabels(tree, labels, outliers) {
  const shared = new Int32Array(tree.nodeCount).fill(-2);
  shared.set(labels);
  /** @param {number} node */
  const isOutlier = (node) => outliers >= 0 && shared[node] === outliers;
  for (let node = 0; node < tree.root; node++) {
    const above = tree.parent[node];
    if (shared[above] === -2 || isOutlier(above)) shared[above] = shared[node];
    else if (!isOutlier(node) && shared[above] !== shared[node]) shared[above] = -1;
  }
  return shared;
}
