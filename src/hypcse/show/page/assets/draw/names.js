// Names of leaves and marks, on a canvas that lies over the picture. Names are drawn as text and never parsed.

import { LOOKS } from "./palette.js";
/**
 * @import { Tree } from "../tree/tree.js"
 * @import { DendrogramView } from "./dendrogram.js"
 * @import { DiskView } from "./disk.js"
 * @import { Look } from "./palette.js"
 */

/** @typedef {DiskView | DendrogramView} View */
/**
 * Where the name of a leaf has room: its place, direction and length in pixels, and whether it ends or begins there.
 * @typedef {{ leaf: number, x: number, y: number, angle: number, atEnd: boolean, room: number }} Slot
 */

export const NAME_FONT = "system-ui, sans-serif";
export const MOST_NAMES = 400;
const LONGEST_NAME = 28;
export const LETTER = 0.58; // Width of a letter over its size, about.

/**
 * A name as it fits: control characters as blanks, long ones cut.
 * @param {string} name
 */
export function shortName(name, longest = LONGEST_NAME) {
  const plain = name.replace(/\p{Cc}/gu, " ");
  const signs = Array.from(plain);
  return signs.length > longest ? `${signs.slice(0, longest - 1).join("")}…` : plain;
}

/**
 * The name of a leaf as it fits into its slot.
 * @param {Slot} slot @param {View} view @param {Tree} tree
 */
export function slotName(slot, view, tree) {
  const fits = Math.floor(slot.room / (LETTER * view.nameSize));
  return shortName(tree.leafName(slot.leaf), Math.min(Math.max(fits, 3), LONGEST_NAME));
}

/** @param {CanvasRenderingContext2D} context @param {View} view @param {Tree} tree @param {Look} look */
export function paintNames(context, view, tree, look) {
  context.fillStyle = LOOKS[look].ink;
  context.textBaseline = "middle";
  context.font = `${view.nameSize}px ${NAME_FONT}`;
  for (const slot of view.nameSlots(MOST_NAMES)) {
    context.save();
    context.translate(slot.x, slot.y);
    context.rotate(slot.angle);
    context.textAlign = slot.atEnd ? "right" : "left";
    context.fillText(slotName(slot, view, tree), 0, 0);
    context.restore();
  }
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
