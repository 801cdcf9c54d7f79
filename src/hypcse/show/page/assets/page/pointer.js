// Mouse, pen and touch on the picture.

import { clusterAt, describeCell } from "../side/node/cells.js";
/**
 * @import { Point } from "../draw/disk/moebius.js"
 * @import { App } from "./app.js"
 * @import { Stage } from "./stage.js"
 */

export const CLICK_REACH = 5; // Pixels that a click may slip.

export class Pointer {
  /** @param {App} app @param {Stage} stage */
  constructor(app, stage) {
    this.app = app;
    this.stage = stage;
    /** @type {Map<number, Point>} */
    this.down = new Map();
    this.slipped = 0;
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event, true));
    canvas.addEventListener("pointercancel", (event) => this.release(event, false));
    canvas.addEventListener("pointerleave", () => app.set({ hovered: -1, cell: "" }));
    canvas.addEventListener("dblclick", (event) => this.focus(event));
    canvas.addEventListener("wheel", (event) => this.scroll(event), { passive: false });
  }

  /** @param {MouseEvent} event @returns {Point} */
  place(event) {
    const box = this.stage.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button > 0) return;
    this.stage.canvas.setPointerCapture(event.pointerId);
    if (!this.down.size) this.slipped = 0;
    this.stage.held = true;
    this.down.set(event.pointerId, this.place(event));
  }

  /** @param {PointerEvent} event */
  move(event) {
    const to = this.place(event);
    const from = this.down.get(event.pointerId);
    if (!from) {
      this.hover(to);
      return;
    }
    this.slipped += Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (this.down.size === 2) this.pinch(event.pointerId, from, to);
    else if (this.slipped > CLICK_REACH) this.drag(from, to);
    if (this.down.size === 2 || this.slipped > CLICK_REACH) this.down.set(event.pointerId, to);
  }

  /** @param {Point} place */
  hover([x, y]) {
    const cell = describeCell(this.app, x, y);
    const node = cell ? -1 : this.app.view.nodeAt(x, y);
    this.stage.canvas.classList.toggle("pointing", node >= 0 || cell !== "");
    this.app.pointed = [x, y];
    this.app.set({ hovered: node, cell });
  }

  /** @param {Point} from @param {Point} to */
  drag(from, to) {
    this.app.set({ hovered: -1, cell: "" });
    this.stage.canvas.classList.add("dragging");
    this.stage.pan(...from, ...to);
  }

  /**
   * Two fingers: their middle pans, their distance zooms.
   * @param {number} id @param {Point} from @param {Point} to
   */
  pinch(id, from, to) {
    const other = Array.from(this.down).find(([key]) => key !== id)?.[1];
    if (!other) return;
    const before = Math.hypot(from[0] - other[0], from[1] - other[1]);
    const after = Math.hypot(to[0] - other[0], to[1] - other[1]);
    /** @param {Point} point @returns {Point} */
    const middle = (point) => [(point[0] + other[0]) / 2, (point[1] + other[1]) / 2];
    this.slipped = Infinity;
    this.stage.pan(...middle(from), ...middle(to));
    if (before > 10 && after > 10) this.stage.zoom(after / before, ...middle(to));
  }

  /** @param {PointerEvent} event @param {boolean} done */
  release(event, done) {
    const known = this.down.delete(event.pointerId);
    if (this.down.size) return;
    this.stage.held = false;
    this.stage.canvas.classList.remove("dragging");
    if (!known || !done || this.slipped > CLICK_REACH) return;
    const place = this.place(event);
    const cluster = clusterAt(this.app, ...place);
    this.app.select(cluster >= 0 ? cluster : this.app.view.nodeAt(...place));
  }

  /** @param {MouseEvent} event */
  focus(event) {
    const node = this.app.view.nodeAt(...this.place(event));
    if (node >= 0) this.stage.focus(node);
  }

  /** @param {WheelEvent} event */
  scroll(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    const step = Math.min(Math.max(event.deltaY * lines, -240), 240);
    this.stage.zoom(Math.exp(-step / 400), ...this.place(event));
  }
}
