// What nodes are called: the names that people gave, here or with the tree, else what columns say of a node, else one of
// its leaves, else its rank by size.

/**
 * @import { Facts } from "./facts.js"
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
    /** @type {Map<number, number> | null} */
    this.ranks = null;
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
   * The name by columns, or by a leaf or its size where columns say nothing; made once.
   * @param {number} node
   */
  automatic(node) {
    if (node === this.tree.root) return "Root";
    const made = this.made.get(node) ?? (this.byColumns(node) || this.byLeaf(node));
    this.made.set(node, made);
    return made;
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
    return this.own(node) ?? (node === this.tree.root ? "" : this.byColumns(node));
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

  /** @param {number} node */
  byLeaf(node) {
    const count = (/** @type {number} */ n) => n.toLocaleString("en");
    const size = this.tree.size[node];
    if (!this.tree.names) return `cluster ${count(this.rank(node))} (${count(size)})`;
    const [leaf] = this.facts.exemplars(node);
    return `${this.tree.leafName(leaf) || "(no name)"} and ${count(size - 1)} more`;
  }

  /**
   * The place of an inner node among all by size, the largest below the root first.
   * @param {number} node
   */
  rank(node) {
    if (!this.ranks) {
      const { leafCount, root, size } = this.tree;
      const inner = Array.from({ length: root - leafCount }, (_, k) => leafCount + k);
      inner.sort((a, b) => size[b] - size[a] || b - a);
      this.ranks = new Map(inner.map((one, k) => [one, k + 1]));
    }
    return this.ranks.get(node) ?? 1;
  }
}
