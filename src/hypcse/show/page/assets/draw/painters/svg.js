// Writing a scene as SVG text.

import { dotGroups, strokeGroups } from "./canvas.js";
import { toHex } from "../palette.js";
import { DOT_NUMBERS, RECT_NUMBERS, SEGMENT_NUMBERS } from "../scene.js";
import { svgWords, xmlText } from "../words.js";
/**
 * @import { StrokeGroup } from "./canvas.js"
 * @import { Look } from "../palette.js"
 * @import { Scene } from "../scene.js"
 * @import { Word } from "../words.js"
 */

/**
 * A picture to take away: what is drawn, the words over it, and its size.
 * @typedef {{ scene: Scene, words: Word[], width: number, height: number, look: Look, title: string }} Picture
 */

/** @param {Picture} picture */
export function pictureToSvg({ scene, words, width, height, look, title }) {
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${xmlText(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${scene.ground}"/>`,
  ];
  if (scene.disk) {
    const { x, y, radius, fill } = scene.disk;
    parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" fill="${fill}"/>`);
  }
  parts.push(svgRects(scene));
  parts.push('<g fill="none" stroke-linecap="round">');
  for (const group of strokeGroups(scene)) parts.push(svgPath(group, scene.segments.values));
  parts.push("</g>");
  for (const [color, rows] of dotGroups(scene)) parts.push(svgDots(toHex(color), rows, scene.dots.values));
  parts.push(svgWords(words, look), "</svg>\n");
  return parts.join("\n");
}

/** @param {number} value */
function short(value) {
  return +value.toFixed(2);
}

/** @param {Scene} scene */
function svgRects({ rects }) {
  const made = Array.from(rects.colors.subarray(0, rects.count), (color, row) => {
    const [x, y, width, height] = Array.from(rects.values.subarray(RECT_NUMBERS * row, RECT_NUMBERS * (row + 1)), short);
    return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${toHex(color)}"/>`;
  });
  return `<g>${made.join("")}</g>`;
}

/** @param {StrokeGroup} group @param {Float32Array} values */
function svgPath({ color, width, rows }, values) {
  const steps = rows.map((row) => {
    const [x0, y0, x1, y1] = Array.from(values.subarray(SEGMENT_NUMBERS * row, SEGMENT_NUMBERS * row + 4), short);
    return `M${x0} ${y0}L${x1} ${y1}`;
  });
  return `<path stroke="${toHex(color)}" stroke-width="${width}" d="${steps.join("")}"/>`;
}

/** @param {string} color @param {number[]} rows @param {Float32Array} values */
function svgDots(color, rows, values) {
  const circles = rows.map((row) => {
    const [x, y, radius] = Array.from(values.subarray(DOT_NUMBERS * row, DOT_NUMBERS * (row + 1)), short);
    return `<circle cx="${x}" cy="${y}" r="${radius}"/>`;
  });
  return `<g fill="${color}">${circles.join("")}</g>`;
}
