// Where in the dendrogram names have room, the way from a node to the root, and the node that the pointer means.

import { REACH } from "../disk/disk.js";
import { textWidth } from "../words.js";
/**
 * @import { Tree } from "../../tree/tree.js"
 * @import { Point } from "../disk/moebius.js"
 * @import { Slot } from "../names.js"
 * @import { DendrogramView } from "./dendrogram.js"
 */

const NAME_ROOM = 150;
export const NAME_ROW = 9; // Pixels a leaf needs for its name ...
export const MOST_SKIPPED = 6; // ... and how many leaves may share one name where there are more.

/**
 * Pixels that the longest name of a leaf takes, up to what names may have.
 * @param {Tree} tree
 */
export function longestName({ names, leafCount }) {
  const longest = names ? names.reduce((most, name) => Math.max(most, name.length), 0) : String(leafCount).length;
  return Math.min(textWidth("n".repeat(Math.min(longest, 40)), 12) + 4, NAME_ROOM);
}

/**
 * Where names of leaves have room: beside all leaves in sight, or every so many of them.
 * @param {DendrogramView} view @param {number} most @returns {Slot[]}
 */
export function dendrogramNameSlots(view, most) {
  const { tree } = view;
  const step = Math.ceil(NAME_ROW / view.pixelsPerLeaf);
  if (step > MOST_SKIPPED) return [];
  const first = Math.max(Math.ceil((view.window.top - 0.5) / step), 0) * step;
  const x = view.leafX + view.beside.width + 6;
  const slots = [];
  for (let place = first; place < tree.leafCount && slots.length < most; place += step) {
    const y = view.screenY(place + 0.5);
    if (y > view.leafFloor) break;
    slots.push({ leaf: tree.leafAt[place], x, y, angle: 0, atEnd: false, room: view.nameRoom });
  }
  return slots;
}

/**
 * The lines from a node up to the root as one line of points, for the mark of the selected node.
 * @param {DendrogramView} view @param {number} node @returns {Point[]}
 */
export function dendrogramPathToRoot(view, node) {
  const { tree } = view;
  const points = [view.position(node)];
  for (let below = node; below !== tree.root; below = tree.parent[below]) {
    const above = tree.parent[below];
    const corner = view.screenX(view.drawn[above]);
    const [lastX, lastY] = points[points.length - 1];
    const y = view.screenY(view.middle[above]);
    if (above !== tree.root && Math.abs(corner - lastX) < 0.5 && Math.abs(y - lastY) < 0.5) continue;
    points.push([corner, lastY], [corner, y]);
  }
  return points;
}

/**
 * The node whose lines are nearest to the pointer, -1 for none: looked for above the leaves in its rows.
 * @param {DendrogramView} view @param {number} x @param {number} y
 */
export function dendrogramNodeAt(view, x, y) {
  const { tree } = view;
  let [best, found] = [REACH, -1];
  for (const row of [y, y - REACH / 2, y + REACH / 2]) {
    for (let node = view.leafAtRow(row); node >= 0; node = tree.parent[node]) {
      const away = distanceToLines(view, node, x, y) - 0.3 * Math.log2(tree.size[node]);
      if (away < best) [best, found] = [away, node];
    }
  }
  return found;
}

/**
 * Pixels from a point to the lines of a node.
 * @param {DendrogramView} view @param {number} node @param {number} x @param {number} y
 */
function distanceToLines(view, node, x, y) {
  const { tree } = view;
  const own = view.screenX(view.drawn[node]);
  const dy = Math.abs(view.screenY(view.middle[node]) - y);
  const left = node === tree.root ? own : view.screenX(view.drawn[tree.parent[node]]);
  const right = tree.isLeaf(node) ? own + view.beside.width + view.nameRoom : own;
  const level = Math.hypot(Math.max(left + 4 - x, 0, x - right), dy);
  if (tree.isLeaf(node)) return level;
  const above = Math.max(view.screenY(view.low[node]) - y, y - view.screenY(view.high[node]), 0);
  return Math.min(level, Math.hypot(own - x, above));
}
