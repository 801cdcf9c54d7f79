// The tree: leaves are nodes 0 .. n - 1, every child stands before its parent, the root is last. Because of that order
// every walk here is one loop over an array: no recursion, whatever the depth.

/** @import { Numbers, Page } from "./payload.js" */

export class Tree {
  /** @param {Pick<Page, "parent" | "innerHeight" | "names" | "unit" | "joinedFrom">} page */
  constructor({ parent, innerHeight, names, unit, joinedFrom }) {
    this.parent = parent;
    this.nodeCount = parent.length;
    this.root = parent.length - 1;
    this.leafCount = parent.length - innerHeight.length;
    this.height = new Float64Array(parent.length);
    this.height.set(innerHeight, this.leafCount);
    this.names = names;
    this.unit = unit;
    this.joinedFrom = joinedFrom;
    this.firstChild = new Int32Array(this.nodeCount).fill(-1);
    this.nextSibling = new Int32Array(this.nodeCount).fill(-1);
    this.linkChildren();
    this.size = new Int32Array(this.nodeCount).fill(1, 0, this.leafCount);
    this.first = new Int32Array(this.nodeCount);
    this.leafAt = new Int32Array(this.leafCount);
    this.placeLeaves();
    this.depth = new Int32Array(this.nodeCount);
    this.deepest = 0;
    this.measureDepth();
  }

  /** firstChild and nextSibling of every node, -1 where there is none; children in the order of their ids. */
  linkChildren() {
    for (let node = this.root - 1; node >= 0; node--) {
      this.nextSibling[node] = this.firstChild[this.parent[node]];
      this.firstChild[this.parent[node]] = node;
    }
  }

  /** size: leaves under a node; first: position of the leftmost of them; leafAt: the leaf at each position. */
  placeLeaves() {
    for (let node = 0; node < this.root; node++) this.size[this.parent[node]] += this.size[node];
    const free = Int32Array.from(this.size);
    for (let node = this.root - 1; node >= 0; node--) {
      const above = this.parent[node];
      free[above] -= this.size[node];
      this.first[node] = this.first[above] + free[above];
    }
    for (let leaf = 0; leaf < this.leafCount; leaf++) this.leafAt[this.first[leaf]] = leaf;
  }

  /** depth: branches between a node and the root. */
  measureDepth() {
    for (let node = this.root - 1; node >= 0; node--) {
      this.depth[node] = this.depth[this.parent[node]] + 1;
      this.deepest = Math.max(this.deepest, this.depth[node]);
    }
  }

  /** @param {number} node */
  isLeaf(node) {
    return node < this.leafCount;
  }

  /** @param {number} leaf */
  leafName(leaf) {
    return this.names ? this.names[leaf] : String(leaf);
  }

  /** @param {number} node */
  children(node) {
    const found = [];
    for (let child = this.firstChild[node]; child >= 0; child = this.nextSibling[child]) found.push(child);
    return found;
  }

  /**
   * The child with the most leaves, the first of them where several tie; -1 at a leaf.
   * @param {number} node
   */
  largestChild(node) {
    let best = -1;
    for (let child = this.firstChild[node]; child >= 0; child = this.nextSibling[child]) {
      if (best < 0 || this.size[child] > this.size[best]) best = child;
    }
    return best;
  }

  /**
   * The sibling `step` places on, around the end; the node itself where it has none.
   * @param {number} node @param {number} step
   */
  sibling(node, step) {
    if (node === this.root) return node;
    const family = this.children(this.parent[node]);
    return family[(family.indexOf(node) + step + family.length) % family.length];
  }

  /**
   * Leaves under a node from left to right, a view into one shared array.
   * @param {number} node
   */
  leavesInOrder(node) {
    return this.leafAt.subarray(this.first[node], this.first[node] + this.size[node]);
  }

  /**
   * The node whose leaves fit a set of leaves best: the greatest share of what is in the set or under it (Jaccard).
   * @param {(leaf: number) => boolean} isMember
   */
  bestNode(isMember) {
    const own = new Uint8Array(this.nodeCount);
    for (let leaf = 0; leaf < this.leafCount; leaf++) own[leaf] = isMember(leaf) ? 1 : 0;
    const inside = this.subtreeSums(own);
    let [best, found] = [-1, this.root];
    for (let node = 0; node < this.nodeCount; node++) {
      const share = inside[node] / (inside[this.root] + this.size[node] - inside[node]);
      if (share > best) [best, found] = [share, node];
    }
    return found;
  }

  /**
   * Sum over the subtree of each node of one value per node.
   * @param {Numbers} values
   */
  subtreeSums(values) {
    const total = Float64Array.from(values);
    for (let node = 0; node < this.root; node++) total[this.parent[node]] += total[node];
    return total;
  }
}
