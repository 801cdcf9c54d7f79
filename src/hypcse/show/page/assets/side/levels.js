// The levels of the hierarchy as a strip of buttons over the picture, to step through, and what is known of them.

import { grouped } from "../tree/numbers.js";
import { byId, element } from "./elements.js";
/**
 * @import { Structure } from "../tree/payload.js"
 * @import { App } from "../page/app.js"
 */

export class LevelList {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.list = byId("level-list");
    this.live = byId("live");
    this.buttons = app.levels.map((_, k) => this.button(k));
    byId("levels").hidden = !this.buttons.length;
    this.list.replaceChildren(...this.buttons.map((button) => element("li", {}, [button])));
    this.list.addEventListener("keydown", (event) => this.press(event));
    if (!app.page.stability) byId("levels-key").textContent = "clusters";
    byId("stability-note").textContent = this.buttons.length ? app.page.stabilityNote : "";
    this.tellStructure(app.page.structure);
    app.listen((changed) => {
      if (changed.includes("level") || changed.includes("clusters")) this.refresh();
      if (changed.includes("level") && app.state.level >= 0) this.tell(app.state.level);
    });
    this.refresh();
  }

  /** @param {number} k */
  button(k) {
    const { app } = this;
    const { count } = app.levels[k];
    const words = [
      element("strong", { text: grouped(count) }),
      element("span", { className: "unseen", text: count === 1 ? " cluster" : " clusters" }),
    ];
    if (app.levels[k] === app.automatic) {
      words.push(element("span", { className: "main-level", text: "main", title: "The automatic clusters" }));
    }
    const stable = this.stability(k);
    const attributes = {
      type: "button", "aria-pressed": "false", title: `Level ${k + 1}: ${this.words(k, ", ")}`,
      onclick: () => app.showLevel(k),
    };
    const told = stable === null ? [] : [
      element("span", { className: "unseen", text: ", stability " }),
      element("span", { className: "stable", text: stable.toFixed(2) }), stabilityBar(stable),
    ];
    return element("button", attributes, [element("span", { className: "words" }, words), ...told]);
  }

  /**
   * Arrow keys step through the strip, and show what they step on.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const { app, buttons } = this;
    const at = buttons.findIndex((button) => button === document.activeElement);
    /** @type {Record<string, number>} */
    const goal = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: buttons.length - 1 };
    const next = goal[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const level = Math.min(Math.max(next, 0), buttons.length - 1);
    app.showLevel(level);
    buttons[level].focus({ preventScroll: true });
  }

  /** @param {number} k @param {string} between */
  words(k, between) {
    const { count } = this.app.levels[k];
    const stable = this.stability(k);
    const clusters = `${grouped(count)} cluster${count === 1 ? "" : "s"}`;
    return stable === null ? clusters : `${clusters}${between}stability ${stable.toFixed(2)}`;
  }

  /**
   * Of all leaves together, or each alone, stability says nothing.
   * @param {number} k
   */
  stability(k) {
    const { levels, page, tree } = this.app;
    const telling = levels[k].count > 1 && levels[k].count < tree.leafCount;
    return page.stability && telling ? page.stability[k] : null;
  }

  /** @param {Structure | null} structure */
  tellStructure(structure) {
    const box = byId("structure");
    box.hidden = !structure;
    if (!structure) return;
    const { text, found } = structure;
    const warning = found || !this.buttons.length ? "" : " The levels below may be chance.";
    // A caution stands over the picture, good news among the clusters.
    box.classList.toggle("caution", !found);
    if (found) byId("automatic").after(box);
    box.textContent = `${text[0].toUpperCase()}${text.slice(1)}.${warning}`;
  }

  /**
   * Say it to people who hear the page.
   * @param {number} k
   */
  tell(k) {
    this.live.textContent = `Level ${k + 1} of ${this.buttons.length}: ${this.words(k, ", ")}.`;
  }

  refresh() {
    const shown = this.app.shownLevel();
    this.buttons.forEach((button, k) => {
      button.setAttribute("aria-pressed", String(k === shown));
      // One stop for the tab key: the arrow keys do the rest.
      button.tabIndex = k === Math.max(shown, 0) ? 0 : -1;
    });
    if (shown >= 0) this.bringIntoSight(this.buttons[shown]);
  }

  /**
   * Scroll the list, and never the page, until a button is in sight.
   * @param {HTMLElement} button
   */
  bringIntoSight({ offsetLeft, offsetWidth }) {
    const least = offsetLeft + offsetWidth - this.list.clientWidth;
    this.list.scrollLeft = Math.min(Math.max(this.list.scrollLeft, least), offsetLeft);
  }
}

/** @param {number} share */
function stabilityBar(share) {
  const fill = element("i");
  fill.style.width = `${100 * share}%`;
  return element("span", { className: "stability", "aria-hidden": "true" }, [fill]);
}
