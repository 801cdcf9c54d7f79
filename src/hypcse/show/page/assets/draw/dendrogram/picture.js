// The picture of the dendrogram as a scene: level lines to the parents, upright ones over the children.

import { LOOKS } from "../palette.js";
/**
 * @import { DendrogramView } from "./dendrogram.js"
 * @import { Look } from "../palette.js"
 * @import { Scene } from "../scene.js"
 */

/**
 * Draw into a scene: nodes whose leaves share one row of pixels become one line, as long as the longest of them.
 * @param {DendrogramView} view @param {Scene} scene @param {Uint32Array} colors @param {Look} look
 */
export function buildDendrogram(view, scene, colors, look) {
  scene.ground = LOOKS[look].ground;
  const rows = new Float64Array(Math.ceil(view.height) + 1).fill(Infinity);
  const fine = view.pixelsPerLeaf >= 1;
  for (let node = 0; node < view.tree.root; node++) drawLevel(view, scene, node, colors, fine ? null : rows);
  for (let node = view.tree.leafCount; node < view.tree.nodeCount; node++) drawJoin(view, scene, node, colors);
}

/**
 * The level line from a node to the height of its parent.
 * @param {DendrogramView} view @param {Scene} scene @param {number} node @param {Uint32Array} colors
 * @param {Float64Array | null} rows
 */
function drawLevel(view, scene, node, colors, rows) {
  const { tree } = view;
  const y = view.screenY(view.middle[node]);
  if (y < view.ceiling || y > view.floor) return;
  const left = view.screenX(view.drawn[tree.parent[node]]);
  const right = view.screenX(view.drawn[node]);
  if (right < 0) return;
  if (rows && tree.size[node] * view.pixelsPerLeaf < 1) {
    // Of many branches in one row of pixels only a longer one shows behind those drawn before.
    const row = Math.max(y | 0, 0);
    if (left > rows[row] - 1) return;
    rows[row] = left;
  }
  scene.segment(Math.max(left, -2), y, right, y, lineWidth(view, node), colors[node]);
}

/**
 * The upright line over the children of a node.
 * @param {DendrogramView} view @param {Scene} scene @param {number} node @param {Uint32Array} colors
 */
function drawJoin(view, scene, node, colors) {
  const top = view.screenY(view.low[node]);
  const bottom = view.screenY(view.high[node]);
  if (bottom - top < 1 || bottom < view.ceiling || top > view.floor) return;
  const x = view.screenX(view.drawn[node]);
  if (x < -2) return;
  const width = lineWidth(view, node);
  const reach = width / 2;
  scene.segment(x, Math.max(top - reach, view.ceiling), x, Math.min(bottom + reach, view.floor), width, colors[node]);
}

/** @param {DendrogramView} view @param {number} node */
function lineWidth(view, node) {
  return view.tree.size[node] * view.pixelsPerLeaf > 24 ? 1.8 : 1.1;
}
