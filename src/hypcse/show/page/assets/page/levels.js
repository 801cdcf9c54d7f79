// The levels of the hierarchy to choose from, and what is known of them.

import { grouped } from "../tree/numbers.js";
import { byId, element } from "./elements.js";
/**
 * @import { Structure } from "../tree/payload.js"
 * @import { App } from "./app.js"
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
    const words = [element("span", { className: "name", text: this.words(k, " · ") })];
    if (app.levels[k] === app.automatic) {
      words.push(element("span", { className: "main-level", text: "main", title: "The automatic clusters" }));
    }
    const stable = this.stability(k);
    const bar = stable === null ? [] : [stabilityBar(stable)];
    const attributes = { type: "button", "aria-pressed": "false", onclick: () => app.showLevel(k) };
    return element("button", attributes, [element("span", { className: "words" }, words), ...bar]);
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
    this.buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === shown)));
    if (shown >= 0) this.bringIntoSight(this.buttons[shown]);
  }

  /**
   * Scroll the list, and never the page, until a button is in sight.
   * @param {HTMLElement} button
   */
  bringIntoSight({ offsetTop, offsetHeight }) {
    const least = offsetTop + offsetHeight - this.list.clientHeight;
    this.list.scrollTop = Math.min(Math.max(this.list.scrollTop, least), offsetTop);
  }
}

/** @param {number} share */
function stabilityBar(share) {
  const fill = element("i");
  fill.style.width = `${100 * share}%`;
  return element("span", { className: "stability", "aria-hidden": "true" }, [fill]);
}
