// Newick text of a subtree, as Python's Tree.to_newick writes it.

/** @import { Tree } from "./tree.js" */

/**
 * A name as a label: bare where that is safe, in quotes otherwise. A bare underscore would mean a blank.
 * @param {string} name
 */
function newickName(name) {
  return /^[A-Za-z0-9.+-]+$/.test(name) ? name : `'${name.replaceAll("'", "''")}'`;
}

/**
 * The text of the subtree under `top`; an explicit stack walks it, so its depth does not matter.
 * @param {Tree} tree @param {number} top
 */
export function newick(tree, top) {
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
    stack.push(`)${branch}`);
    const children = tree.children(entry);
    for (let k = children.length - 1; k >= 0; k--) {
      stack.push(children[k]);
      if (k > 0) stack.push(",");
    }
  }
  return `${words.join("")};`;
}
