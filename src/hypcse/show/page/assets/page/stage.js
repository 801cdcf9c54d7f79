// The picture: one canvas for the tree, one above it for names and marks, and the loop that keeps them up to date.

import { CanvasPainter } from "../draw/painters/canvas.js";
import { paintMark, pictureWords } from "../draw/names.js";
import { Scene } from "../draw/scene.js";
import { WebglPainter } from "../draw/painters/webgl.js";
import { paintWords } from "../draw/words.js";
import { byId, required } from "../side/elements.js";
/**
 * @import { Point } from "../draw/disk/moebius.js"
 * @import { Motion } from "../draw/scene.js"
 * @import { App, State } from "./app.js"
 */

const REST = 160; // Milliseconds without a motion after which everything is drawn again.
const FOCUS_TIME = 420;
/** @type {(keyof State)[]} */
const MARKS = ["hovered", "selected", "cell", "renamed"]; // What changes nothing but the marks over the picture.

export class Stage {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.painter = choosePainter(byId("stage", HTMLCanvasElement));
    this.canvas = this.painter.canvas;
    this.overlay = byId("overlay", HTMLCanvasElement);
    this.names = required(this.overlay.getContext("2d"), "canvas for names");
    this.frame = required(this.canvas.parentElement, "room for the picture");
    this.scene = new Scene();
    this.waiting = false;
    this.marksWaiting = false;
    // moving: a motion is under way, draw coarsely; held: a pointer is down, so that it may go on at any time.
    this.moving = false;
    this.held = false;
    this.restTimer = 0;
    this.frames = 0;
    this.frameTime = 0;
    this.ratio = 1;
    /** @type {Motion | null} */
    this.motion = null;
    /** @type {() => void} Called when everything is drawn and nothing moves. */
    this.rested = () => {};
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    app.listen((changed) => (changed.every((key) => MARKS.includes(key)) ? this.requestMarks() : this.request()));
    new ResizeObserver(() => this.resize()).observe(this.frame);
    this.resize();
  }

  resize() {
    const { width, height } = this.frame.getBoundingClientRect();
    if (width < 1 || height < 1) return;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.ratio = ratio;
    for (const view of Object.values(this.app.views)) view.resize(width, height);
    this.request();
  }

  /** Draw at the next frame. */
  request() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  /** Draw names and marks at the next frame, and the picture only if somebody else asks for it. */
  requestMarks() {
    if (this.waiting || this.marksWaiting) return;
    this.marksWaiting = true;
    requestAnimationFrame(() => {
      this.marksWaiting = false;
      if (!this.waiting) this.drawOverlay();
    });
  }

  /** Draw at the next frame in the coarse way of a motion, and finely when it has ended. */
  requestMoving() {
    this.moving = true;
    clearTimeout(this.restTimer);
    this.request();
  }

  /** Count the time without a motion, from the end of a frame on: frames of large trees may be slow. */
  awaitRest() {
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => {
      if (this.held) return this.awaitRest();
      this.moving = false;
      return this.request();
    }, REST);
  }

  draw() {
    const begin = performance.now();
    const { view, colors, state } = this.app;
    this.scene.clear();
    view.build(this.scene, colors, state.look, this.moving);
    this.painter.paint(this.scene, view.width, view.height);
    this.drawOverlay();
    this.frames++;
    this.frameTime = performance.now() - begin;
    if (this.moving) this.awaitRest();
    else this.rested();
  }

  drawOverlay() {
    const { view, tree, partition, names, state } = this.app;
    this.names.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.names.clearRect(0, 0, view.width, view.height);
    paintWords(this.names, pictureWords(view, tree, partition, names, state.selected), state.look);
    paintMark(this.names, view, state.hovered, state.look, false);
    paintMark(this.names, view, state.selected, state.look, true);
  }

  /** @param {number} fromX @param {number} fromY @param {number} toX @param {number} toY */
  pan(fromX, fromY, toX, toY) {
    this.motion = null;
    this.app.view.pan(fromX, fromY, toX, toY);
    this.requestMoving();
  }

  /** @param {number} factor @param {number} x @param {number} y */
  zoom(factor, x, y) {
    this.motion = null;
    this.app.view.zoom(factor, x, y);
    this.requestMoving();
  }

  /**
   * Zoom where the selected node is in sight, in the middle otherwise.
   * @param {number} factor
   */
  zoomHere(factor) {
    const { view, state } = this.app;
    /** @type {Point} */
    const middle = [view.width / 2, view.height / 2];
    const [x, y] = state.selected >= 0 ? view.position(state.selected) : middle;
    const inside = x >= 0 && y >= 0 && x <= view.width && y <= view.height;
    if (inside) this.zoom(factor, x, y);
    else this.zoom(factor, ...middle);
  }

  /** @param {number} node */
  focus(node) {
    this.animate(this.app.view.focusMotion(node));
  }

  /**
   * Show where a node is, among what is around it.
   * @param {number} node
   */
  reveal(node) {
    this.animate(this.app.view.revealMotion(node));
  }

  reset() {
    this.animate(this.app.view.resetMotion());
  }

  /**
   * Run a motion over time, or at once for people who want no motion; a later one takes over.
   * @param {Motion} motion
   */
  animate(motion) {
    this.motion = motion;
    const begin = performance.now();
    const length = this.calm.matches ? 0 : FOCUS_TIME;
    const advance = () => {
      if (this.motion !== motion) return;
      const time = length ? Math.min((performance.now() - begin) / length, 1) : 1;
      motion(time < 1 ? time * time * (3 - 2 * time) : 1);
      this.requestMoving();
      if (time < 1) requestAnimationFrame(advance);
      else this.motion = null;
    };
    advance();
  }
}

/**
 * WebGL2 where there is one, the plain canvas otherwise.
 * @param {HTMLCanvasElement} canvas
 */
export function choosePainter(canvas) {
  try {
    return new WebglPainter(canvas);
  } catch {
    // A canvas that has refused WebGL2 still takes the other context; one whose program failed must be replaced.
    const fresh = /** @type {HTMLCanvasElement} */ (canvas.cloneNode());
    canvas.replaceWith(fresh);
    return new CanvasPainter(fresh);
  }
}
