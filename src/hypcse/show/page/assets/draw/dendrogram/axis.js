// The axis of heights below a dendrogram: what it can show, its numbers and its title.

import { LOOKS, packHex } from "../palette.js";
import { textWidth } from "../words.js";
/**
 * @import { Numbers, Page } from "../../tree/payload.js"
 * @import { Tree } from "../../tree/tree.js"
 * @import { DendrogramView } from "./dendrogram.js"
 * @import { Look } from "../palette.js"
 * @import { Scene } from "../scene.js"
 * @import { Word } from "../words.js"
 */

/** @typedef {{ height: Numbers, title: string, note: string }} Axis What is drawn as height, one number per node. */
/** @typedef {"tree" | "distance"} AxisKind */

export const AXIS_ROOM = 46; // Pixels below the leaves for the axis.
const AXIS_LETTERS = 10; // Size of its letters in pixels.

/**
 * What can be drawn as height: the tree's own, and the distances between joined parts where they are known.
 * @param {Tree} tree @param {Pick<Page, "heightTitle" | "distance">} page
 */
export function heightAxes(tree, { heightTitle, distance }) {
  /** @type {{ tree: Axis, distance?: Axis }} */
  const axes = { tree: { height: tree.height, title: heightTitle, note: "" } };
  if (distance) axes.distance = { height: distance.ofNode, title: distance.title, note: distance.note };
  return axes;
}

/**
 * Numbers at round heights and the title, with their places.
 * @param {DendrogramView} view @returns {{ ticks: Word[], title: Word }}
 */
export function axisMarks(view) {
  const rough = view.window.left / Math.max(view.leafX / 110, 2);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((unit) => unit * power >= rough) ?? 10);
  const ticks = [];
  for (let k = 0; k * step <= view.window.left * 1.0001; k++) {
    ticks.push(axisWord(view.screenX(k * step), view.height - 27, String(+(k * step).toPrecision(6))));
  }
  return { ticks, title: axisWord((view.screenX(view.window.left) + view.leafX) / 2, view.height - 12, axisTitle(view)) };
}

/**
 * The title, with its note where the picture is wide enough for both.
 * @param {DendrogramView} view
 */
function axisTitle({ axis, leafX }) {
  const whole = axis.note ? `${axis.title} (${axis.note})` : axis.title;
  return textWidth(whole, AXIS_LETTERS) < leafX + 20 ? whole : axis.title;
}

/** @param {number} x @param {number} y @param {string} text @returns {Word} */
function axisWord(x, y, text) {
  return { x, y, text, size: AXIS_LETTERS, anchor: "middle" };
}

/**
 * The numbers and the title.
 * @param {DendrogramView} view
 */
export function axisWords(view) {
  const { ticks, title } = axisMarks(view);
  return [...ticks, title];
}

/**
 * Short lines over the numbers.
 * @param {DendrogramView} view @param {Scene} scene @param {Look} look
 */
export function buildTicks(view, scene, look) {
  const color = packHex(LOOKS[look].rim);
  for (const { x, y } of axisMarks(view).ticks) scene.segment(x, y - 14, x, y - 9, 1, color);
}
