// A subtree as Newick text, as Python's Tree.to_newick writes it, with the names of nodes behind their parentheses; and
// the whole tree as JSON text, which Tree.from_json reads.

/**
 * @import { NodeNames } from "./node_names.js"
 * @import { Tree } from "./tree.js"
 */

/**
 * A name as a label: bare where that is safe, in quotes otherwise. A bare underscore would mean a blank.
 * @param {string} name
 */
function newickName(name) {
  return /^[A-Za-z0-9.+-]+$/.test(name) ? name : `'${name.replaceAll("'", "''")}'`;
}

/**
 * The text of the subtree under `top`; an explicit stack walks it, so its depth does not matter.
 * @param {Tree} tree @param {number} top @param {NodeNames} names
 */
export function newick(tree, top, names) {
  const words = [];
  /** @type {(number | string)[]} */
  const stack = [top];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    if (typeof entry === "string") {
      words.push(entry);
      continue;
    }
    const branch = entry === top ? "" : `:${tree.height[tree.parent[entry]] - tree.height[entry]}`;
    if (tree.isLeaf(entry)) {
      words.push(newickName(tree.leafName(entry)) + branch);
      continue;
    }
    words.push("(");
    const name = names.kept(entry);
    stack.push(`)${name && newickName(name)}${branch}`);
    const children = tree.children(entry);
    for (let k = children.length - 1; k >= 0; k--) {
      stack.push(children[k]);
      if (k > 0) stack.push(",");
    }
  }
  return `${words.join("")};`;
}

/**
 * The whole tree, with its node numbers and the names of nodes by number.
 * @param {Tree} tree @param {NodeNames} names
 */
export function treeJson(tree, names) {
  /** @type {Record<number, string>} */
  const kept = {};
  for (let node = tree.leafCount; node < tree.nodeCount; node++) {
    const name = names.kept(node);
    if (name) kept[node] = name;
  }
  return JSON.stringify({
    format: "hypcse-tree", version: 1, parent: Array.from(tree.parent), height: Array.from(tree.height),
    names: tree.names, unit: tree.unit, joined_from: tree.joinedFrom, node_names: kept,
  });
}
