// What nodes are called: the names that people gave, here or with the tree, else the columns that set a node apart from
// its siblings, else one of its leaves.

/**
 * @import { Facts } from "./facts.js"
 * @import { Page } from "./payload.js"
 * @import { Tree } from "./tree.js"
 */

const LEAST_SHIFT = 0.3; // Deviations between siblings below which a column names neither.
const LEAST_SHARE = 0.5; // Of the first column's shift, below which a second one is left out.

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
   * The name by columns, or by a leaf where columns say nothing; made once.
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
   * The columns that set a node apart from its siblings, in words; empty where none is known.
   * @param {number} node
   */
  byColumns(node) {
    const row = this.table?.row.get(node);
    if (!this.table?.siblings || row === undefined) return "";
    const { siblings, names } = this.table;
    const words = [];
    const most = Math.abs(siblings.shift[row * siblings.told]);
    for (let k = row * siblings.told; k < (row + 1) * siblings.told; k++) {
      if (Math.abs(siblings.shift[k]) < Math.max(LEAST_SHIFT, LEAST_SHARE * most)) break;
      words.push(`${siblings.words[siblings.word[k]]}${names[siblings.column[k]]}`);
    }
    return words.join(", ");
  }

  /** @param {number} node */
  byLeaf(node) {
    const [leaf] = this.facts.exemplars(node);
    const name = this.tree.names ? this.tree.leafName(leaf) || "(no name)" : `leaf ${leaf}`;
    return `${name} and ${(this.tree.size[node] - 1).toLocaleString("en")} more`;
  }
}
