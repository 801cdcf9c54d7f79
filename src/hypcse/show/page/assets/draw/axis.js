// The axis of heights below a dendrogram: what it can show, its numbers and its title.

import { LETTER, NAME_FONT } from "./names.js";
import { LOOKS } from "./palette.js";
/**
 * @import { Numbers, Page } from "../tree/payload.js"
 * @import { Tree } from "../tree/tree.js"
 * @import { DendrogramView } from "./dendrogram.js"
 * @import { View } from "./names.js"
 * @import { Look } from "./palette.js"
 */

/** @typedef {{ height: Numbers, title: string, note: string }} Axis What is drawn as height, one number per node. */
/** @typedef {"tree" | "distance"} AxisKind */
/** @typedef {{ x: number, y: number, text: string }} AxisMark */

export const AXIS_ROOM = 46; // Pixels below the leaves for the axis.
export const AXIS_LETTERS = 10; // Size of its letters in pixels.

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
 * @param {DendrogramView} view @returns {{ ticks: AxisMark[], title: AxisMark }}
 */
export function axisMarks(view) {
  const rough = view.window.left / Math.max(view.width / 110, 2);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((unit) => unit * power >= rough) ?? 10);
  const ticks = [];
  for (let k = 0; k * step <= view.window.left * 1.0001; k++) {
    ticks.push({ x: view.screenX(k * step), y: view.height - 27, text: String(+(k * step).toPrecision(6)) });
  }
  return { ticks, title: { x: view.width / 2, y: view.height - 12, text: axisTitle(view) } };
}

/**
 * The title, with its note where the picture is wide enough for both.
 * @param {DendrogramView} view
 */
function axisTitle({ axis, width }) {
  const whole = axis.note ? `${axis.title} (${axis.note})` : axis.title;
  return whole.length * LETTER * AXIS_LETTERS < width - 20 ? whole : axis.title;
}

/** @param {CanvasRenderingContext2D} context @param {View} view @param {Look} look */
export function paintAxis(context, view, look) {
  if (!view.axis) return;
  const { ticks, title } = axisMarks(view);
  context.fillStyle = LOOKS[look].ink;
  context.strokeStyle = LOOKS[look].rim;
  context.lineWidth = 1;
  context.font = `${AXIS_LETTERS}px ${NAME_FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const tick of ticks) {
    context.beginPath();
    context.moveTo(tick.x, tick.y - 14);
    context.lineTo(tick.x, tick.y - 9);
    context.stroke();
    context.fillText(tick.text, tick.x, tick.y);
  }
  context.fillText(title.text, title.x, title.y);
}
