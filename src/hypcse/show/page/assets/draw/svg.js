// Writing a scene as SVG text.

import { AXIS_LETTERS, axisMarks } from "./axis.js";
import { dotGroups, strokeGroups } from "./canvas.js";
import { MOST_NAMES, NAME_FONT, slotName } from "./names.js";
import { LOOKS, toHex } from "./palette.js";
import { DOT_NUMBERS, SEGMENT_NUMBERS } from "./scene.js";
/**
 * @import { Tree } from "../tree/tree.js"
 * @import { StrokeGroup } from "./canvas.js"
 * @import { DendrogramView } from "./dendrogram.js"
 * @import { View } from "./names.js"
 * @import { Look } from "./palette.js"
 * @import { Scene } from "./scene.js"
 */

/** @type {Record<string, string>} */
const XML_SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

// eslint-disable-next-line no-control-regex -- control characters are what it is about
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * Text that XML takes for text: signs escaped, what XML cannot hold left out.
 * @param {string} text
 */
function xmlText(text) {
  return text.replace(NOT_IN_XML, "").replace(/[&<>"']/g, (sign) => XML_SIGNS[sign]);
}

/** @param {Scene} scene @param {View} view @param {Tree} tree @param {Look} look @param {string} title */
export function sceneToSvg(scene, view, tree, look, title) {
  const { width, height } = view;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${xmlText(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${scene.ground}"/>`,
  ];
  if (scene.disk) {
    const { x, y, radius, fill } = scene.disk;
    parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" fill="${fill}"/>`);
  }
  parts.push('<g fill="none" stroke-linecap="round">');
  for (const group of strokeGroups(scene)) parts.push(svgPath(group, scene.segments.values));
  parts.push("</g>");
  for (const [colour, rows] of dotGroups(scene)) parts.push(svgDots(toHex(colour), rows, scene.dots.values));
  parts.push(svgNames(view, tree, look), ...(view.axis ? [svgAxis(view, look)] : []), "</svg>\n");
  return parts.join("\n");
}

/** @param {number} value */
function short(value) {
  return +value.toFixed(2);
}

/** @param {StrokeGroup} group @param {Float32Array} values */
function svgPath({ colour, width, rows }, values) {
  const steps = rows.map((row) => {
    const [x0, y0, x1, y1] = Array.from(values.subarray(SEGMENT_NUMBERS * row, SEGMENT_NUMBERS * row + 4), short);
    return `M${x0} ${y0}L${x1} ${y1}`;
  });
  return `<path stroke="${toHex(colour)}" stroke-width="${width}" d="${steps.join("")}"/>`;
}

/** @param {string} colour @param {number[]} rows @param {Float32Array} values */
function svgDots(colour, rows, values) {
  const circles = rows.map((row) => {
    const [x, y, radius] = Array.from(values.subarray(DOT_NUMBERS * row, DOT_NUMBERS * (row + 1)), short);
    return `<circle cx="${x}" cy="${y}" r="${radius}"/>`;
  });
  return `<g fill="${colour}">${circles.join("")}</g>`;
}

/** @param {View} view @param {Tree} tree @param {Look} look */
function svgNames(view, tree, look) {
  const words = view.nameSlots(MOST_NAMES).map((slot) => {
    const turn = `translate(${short(slot.x)} ${short(slot.y)}) rotate(${short((slot.angle * 180) / Math.PI)})`;
    const anchor = slot.atEnd ? "end" : "start";
    const name = xmlText(slotName(slot, view, tree));
    return `<text transform="${turn}" text-anchor="${anchor}" dominant-baseline="central">${name}</text>`;
  });
  const style = `fill="${LOOKS[look].ink}" font-family="${NAME_FONT}" font-size="${view.nameSize}"`;
  return `<g ${style}>${words.join("\n")}</g>`;
}

/**
 * The axis of heights, as it is painted on the canvas.
 * @param {DendrogramView} view @param {Look} look
 */
function svgAxis(view, look) {
  const { ticks, title } = axisMarks(view);
  const strokes = ticks.map(({ x, y }) => `M${short(x)} ${short(y - 14)}V${short(y - 9)}`);
  const words = [...ticks, title].map(({ x, y, text }) => (
    `<text x="${short(x)}" y="${short(y)}" dominant-baseline="central">${xmlText(text)}</text>`
  ));
  const style = `fill="${LOOKS[look].ink}" font-family="${NAME_FONT}" font-size="${AXIS_LETTERS}" text-anchor="middle"`;
  return `<path stroke="${LOOKS[look].rim}" d="${strokes.join("")}"/>\n<g ${style}>${words.join("\n")}</g>`;
}
