// The scatter beside the tree: leaves as points, lit where the tree is selected, and a lasso that selects leaves.

import { PointsView } from "../draw/points/points.js";
import { LOOKS } from "../draw/palette.js";
import { Scene } from "../draw/scene.js";
import { paintWords } from "../draw/words.js";
import { byId, required } from "../side/elements.js";
import { CLICK_REACH } from "./pointer.js";
import { choosePainter } from "./stage.js";
/**
 * @import { Page } from "../tree/payload.js"
 * @import { Point } from "../draw/disk/moebius.js"
 * @import { App, State } from "./app.js"
 */

/** @type {(keyof State)[]} */
const REDRAWN = ["selected", "lasso", "clusters", "level", "mode", "look", "scatter"];

export class Scatter {
  /** @param {App} app @param {NonNullable<Page["scatter"]>} places */
  constructor(app, places) {
    this.app = app;
    this.view = new PointsView(places);
    this.painter = choosePainter(byId("points", HTMLCanvasElement));
    this.marks = byId("points-marks", HTMLCanvasElement);
    this.pen = required(this.marks.getContext("2d"), "canvas for marks");
    this.frame = required(this.marks.parentElement, "room for the scatter");
    this.scene = new Scene();
    /** @type {Point[] | null} The line of the lasso, while a pointer is down. */
    this.line = null;
    this.waiting = false;
    this.frameTime = 0;
    app.listen((changed) => {
      if (changed.some((key) => REDRAWN.includes(key))) this.request();
      else if (changed.includes("hovered")) this.drawMarks();
    });
    new ResizeObserver(() => this.request()).observe(this.frame);
    this.connect(this.painter.canvas);
    this.request();
  }

  /** @param {HTMLCanvasElement} canvas */
  connect(canvas) {
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("pointerleave", () => this.app.set({ hovered: -1 }));
    canvas.addEventListener("dblclick", () => this.change(() => this.view.reset()));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const step = Math.min(Math.max(event.deltaY * (event.deltaMode === 1 ? 16 : 1), -240), 240);
      this.change(() => this.view.zoom(Math.exp(-step / 300), ...this.place(event)));
    }, { passive: false });
  }

  /** @param {() => void} act */
  change(act) {
    act();
    this.request();
  }

  /** @param {MouseEvent} event @returns {Point} */
  place(event) {
    const box = this.frame.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button > 0) return;
    this.painter.canvas.setPointerCapture(event.pointerId);
    this.line = [this.place(event)];
  }

  /** @param {PointerEvent} event */
  move(event) {
    const to = this.place(event);
    if (this.line) {
      this.line.push(to);
      this.drawMarks();
    } else {
      this.app.set({ hovered: this.view.leafAt(...to), cell: "" });
    }
  }

  /** @param {PointerEvent} event */
  release(event) {
    const line = this.line;
    if (!line) return;
    const to = this.place(event);
    this.cancel();
    const slipped = Math.max(...line.map(([x, y]) => Math.hypot(x - line[0][0], y - line[0][1])));
    if (slipped > CLICK_REACH) this.app.lassoLeaves(this.view.leavesInside([...line, to]));
    else this.app.select(this.view.leafAt(...to));
  }

  cancel() {
    this.line = null;
    this.drawMarks();
  }

  request() {
    if (this.waiting || !this.app.state.scatter) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const { width, height } = this.frame.getBoundingClientRect();
    if (width < 1 || height < 1) return;
    const begin = performance.now();
    const { app, view, scene, painter } = this;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    for (const canvas of [painter.canvas, this.marks]) {
      const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width !== across) canvas.width = across;
      if (canvas.height !== down) canvas.height = down;
    }
    view.resize(width, height);
    scene.clear();
    view.build(scene, app.bright, this.litLeaves(), app.state.look);
    painter.paint(scene, width, height);
    this.frameTime = performance.now() - begin;
    this.drawMarks();
  }

  /** 1 for each leaf that is selected and 0 for others; null where nothing is, or a single leaf or all of them are. */
  litLeaves() {
    const { app } = this;
    const leaves = app.selectedLeaves();
    if (!leaves || (!app.lassoed && (leaves.length < 2 || leaves.length === app.tree.leafCount))) return null;
    const lit = new Uint8Array(app.tree.leafCount);
    for (const leaf of leaves) lit[leaf] = 1;
    return lit;
  }

  /** Titles, the leaf under the pointer, the selected leaf, and the lasso. */
  drawMarks() {
    const { app, view, pen, line } = this;
    const { hovered, selected, look } = app.state;
    pen.setTransform(this.marks.width / view.width, 0, 0, this.marks.height / view.height, 0, 0);
    pen.clearRect(0, 0, view.width, view.height);
    paintWords(pen, view.words(), look);
    pen.strokeStyle = LOOKS[look].accent;
    pen.lineWidth = 1.6;
    for (const leaf of [hovered, selected]) {
      if (leaf < 0 || !app.tree.isLeaf(leaf)) continue;
      pen.beginPath();
      pen.arc(...view.position(leaf), view.radius + 4, 0, 2 * Math.PI);
      pen.stroke();
    }
    if (!line) return;
    pen.beginPath();
    line.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.closePath();
    pen.stroke();
  }
}
