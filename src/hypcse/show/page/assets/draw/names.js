// Names of leaves and clusters as words over the picture, and the marks of nodes.

import { LOOKS } from "./palette.js";
import { LETTER, shortText, textWidth } from "./words.js";
/**
 * @import { NodeNames } from "../tree/node_names.js"
 * @import { Partition } from "../tree/partition.js"
 * @import { Tree } from "../tree/tree.js"
 * @import { DendrogramView } from "./dendrogram/dendrogram.js"
 * @import { DiskView } from "./disk/disk.js"
 * @import { Look } from "./palette.js"
 * @import { Word } from "./words.js"
 */

/** @typedef {DiskView | DendrogramView} View */
/**
 * Where the name of a leaf has room: its place, direction and length in pixels, and whether it ends or begins there.
 * @typedef {{ leaf: number, x: number, y: number, angle: number, atEnd: boolean, room: number }} Slot
 */

const MOST_NAMES = 400;
const LONGEST_NAME = 28;
const NAMED_CLUSTERS = 40; // Clusters that have names in the picture, the largest.
const LONGEST_TITLE = 36;
const LEAST_TITLE = 8; // Letters below which a name says nothing.
const TITLE_SIZE = 11;

/**
 * All words over the picture: names of leaves, of clusters and of the selected leaf, the axis, and headings.
 * @param {View} view @param {Tree} tree @param {Partition} partition @param {NodeNames} names @param {number} selected
 * @returns {Word[]}
 */
export function pictureWords(view, tree, partition, names, selected) {
  const words = [...leafWords(view, tree), ...view.words(), ...clusterWords(view, tree, partition, names)];
  const text = selected >= 0 && tree.isLeaf(selected) ? shortText(tree.leafName(selected), LONGEST_NAME) : "";
  if (!text || words.some((word) => word.text === text)) return words;
  const [x, y] = view.position(selected);
  const side = x + 12 + textWidth(text, TITLE_SIZE) > view.width ? -1 : 1;
  return [...words, { x: x + 12 * side, y, text, size: TITLE_SIZE, rim: true, anchor: side < 0 ? "end" : "start" }];
}

/**
 * Names of leaves, where there is room for them.
 * @param {View} view @param {Tree} tree @returns {Word[]}
 */
function leafWords(view, tree) {
  return view.nameSlots(MOST_NAMES).map(({ leaf, x, y, angle, atEnd, room }) => {
    const fits = Math.floor(room / (LETTER * view.nameSize));
    const text = shortText(tree.leafName(leaf), Math.min(Math.max(fits, 3), LONGEST_NAME));
    return { x, y, text, angle, anchor: atEnd ? "end" : "start", size: view.nameSize };
  });
}

/**
 * Names of the clusters of several leaves, largest first, as far as they do not cover each other.
 * @param {View} view @param {Tree} tree @param {Partition} partition @param {NodeNames} names
 */
function clusterWords(view, tree, partition, names) {
  if (!partition.ofNodes || partition.count < 2) return [];
  /** @type {Word[]} */
  const words = [];
  /** @type {[number, number, number, number][]} */
  const boxes = [];
  for (const label of partition.bySize().slice(0, NAMED_CLUSTERS)) {
    const node = partition.tops[label];
    if (tree.isLeaf(node)) break;
    const fits = Math.floor(view.titleRoom(node) / (LETTER * TITLE_SIZE));
    if (fits < LEAST_TITLE) continue;
    const text = shortText(names.title(node), Math.min(fits, LONGEST_TITLE));
    const width = textWidth(text, TITLE_SIZE);
    const [x, y] = view.titlePlace(node, width);
    /** @type {[number, number, number, number]} */
    const box = [x, y - 8, x + width, y + 8];
    const hidden = box[0] < 0 || box[1] < 0 || box[2] > view.width || box[3] > view.height;
    if (hidden || boxes.some((other) => overlap(box, other))) continue;
    boxes.push(box);
    words.push({ x, y, text, size: TITLE_SIZE, rim: true });
  }
  return words;
}

/** @param {number[]} first @param {number[]} second */
function overlap(first, second) {
  return first[0] < second[2] && second[0] < first[2] && first[1] < second[3] && second[1] < first[3];
}

/**
 * A ring around a node, and for the selected one the way to the root.
 * @param {CanvasRenderingContext2D} context @param {View} view @param {number} node @param {Look} look
 * @param {boolean} selected
 */
export function paintMark(context, view, node, look, selected) {
  if (node < 0) return;
  context.strokeStyle = LOOKS[look].accent;
  if (selected) {
    context.lineWidth = 1.6;
    context.beginPath();
    view.pathToRoot(node).forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
  }
  const [x, y] = view.position(node);
  context.lineWidth = selected ? 2.5 : 1.5;
  context.beginPath();
  context.arc(x, y, selected ? 7 : 6, 0, 2 * Math.PI);
  context.stroke();
}
