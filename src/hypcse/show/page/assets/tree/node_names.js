// What nodes are called: the names that people gave, here or with the tree, else what columns say of the cluster shown
// or of the node, else one of its leaves, else the number of the cluster or node.

import { grouped } from "./numbers.js";
/**
 * @import { Facts } from "./facts.js"
 * @import { Partition } from "./partition.js"
 * @import { Page } from "./payload.js"
 * @import { Tree } from "./tree.js"
 */

export class NodeNames {
  /** @param {Tree} tree @param {Page} page @param {Facts} facts */
  constructor(tree, page, facts) {
    this.tree = tree;
    this.table = page.table;
    this.facts = facts;
    this.given = page.nodeNames;
    /** @type {Map<number, string>} */
    this.edited = new Map();
    /** @type {Map<number, string>} */
    this.made = new Map();
    /** @type {Partition | null} The clusters shown. */
    this.partition = null;
  }

  /**
   * What to call a node; a leaf has its own name.
   * @param {number} node
   */
  title(node) {
    if (this.tree.isLeaf(node)) return this.tree.leafName(node);
    return this.own(node) ?? this.automatic(node);
  }

  /**
   * The name that somebody gave to a node; null where nobody did.
   * @param {number} node
   */
  own(node) {
    return this.edited.get(node) ?? this.given.get(node) ?? null;
  }

  /**
   * The name by columns, or where these say nothing by a leaf or a number.
   * @param {number} node
   */
  automatic(node) {
    const { tree } = this;
    if (node === tree.root) return `all ${grouped(tree.leafCount)} leaves`;
    return this.ofCluster(node) || this.byColumns(node) || (tree.names ? this.byLeaf(node) : this.byNumber(node));
  }

  /**
   * What `describe` calls the cluster that a node is; empty where it is none, or columns name none of these clusters.
   * @param {number} node
   */
  ofCluster(node) {
    const label = this.clusterOf(node);
    return label < 0 ? "" : this.partition?.names?.[label] ?? "";
  }

  /**
   * The cluster shown that a node stands for; -1 for none.
   * @param {number} node
   */
  clusterOf(node) {
    const label = this.partition?.ofNodes ? this.partition.ofNode[node] : -1;
    return label >= 0 && this.partition?.tops[label] === node ? label : -1;
  }

  /**
   * Give a name; an empty one, or the one that the node had without, takes back what was given on the page.
   * @param {number} node @param {string} name
   */
  rename(node, name) {
    this.edited.delete(node);
    if (name && name !== this.title(node)) this.edited.set(node, name);
  }

  /**
   * Names worth keeping in a file: those that somebody gave, and those by columns.
   * @param {number} node
   */
  kept(node) {
    if (this.tree.isLeaf(node)) return "";
    return this.own(node) ?? (node === this.tree.root ? "" : this.ofCluster(node) || this.byColumns(node));
  }

  /**
   * All nodes that have a name of their own.
   * @returns {Map<number, string>}
   */
  named() {
    return new Map([...this.given, ...this.edited]);
  }

  /**
   * What columns say of a node; empty where they say nothing.
   * @param {number} node
   */
  byColumns(node) {
    const row = this.table?.row.get(node);
    return row === undefined ? "" : this.table?.said?.[row] ?? "";
  }

  /**
   * By the leaf that stands for a node; made once.
   * @param {number} node
   */
  byLeaf(node) {
    const { tree, facts, made } = this;
    const name = made.get(node)
      ?? `${tree.leafName(facts.exemplars(node)[0]) || "(no name)"} and ${grouped(tree.size[node] - 1)} more`;
    made.set(node, name);
    return name;
  }

  /**
   * As `describe` calls clusters of unnamed points; other nodes by their own number.
   * @param {number} node
   */
  byNumber(node) {
    const label = this.clusterOf(node);
    if (label < 0 || !this.partition) return `node ${node} (${grouped(this.tree.size[node])})`;
    return `cluster ${label} (${grouped(this.partition.sizes[label])})`;
  }
}
