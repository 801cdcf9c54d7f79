// Words over the picture: names, headings and the axis are made as lists of words, which canvas and SVG both paint. Words
// are drawn as text and never parsed.

import { LOOKS } from "./palette.js";
/** @import { Look } from "./palette.js" */

/**
 * A text at a place: its direction in radians, which end or middle stands there, the size of its letters, and whether it
 * has a rim of ground color, to be read over lines.
 * @typedef {object} Word
 * @property {number} x
 * @property {number} y
 * @property {string} text
 * @property {number} size
 * @property {number} [angle]
 * @property {"start" | "middle" | "end"} [anchor]
 * @property {boolean} [rim]
 */

const FONT = "system-ui, sans-serif";
export const LETTER = 0.58; // Width of a letter over its size, about.
const RIM = 3.5; // Width of the rim in pixels.
/** @type {Record<string, CanvasTextAlign>} */
const ALIGN = { start: "left", middle: "center", end: "right" };

/**
 * A text as it fits: control characters as blanks, long ones cut.
 * @param {string} text @param {number} longest
 */
export function shortText(text, longest) {
  const plain = text.replace(/\p{Cc}/gu, " ");
  const signs = Array.from(plain);
  return signs.length > longest ? `${signs.slice(0, Math.max(longest - 1, 1)).join("")}…` : plain;
}

/**
 * Pixels that a text takes, about.
 * @param {string} text @param {number} size
 */
export function textWidth(text, size) {
  return text.length * LETTER * size;
}

/** @param {CanvasRenderingContext2D} context @param {Word[]} words @param {Look} look */
export function paintWords(context, words, look) {
  context.fillStyle = LOOKS[look].ink;
  context.strokeStyle = LOOKS[look].ground;
  context.lineWidth = RIM;
  context.lineJoin = "round";
  context.textBaseline = "middle";
  for (const { x, y, text, size, angle = 0, anchor = "start", rim } of words) {
    context.save();
    context.translate(x, y);
    context.rotate(angle);
    context.font = `${size}px ${FONT}`;
    context.textAlign = ALIGN[anchor];
    if (rim) context.strokeText(text, 0, 0);
    context.fillText(text, 0, 0);
    context.restore();
  }
}

/** @type {Record<string, string>} */
const XML_SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

// eslint-disable-next-line no-control-regex -- control characters are what it is about
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * Text that XML takes for text: signs escaped, what XML cannot hold left out.
 * @param {string} text
 */
export function xmlText(text) {
  return text.replace(NOT_IN_XML, "").replace(/[&<>"']/g, (sign) => XML_SIGNS[sign]);
}

/** @param {Word[]} words @param {Look} look */
export function svgWords(words, look) {
  const { ink, ground } = LOOKS[look];
  const lines = words.map(({ x, y, text, size, angle = 0, anchor = "start", rim }) => {
    const turn = angle ? ` rotate(${+((angle * 180) / Math.PI).toFixed(2)})` : "";
    const place = `transform="translate(${+x.toFixed(2)} ${+y.toFixed(2)})${turn}"`;
    const halo = rim ? ` stroke="${ground}" stroke-width="${RIM}" stroke-linejoin="round" paint-order="stroke"` : "";
    const style = `font-size="${size}" text-anchor="${anchor}" dominant-baseline="central"${halo}`;
    return `<text ${place} ${style}>${xmlText(text)}</text>`;
  });
  return `<g fill="${ink}" font-family="${FONT}">${lines.join("\n")}</g>`;
}
