// Keys. Those without a letter act when the picture has the focus, the others everywhere but in fields.

import { copyLeaves, copyText } from "../side/taking/clipboard.js";
import { byId } from "../side/elements.js";
import { editName } from "../side/node/renaming.js";
/**
 * @import { App, Direction } from "./app.js"
 * @import { Controls } from "../side/controls.js"
 * @import { Link } from "./link.js"
 * @import { Stage } from "./stage.js"
 */

const PAN_STEP = 48;

export class Keyboard {
  /** @param {App} app @param {Stage} stage @param {Controls} actions @param {Link} link */
  constructor(app, stage, actions, link) {
    this.app = app;
    this.stage = stage;
    this.actions = actions;
    this.link = link;
    stage.canvas.addEventListener("keydown", (event) => this.pressOnPicture(event));
    document.addEventListener("keydown", (event) => this.pressAnywhere(event));
  }

  /** @param {KeyboardEvent} event */
  pressOnPicture(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, () => void>} */
    const table = event.shiftKey ? this.walkKeys() : this.moveKeys();
    const act = table[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  moveKeys() {
    const { app, stage } = this;
    /** @param {number} dx @param {number} dy */
    const pan = (dx, dy) => () => {
      const [x, y] = [app.view.width / 2, app.view.height / 2];
      stage.pan(x, y, x + dx * PAN_STEP, y + dy * PAN_STEP);
    };
    return {
      ArrowLeft: pan(1, 0), ArrowRight: pan(-1, 0), ArrowUp: pan(0, 1), ArrowDown: pan(0, -1),
      Home: () => stage.reset(),
      Enter: () => app.state.selected >= 0 && stage.focus(app.state.selected),
      Escape: () => app.select(-1),
    };
  }

  walkKeys() {
    /** @param {Direction} direction */
    const go = (direction) => () => this.app.step(direction);
    return { ArrowUp: go("parent"), ArrowDown: go("child"), ArrowLeft: go("before"), ArrowRight: go("after") };
  }

  /** @param {KeyboardEvent} event */
  pressAnywhere(event) {
    if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const act = this.letterKeys()[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @returns {Record<string, () => void>} */
  letterKeys() {
    const { app, stage, actions, link } = this;
    return {
      "+": () => stage.zoomHere(1.4), "=": () => stage.zoomHere(1.4), "-": () => stage.zoomHere(1 / 1.4),
      0: () => stage.reset(),
      "[": () => app.setClusters(app.partition.count - 1),
      "]": () => actions.moreClusters(),
      a: () => app.showAutomatic(),
      l: () => app.stepLevel(1), L: () => app.stepLevel(-1),
      c: () => app.nextMode(),
      v: () => actions.otherView(),
      h: () => actions.otherHeights(),
      m: () => actions.switchHeat(),
      s: () => actions.switchStrips(),
      p: () => actions.switchScatter(),
      n: () => editName(app, stage),
      y: () => copyLeaves(app),
      u: () => link.hasAddress && copyText(link.address(), "Link"),
      t: () => actions.otherLook(),
      "/": () => byId("search").focus(),
      "?": () => byId("help", HTMLDialogElement).showModal(),
    };
  }
}

/**
 * Whether letters go into what has the focus.
 * @param {EventTarget | null} target
 */
function isField(target) {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox";
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}
