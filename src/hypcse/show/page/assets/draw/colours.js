// The colour of every node: by cut, by class, or by depth.

import { LOOKS, mixColours, packHex, paletteColour, rampColour } from "./palette.js";
/**
 * @import { Partition } from "../tree/cut.js"
 * @import { Classes, Page } from "../tree/payload.js"
 * @import { Tree } from "../tree/tree.js"
 * @import { Look } from "./palette.js"
 */

/** @typedef {"cut" | "class" | "depth"} Mode What colours stand for. */

/**
 * One packed colour per node.
 * @param {Tree} tree @param {Page} page @param {Partition} partition @param {Mode} mode @param {Look} look
 */
export function colourNodes(tree, page, partition, mode, look) {
  if (mode === "class" && page.classes) return colourByClass(tree, page.classes, look);
  if (mode === "depth") return colourByDepth(tree, look);
  return colourByCut(tree, partition, look);
}

/** @param {Tree} tree @param {Partition} partition @param {Look} look */
function colourByCut(tree, partition, look) {
  const trunk = packHex(LOOKS[look].trunk);
  const palette = Uint32Array.from(partition.colours, (index) => paletteColour(index, look));
  return Uint32Array.from(partition.ofNode, (label) => (label < 0 ? trunk : palette[label]));
}

/**
 * A node takes the colour of its most frequent class, the paler the more its leaves are mixed; grey without any.
 * @param {Tree} tree @param {Classes} classes @param {Look} look
 */
function colourByClass(tree, classes, look) {
  const trunk = packHex(LOOKS[look].trunk);
  const palette = [...classes.names.map((_, code) => paletteColour(code, look)), trunk];
  const { share, winner } = majorities(tree, classes);
  return Uint32Array.from(winner, (code, node) => mixColours(palette[code], trunk, 1.25 * (1 - share[node])));
}

/**
 * The most frequent class under each node and its share among the leaves whose class is known; a code beyond the names
 * is none. Small counts are merged into large ones, from the leaves up, so that all nodes together take O(n log n).
 * @param {Tree} tree @param {Classes} classes
 */
function majorities(tree, classes) {
  /** @type {(Map<number, number> | null)[]} */
  const counts = new Array(tree.nodeCount).fill(null);
  const winner = new Int32Array(tree.nodeCount);
  const share = new Float32Array(tree.nodeCount).fill(1);
  winner.set(classes.codes);
  /** @param {number} leaf */
  const isKnown = (leaf) => winner[leaf] < classes.names.length;
  /** @param {number} leaf @returns {[number, number][]} */
  const ofLeaf = (leaf) => (isKnown(leaf) ? [[winner[leaf], 1]] : []);
  const known = tree.subtreeSums(winner.map((_, node) => (node < tree.leafCount && isKnown(node) ? 1 : 0)));
  for (let node = tree.leafCount; node < tree.nodeCount; node++) {
    const heir = tree.largestChild(node);
    const own = counts[heir] || new Map(ofLeaf(heir));
    let best = winner[heir];
    for (let child = tree.firstChild[node]; child >= 0; child = tree.nextSibling[child]) {
      if (child === heir) continue;
      for (const [code, count] of counts[child] || ofLeaf(child)) {
        const sum = (own.get(code) || 0) + count;
        own.set(code, sum);
        if (sum > (own.get(best) || 0)) best = code;
      }
      counts[child] = null;
    }
    counts[heir] = null;
    counts[node] = own;
    winner[node] = best;
    share[node] = known[node] ? (own.get(best) || 0) / known[node] : 1;
  }
  return { share, winner };
}

/** @param {Tree} tree @param {Look} look */
function colourByDepth(tree, look) {
  const steps = Uint32Array.from({ length: 64 }, (_, k) => rampColour(k / 63, look));
  const scale = 63 / Math.max(tree.deepest, 1);
  return Uint32Array.from(tree.depth, (depth) => steps[Math.round(depth * scale)]);
}

/**
 * How many colours the leaves have.
 * @param {Tree} tree @param {Uint32Array} colours
 */
export function countColours(tree, colours) {
  return new Set(colours.subarray(0, tree.leafCount)).size;
}
