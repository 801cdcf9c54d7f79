// Flat cuts, by the rule of Python's Tree.cut(n_clusters=k): split from the top, highest node first, of equally high
// nodes the one with the larger id, while at most k clusters result. Labels are numbered by smallest leaf.

/**
 * @import { Numbers } from "./payload.js"
 * @import { Tree } from "./tree.js"
 */

export class Cuts {
  /** @param {Tree} tree */
  constructor(tree) {
    this.tree = tree;
    this.order = new Int32Array(tree.nodeCount - tree.leafCount);
    this.clustersAfter = new Int32Array(this.order.length);
    this.orderSplits();
    this.colour = new Int32Array(tree.nodeCount);
    this.numberColours();
  }

  /** order: internal nodes in the order in which they are split; clustersAfter: clusters after each of these splits. */
  orderSplits() {
    const { tree } = this;
    for (let k = 0; k < this.order.length; k++) this.order[k] = tree.leafCount + k;
    this.order.sort((a, b) => tree.height[b] - tree.height[a] || b - a);
    const degree = new Int32Array(tree.nodeCount);
    for (let node = 0; node < tree.root; node++) degree[tree.parent[node]]++;
    let clusters = 1;
    this.order.forEach((node, k) => { this.clustersAfter[k] = clusters += degree[node] - 1; });
  }

  /**
   * A colour number for every node that does not depend on k: at a split the largest child keeps its parent's colour
   * and the others take the next ones. The clusters of a cut into k have the colours 0 .. k - 1, each once.
   */
  numberColours() {
    const { tree } = this;
    let next = 1;
    for (const node of this.order) {
      const heir = tree.largestChild(node);
      for (let child = tree.firstChild[node]; child >= 0; child = tree.nextSibling[child]) {
        this.colour[child] = child === heir ? this.colour[node] : next++;
      }
    }
  }

  /**
   * The cluster node over each node, -1 above the clusters, for a cut into at most `wanted` clusters.
   * @param {number} wanted
   */
  into(wanted) {
    const { tree } = this;
    const split = new Uint8Array(tree.nodeCount);
    for (let k = 0; k < this.order.length && this.clustersAfter[k] <= wanted; k++) split[this.order[k]] = 1;
    const top = new Int32Array(tree.nodeCount);
    for (let node = tree.root; node >= 0; node--) {
      const inside = node !== tree.root && top[tree.parent[node]] >= 0;
      if (inside) top[node] = top[tree.parent[node]];
      else top[node] = split[node] ? -1 : node;
    }
    return new Partition(tree, labelsOf(tree, top), this.colour);
  }
}

/**
 * Labels of the leaves, numbered by smallest leaf, from the cluster node over each.
 * @param {Tree} tree @param {Int32Array} top
 */
function labelsOf(tree, top) {
  /** @type {Map<number, number>} */
  const numbers = new Map();
  const labels = new Int32Array(tree.leafCount);
  for (let leaf = 0; leaf < tree.leafCount; leaf++) {
    const label = numbers.get(top[leaf]) ?? numbers.size;
    numbers.set(top[leaf], label);
    labels[leaf] = label;
  }
  return labels;
}

/** Flat labels of the leaves, what they mean at the nodes above them, and a colour number for each cluster. */
export class Partition {
  /**
   * colourOf: a colour number for each node, where the clusters take theirs from; by size, largest first, without.
   * @param {Tree} tree @param {Numbers} labels @param {Int32Array | null} colourOf
   */
  constructor(tree, labels, colourOf = null) {
    this.labels = labels;
    this.ofNode = sharedLabels(tree, labels);
    let most = 0;
    for (const label of labels) most = Math.max(most, label);
    this.sizes = new Int32Array(most + 1);
    for (const label of labels) this.sizes[label]++;
    // Labels that came with the tree may leave numbers out.
    this.count = this.sizes.reduce((count, size) => count + (size > 0 ? 1 : 0), 0);
    this.tops = this.findTops(tree);
    this.colours = colourOf ? this.tops.map((node) => colourOf[node]) : this.ranks();
  }

  /**
   * The highest node of each cluster.
   * @param {Tree} tree
   */
  findTops(tree) {
    const tops = new Int32Array(this.sizes.length).fill(-1);
    for (let node = tree.root; node >= 0; node--) {
      const label = this.ofNode[node];
      if (label >= 0 && tops[label] < 0) tops[label] = node;
    }
    return tops;
  }

  /** Labels that have leaves, the largest cluster first. */
  bySize() {
    const used = Array.from(this.sizes.keys()).filter((label) => this.sizes[label] > 0);
    return used.sort((a, b) => this.sizes[b] - this.sizes[a] || a - b);
  }

  /** Rank of each cluster by size. */
  ranks() {
    const rank = new Int32Array(this.sizes.length);
    this.bySize().forEach((label, k) => { rank[label] = k; });
    return rank;
  }
}

/**
 * Partitions from coarse to fine, each inside the one before. The largest part of a cluster keeps its colour and the
 * others take the next ones, so that k clusters have the colours 0 .. k - 1, each once.
 * @param {Tree} tree @param {Numbers[]} levels
 */
export function nestedPartitions(tree, levels) {
  /** @type {Partition[]} */
  const found = [];
  for (const labels of levels) {
    const partition = new Partition(tree, labels);
    const coarser = found.at(-1);
    if (coarser) partition.colours = inheritedColours(partition, coarser);
    found.push(partition);
  }
  return found;
}

/** @param {Partition} partition @param {Partition} coarser */
function inheritedColours(partition, coarser) {
  const above = new Int32Array(partition.sizes.length);
  partition.labels.forEach((label, leaf) => { above[label] = coarser.labels[leaf]; });
  const colours = new Int32Array(partition.sizes.length);
  const kept = new Set();
  let next = coarser.count;
  for (const label of partition.bySize()) {
    colours[label] = kept.has(above[label]) ? next++ : coarser.colours[above[label]];
    kept.add(above[label]);
  }
  return colours;
}

/**
 * The label that all leaves under a node share, -1 where they differ.
 * @param {Tree} tree @param {Numbers} labels
 */
function sharedLabels(tree, labels) {
  const shared = new Int32Array(tree.nodeCount).fill(-2);
  shared.set(labels);
  for (let node = 0; node < tree.root; node++) {
    const above = tree.parent[node];
    if (shared[above] === -2) shared[above] = shared[node];
    else if (shared[above] !== shared[node]) shared[above] = -1;
  }
  return shared;
}
