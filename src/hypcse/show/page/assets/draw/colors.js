// The color of every node: by cut, by labels that came with the leaves, or by depth.

import { LOOKS, mixColors, packHex, paletteColor, rampColor } from "./palette.js";
/**
 * @import { Partition } from "../tree/partition.js"
 * @import { Labeling } from "../tree/payload.js"
 * @import { Tree } from "../tree/tree.js"
 * @import { Look } from "./palette.js"
 */

/** @typedef {string} Mode What colors stand for: "cut", "depth", or the id of labels that came with the leaves. */
/** @typedef {{ share: Float32Array, winner: Int32Array }} Majorities */

/**
 * Packed colors by color number, and gray behind them, for what is unknown or mixed.
 * @param {ArrayLike<number>} numbers @param {Look} look
 */
export function paletteOf(numbers, look) {
  const palette = new Uint32Array(numbers.length + 1).fill(packHex(LOOKS[look].trunk));
  for (let k = 0; k < numbers.length; k++) palette[k] = paletteColor(numbers[k], look);
  return palette;
}

/** @param {Partition} partition @param {Look} look */
export function colorByCut(partition, look) {
  const palette = paletteOf(partition.colors, look);
  return Uint32Array.from(partition.ofNode, (label) => palette[label < 0 ? palette.length - 1 : label]);
}

/**
 * A node takes the color of its most frequent label, the paler the more its leaves are mixed; gray without any.
 * @param {Majorities} majorities @param {Uint32Array} palette
 */
export function colorByLabel({ share, winner }, palette) {
  const trunk = palette[palette.length - 1];
  return Uint32Array.from(winner, (code, node) => mixColors(palette[code], trunk, 1.25 * (1 - share[node])));
}

/**
 * The most frequent class under each node and its share among the leaves whose class is known; a code beyond the names
 * is none. Small counts are merged into large ones, from the leaves up, so that all nodes together take O(n log n).
 * @param {Tree} tree @param {Labeling} classes @returns {Majorities}
 */
export function majorities(tree, classes) {
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
export function colorByDepth(tree, look) {
  const steps = Uint32Array.from({ length: 64 }, (_, k) => rampColor(k / 63, look));
  const scale = 63 / Math.max(tree.deepest, 1);
  return Uint32Array.from(tree.depth, (depth) => steps[Math.round(depth * scale)]);
}

/**
 * The colors, pale at nodes that have none of these leaves.
 * @param {Tree} tree @param {Uint32Array} colors @param {Int32Array} leaves @param {Look} look
 */
export function fadeOthers(tree, colors, leaves, look) {
  const own = new Uint8Array(tree.nodeCount);
  for (const leaf of leaves) own[leaf] = 1;
  const inside = tree.subtreeSums(own);
  const ground = packHex(LOOKS[look].ground);
  return colors.map((color, node) => (inside[node] ? color : mixColors(color, ground, 0.75)));
}

/**
 * How many colors the leaves have.
 * @param {Tree} tree @param {Uint32Array} colors
 */
export function countColors(tree, colors) {
  return new Set(colors.subarray(0, tree.leafCount)).size;
}
