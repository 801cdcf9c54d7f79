// Painting a scene by the two-dimensional canvas: where there is no WebGL2, and for the PNG.

import { toHex } from "../palette.js";
import { DOT_NUMBERS, RECT_NUMBERS, SEGMENT_NUMBERS } from "../scene.js";
/** @import { Scene } from "../scene.js" */

/** @typedef {{ color: number, width: number, rows: number[] }} StrokeGroup */

export class CanvasPainter {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.kind = "canvas";
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser has no canvas");
    this.context = context;
  }

  /** @param {Scene} scene @param {number} width @param {number} height */
  paint(scene, width, height) {
    const { context, canvas } = this;
    context.setTransform(canvas.width / width, 0, 0, canvas.height / height, 0, 0);
    context.fillStyle = scene.ground;
    context.fillRect(0, 0, width, height);
    if (scene.disk) {
      context.fillStyle = scene.disk.fill;
      context.beginPath();
      context.arc(scene.disk.x, scene.disk.y, scene.disk.radius, 0, 2 * Math.PI);
      context.fill();
    }
    this.fillRects(scene);
    context.lineCap = "round";
    for (const group of strokeGroups(scene)) this.stroke(group, scene.segments.values);
    for (const [color, rows] of dotGroups(scene)) this.fill(toHex(color), rows, scene.dots.values);
  }

  /** @param {Scene} scene */
  fillRects({ rects }) {
    for (let row = 0; row < rects.count; row++) {
      this.context.fillStyle = toHex(rects.colors[row]);
      const [x, y, width, height] = rects.values.subarray(RECT_NUMBERS * row, RECT_NUMBERS * (row + 1));
      this.context.fillRect(x, y, width, height);
    }
  }

  /** @param {StrokeGroup} group @param {Float32Array} values */
  stroke({ color, width, rows }, values) {
    const { context } = this;
    context.strokeStyle = toHex(color);
    context.lineWidth = width;
    context.beginPath();
    for (const row of rows) {
      const at = SEGMENT_NUMBERS * row;
      context.moveTo(values[at], values[at + 1]);
      context.lineTo(values[at + 2], values[at + 3]);
    }
    context.stroke();
  }

  /** @param {string} color @param {number[]} rows @param {Float32Array} values */
  fill(color, rows, values) {
    const { context } = this;
    context.fillStyle = color;
    context.beginPath();
    for (const row of rows) {
      const [x, y, radius] = values.subarray(DOT_NUMBERS * row, DOT_NUMBERS * (row + 1));
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.fill();
  }
}

/**
 * Segments that share color and (to a fifth of a pixel) width, in the order in which the first of each comes.
 * @param {Scene} scene
 */
export function strokeGroups(scene) {
  /** @type {Map<string, StrokeGroup>} */
  const groups = new Map();
  const { values, colors, count } = scene.segments;
  for (let row = 0; row < count; row++) {
    const width = Math.max(Math.round(values[SEGMENT_NUMBERS * row + 4] * 5) / 5, 0.4);
    const key = `${colors[row]} ${width}`;
    const group = groups.get(key);
    if (group) group.rows.push(row);
    else groups.set(key, { color: colors[row], width, rows: [row] });
  }
  return groups.values();
}

/**
 * Dots by color.
 * @param {Scene} scene
 */
export function dotGroups(scene) {
  /** @type {Map<number, number[]>} */
  const groups = new Map();
  const { colors, count } = scene.dots;
  for (let row = 0; row < count; row++) {
    const group = groups.get(colors[row]);
    if (group) group.push(row);
    else groups.set(colors[row], [row]);
  }
  return groups;
}
