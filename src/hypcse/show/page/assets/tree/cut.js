// Flat cuts, one for every number of clusters, each inside the one before. The levels of the page are on the way: what a
// coarser level splits is split first. Between two levels, and without any, the rule is that of Python's
// Tree.cut(n_clusters=k): the highest node first, of equally high nodes the one with the larger id, while at most k
// clusters result. Labels are numbered by smallest leaf.

import { Partition } from "./partition.js";
/** @import { Tree } from "./tree.js" */

export class Cuts {
  /**
   * Levels whose clusters are not all subtrees are on no way of splitting nodes, and are passed by.
   * @param {Tree} tree @param {Partition[]} levels Coarse to fine.
   */
  constructor(tree, levels) {
    this.tree = tree;
    this.passed = levels.filter((level) => level.ofSubtrees);
    this.rank = this.rankSplits();
    this.order = new Int32Array(tree.nodeCount - tree.leafCount);
    this.clustersAfter = new Int32Array(this.order.length);
    this.orderSplits();
    this.color = new Int32Array(tree.nodeCount);
    this.numberColors();
    for (const level of this.passed) level.colors = level.colorsFrom(this.color);
  }

  /** The first level that splits each node, from 0; the number of levels where none does. */
  rankSplits() {
    const rank = new Int32Array(this.tree.nodeCount).fill(this.passed.length);
    for (let k = this.passed.length - 1; k >= 0; k--) {
      const { ofNode } = this.passed[k];
      for (let node = this.tree.leafCount; node < rank.length; node++) if (ofNode[node] < 0) rank[node] = k;
    }
    return rank;
  }

  /** order: internal nodes in the order in which they are split; clustersAfter: clusters after each of these splits. */
  orderSplits() {
    const { tree, rank } = this;
    for (let k = 0; k < this.order.length; k++) this.order[k] = tree.leafCount + k;
    this.order.sort((a, b) => rank[a] - rank[b] || tree.height[b] - tree.height[a] || b - a);
    const degree = new Int32Array(tree.nodeCount);
    for (let node = 0; node < tree.root; node++) degree[tree.parent[node]]++;
    let clusters = 1;
    this.order.forEach((node, k) => { this.clustersAfter[k] = clusters += degree[node] - 1; });
  }

  /**
   * A color number for every node that does not depend on k: at a split one child keeps its parent's color and the
   * others take the next ones. The clusters of a cut into k have the colors 0 .. k - 1, each once.
   */
  numberColors() {
    const { tree } = this;
    const weight = this.weighHeirs();
    let next = 1;
    for (const node of this.order) {
      const heir = this.heirOf(node, weight);
      for (let child = tree.firstChild[node]; child >= 0; child = tree.nextSibling[child]) {
        this.color[child] = child === heir ? this.color[node] : next++;
      }
    }
  }

  /** Leaves of the largest cluster inside a node at the level that splits it; below the levels, all its leaves. */
  weighHeirs() {
    const { tree } = this;
    const weight = Int32Array.from(tree.size);
    for (let node = tree.leafCount; node < tree.nodeCount; node++) {
      if (this.rank[node] === this.passed.length) continue;
      weight[node] = 0;
      for (let child = tree.firstChild[node]; child >= 0; child = tree.nextSibling[child]) {
        weight[node] = Math.max(weight[node], this.weightAt(child, node, weight));
      }
    }
    return weight;
  }

  /**
   * What counts of a child at the level that splits its parent: a child that this level leaves whole counts as such.
   * @param {number} child @param {number} node @param {Int32Array} weight
   */
  weightAt(child, node, weight) {
    return this.rank[child] > this.rank[node] ? this.tree.size[child] : weight[child];
  }

  /**
   * The child that keeps the color: the one with the largest cluster of the next level, the first where several tie.
   * @param {number} node @param {Int32Array} weight
   */
  heirOf(node, weight) {
    const { tree } = this;
    let [heir, most] = [-1, -1];
    for (let child = tree.firstChild[node]; child >= 0; child = tree.nextSibling[child]) {
      const own = this.weightAt(child, node, weight);
      if (own > most) [heir, most] = [child, own];
    }
    return heir;
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
    return new Partition(tree, labelsOf(tree, top), this.color);
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
