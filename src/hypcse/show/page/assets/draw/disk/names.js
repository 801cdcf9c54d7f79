// Where in the disk names have room, and the way from a node to the root.

import { halfTurn } from "./moebius.js";
/**
 * @import { DiskView } from "./disk.js"
 * @import { Point } from "./moebius.js"
 * @import { Slot } from "../names.js"
 */

const LEAF_APART = 7; // Pixels between leaves that may have names ...
const NAME_APART = 11; // ... and between those that get one.

/**
 * Where names of leaves have room: beside leaves that stand far enough apart on the screen.
 * @param {DiskView} view @param {number} most @returns {Slot[]}
 */
export function diskNameSlots(view, most) {
  const { tree } = view;
  const slots = [];
  let last = [-1e9, -1e9];
  for (let place = 0; place < tree.leafCount && slots.length < most; place++) {
    if (isCrowded(view, place)) continue;
    const [x, y] = view.position(tree.leafAt[place]);
    const near = Math.hypot(x - last[0], y - last[1]) < NAME_APART;
    if (near || x < 0 || y < 0 || x > view.width || y > view.height) continue;
    last = [x, y];
    slots.push(diskNameSlot(view, tree.leafAt[place], x, y));
  }
  return slots;
}

/**
 * Whether a leaf stands too near to its neighbors around the rim for a name.
 * @param {DiskView} view @param {number} place
 */
function isCrowded(view, place) {
  const { tree, diskX, diskY } = view;
  if (tree.leafCount < 2) return false;
  const least = (LEAF_APART / view.scale) ** 2;
  const leaf = tree.leafAt[place];
  for (const other of [place ? place - 1 : tree.leafCount - 1, place + 1 < tree.leafCount ? place + 1 : 0]) {
    const next = tree.leafAt[other];
    if ((diskX[leaf] - diskX[next]) ** 2 + (diskY[leaf] - diskY[next]) ** 2 < least) return true;
  }
  return false;
}

/**
 * The name runs on in the direction of the branch, near the rim straight outwards; it is turned to be readable.
 * @param {DiskView} view @param {number} leaf @param {number} x @param {number} y
 * @returns {Slot}
 */
function diskNameSlot(view, leaf, x, y) {
  const { diskX, diskY } = view;
  const above = Math.max(view.tree.parent[leaf], 0);
  const [px, py, qx, qy] = [diskX[above], diskY[above], diskX[leaf], diskY[leaf]];
  const end = Math.atan2(qy - py, qx - px) + halfTurn(px, py, qx, qy);
  const outward = Math.hypot(qx, qy) ** 6;
  const angle = Math.atan2(
    outward * qy + (1 - outward) * Math.sin(end),
    outward * qx + (1 - outward) * Math.cos(end),
  );
  const gap = view.dotRadius(leaf) + 4;
  const flipped = Math.abs(angle) > Math.PI / 2;
  /** @type {Point} */
  const anchor = [x + gap * Math.cos(angle), y + gap * Math.sin(angle)];
  const room = roomTowards(view, anchor, Math.cos(angle), Math.sin(angle));
  return { leaf, x: anchor[0], y: anchor[1], angle: flipped ? angle + Math.PI : angle, atEnd: flipped, room };
}

/**
 * Pixels from a place to the edge of the picture in one direction.
 * @param {DiskView} view @param {Point} place @param {number} dx @param {number} dy
 */
function roomTowards(view, [x, y], dx, dy) {
  const acrossX = dx > 0 ? (view.width - x) / dx : -x / Math.min(dx, -1e-9);
  const acrossY = dy > 0 ? (view.height - y) / dy : -y / Math.min(dy, -1e-9);
  return Math.min(acrossX, acrossY);
}

/**
 * The branches from a node up to the root as one line of points, for the mark of the selected node.
 * @param {DiskView} view @param {number} node @returns {Point[]}
 */
export function diskPathToRoot(view, node) {
  const { tree, diskX, diskY } = view;
  const points = [view.position(node)];
  for (let below = node; below !== tree.root; below = tree.parent[below]) {
    const above = tree.parent[below];
    const length = Math.hypot(diskX[below] - diskX[above], diskY[below] - diskY[above]) * view.scale;
    if (length < 0.5 && above !== tree.root) continue;
    const count = view.traceBranch(below, above, 0.1);
    for (let k = 1; k < count; k++) points.push([view.lineX[k], view.lineY[k]]);
  }
  return points;
}
