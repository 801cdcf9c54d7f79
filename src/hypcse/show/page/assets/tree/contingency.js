// Clusters against labels that came with the leaves: how many leaves each pair has, and what follows from that.

/**
 * @import { Partition } from "./partition.js"
 * @import { Labeling } from "./payload.js"
 */

const DENSE_PAIRS = 1_000_000; // Pairs up to which all of them are counted in one array.

/** @typedef {{ label: number, code: number, count: number }} Pair A cluster, a label and the leaves that have both. */

/**
 * All pairs that have leaves, the most frequent first. Leaves whose label is unknown do not count.
 * @param {Partition} partition @param {Labeling} labeling @returns {Pair[]}
 */
export function countPairs(partition, { codes, names }) {
  const width = names.length;
  const size = partition.sizes.length * width;
  const counts = size <= DENSE_PAIRS ? new Uint32Array(size) : new Map();
  partition.labels.forEach((label, leaf) => {
    if (codes[leaf] >= width) return;
    const key = label * width + codes[leaf];
    if (counts instanceof Map) counts.set(key, (counts.get(key) || 0) + 1);
    else counts[key]++;
  });
  /** @type {Pair[]} */
  const pairs = [];
  /** @param {number} count @param {number} key */
  const take = (count, key) => { if (count) pairs.push({ label: Math.floor(key / width), code: key % width, count }); };
  counts.forEach(take);
  return pairs.sort((a, b) => b.count - a.count || a.label - b.label || a.code - b.code);
}

/**
 * A color number for each label: that of the cluster which it shares most leaves with, one label per cluster. Labels
 * that are left over take numbers that no cluster has. So a color never means two things at once.
 * @param {Partition} partition @param {Labeling} labeling @param {Pair[]} pairs
 */
export function matchedColors(partition, labeling, pairs) {
  const colors = new Int32Array(labeling.names.length).fill(-1);
  const taken = new Set();
  for (const { label, code } of pairs) {
    if (colors[code] >= 0 || taken.has(label)) continue;
    colors[code] = partition.colors[label];
    taken.add(label);
  }
  let next = partition.count;
  return colors.map((color) => (color < 0 ? next++ : color));
}

/**
 * Adjusted Rand index of clusters and labels: 1 where they agree, about 0 where they are alike by chance alone.
 * @param {Pair[]} pairs
 */
export function adjustedRand(pairs) {
  /** @param {number} count */
  const choose = (count) => (count * (count - 1)) / 2;
  /** @param {"label" | "code"} key */
  const within = (key) => {
    /** @type {Map<number, number>} */
    const sums = new Map();
    for (const pair of pairs) sums.set(pair[key], (sums.get(pair[key]) || 0) + pair.count);
    return Array.from(sums.values()).reduce((sum, count) => sum + choose(count), 0);
  };
  const together = pairs.reduce((sum, { count }) => sum + choose(count), 0);
  const all = choose(pairs.reduce((sum, { count }) => sum + count, 0));
  const [rows, columns] = [within("label"), within("code")];
  const expected = all ? (rows * columns) / all : 0;
  const most = (rows + columns) / 2;
  return most === expected ? 1 : (together - expected) / (most - expected);
}
