// The picture of the disk as a scene: its rim, the branches as arcs, and dots at the nodes.

import { LOOKS, packHex } from "../palette.js";
import { LineMarks, PixelMarks } from "../scene.js";
/**
 * @import { DiskView } from "./disk.js"
 * @import { Look } from "../palette.js"
 * @import { Scene } from "../scene.js"
 */

const SMALL_TREE = 6000; // Nodes up to which nothing is left out, even while dragging.
/** @typedef {{ shortest: number, grain: number, tolerance: number, dots: number }} Detail */
// What is drawn of a tree: the shortest branch in pixels, how near two branches may be in pixels before they count as
// one, how far in pixels straight pieces may lie from the arc of a branch, and the squared norm of the outermost dots.
const WHOLE = { shortest: 0, grain: 0, tolerance: 0.05, dots: 1 };
const RESTING = { shortest: 0.7, grain: 1, tolerance: 0.1, dots: 1 };
const MOVING = { shortest: 1.5, grain: 2, tolerance: 0.5, dots: 0.9 };

/**
 * Draw into a scene; `moving` leaves out what is too small to be missed.
 * @param {DiskView} view @param {Scene} scene @param {Uint32Array} colors @param {Look} look @param {boolean} moving
 */
export function buildDisk(view, scene, colors, look, moving) {
  scene.ground = LOOKS[look].ground;
  scene.disk = { x: view.width / 2, y: view.height / 2, radius: view.scale, fill: LOOKS[look].disk };
  drawRim(view, scene, packHex(LOOKS[look].rim));
  const detail = view.tree.nodeCount <= SMALL_TREE ? WHOLE : moving ? MOVING : RESTING;
  drawBranches(view, scene, colors, detail);
  drawDots(view, scene, colors, detail);
}

/** @param {DiskView} view @param {Scene} scene @param {number} color */
function drawRim(view, scene, color) {
  const steps = 180;
  const angles = Array.from({ length: steps + 1 }, (_, k) => (2 * Math.PI * k) / steps);
  const places = angles.map((angle) => view.toScreen(Math.cos(angle), Math.sin(angle)));
  scene.polyline(places.map(([x]) => x), places.map(([, y]) => y), steps + 1, 1.2, color);
}

/** @param {DiskView} view @param {Scene} scene @param {Uint32Array} colors @param {Detail} detail */
function drawBranches(view, scene, colors, detail) {
  const { tree, diskX, diskY, scale } = view;
  const least = (detail.shortest / scale) ** 2;
  const marks = detail.grain ? new LineMarks(detail.grain) : null;
  for (let node = 0; node < tree.root; node++) {
    const above = tree.parent[node];
    const dx = diskX[node] - diskX[above];
    const dy = diskY[node] - diskY[above];
    const square = dx * dx + dy * dy;
    if (square < least || (view.magnified > 1 && isOutside(view, node, above))) continue;
    if (marks && !marks.take(diskX[node] * scale, diskY[node] * scale, diskX[above] * scale, diskY[above] * scale)) {
      continue;
    }
    const count = view.traceBranch(node, above, detail.tolerance);
    scene.polyline(view.lineX, view.lineY, count, view.branchWidth(node), colors[node]);
  }
}

/**
 * Whether a branch lies beyond one edge of the picture; a geodesic stays near its chord when it is short.
 * @param {DiskView} view @param {number} node @param {number} above
 */
function isOutside(view, node, above) {
  const [limitX, limitY] = [(0.6 * view.width) / view.scale, (0.6 * view.height) / view.scale];
  const [x, y, px, py] = [view.diskX[node], view.diskY[node], view.diskX[above], view.diskY[above]];
  return (x > limitX && px > limitX) || (x < -limitX && px < -limitX)
    || (y > limitY && py > limitY) || (y < -limitY && py < -limitY);
}

/**
 * Dots at nodes. Of large trees those near the rim are left out while moving, and drawn once per pixel at rest.
 * @param {DiskView} view @param {Scene} scene @param {Uint32Array} colors @param {Detail} detail
 */
function drawDots(view, scene, colors, detail) {
  const { tree, diskX, diskY } = view;
  const free = detail.grain > 0 ? new PixelMarks(view.width, view.height) : null;
  for (let node = 0; node < tree.nodeCount; node++) {
    if (diskX[node] * diskX[node] + diskY[node] * diskY[node] > detail.dots) continue;
    const radius = view.dotRadius(node);
    if (radius < 0.5) continue;
    const x = view.width / 2 + diskX[node] * view.scale;
    const y = view.height / 2 + diskY[node] * view.scale;
    if (free && !free.take(x, y)) continue;
    scene.dot(x, y, radius, colors[node]);
  }
}
