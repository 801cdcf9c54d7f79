// Search by leaf name: any part of it, upper and lower case alike.

import { grouped } from "../tree/numbers.js";
import { byId, element, note } from "./elements.js";
/**
 * @import { App } from "./app.js"
 * @import { Stage } from "./stage.js"
 */

const LISTED_HITS = 40;

export class Search {
  /** @param {App} app @param {Stage} stage */
  constructor(app, stage) {
    this.app = app;
    this.stage = stage;
    this.field = byId("search", HTMLInputElement);
    this.list = byId("found");
    /** @type {number[]} */
    this.hits = [];
    /** @type {string[] | null} */
    this.made = null;
    this.active = 0;
    this.field.addEventListener("input", () => this.look());
    this.field.addEventListener("keydown", (event) => this.press(event));
    this.field.addEventListener("blur", () => this.close());
  }

  /** Names in lower case, made at the first search. */
  get lowered() {
    const { tree } = this.app;
    this.made ||= Array.from({ length: tree.leafCount }, (_, leaf) => tree.leafName(leaf).toLowerCase());
    return this.made;
  }

  look() {
    const wanted = this.field.value.trim().toLowerCase();
    if (!wanted) {
      this.close();
      return;
    }
    /** @type {number[]} */
    const found = [];
    const { lowered } = this;
    lowered.forEach((name, leaf) => { if (name.includes(wanted)) found.push(leaf); });
    // Names that are or begin with what was typed come first.
    /** @param {number} leaf */
    const rank = (leaf) => (lowered[leaf] === wanted ? 0 : lowered[leaf].startsWith(wanted) ? 1 : 2);
    this.hits = found.sort((a, b) => rank(a) - rank(b) || a - b).slice(0, LISTED_HITS);
    this.active = 0;
    this.show(found.length);
  }

  /** @param {number} count */
  show(count) {
    const rows = this.hits.map((leaf, k) => {
      const row = element("li", { role: "option", id: `hit-${k}`, text: this.app.tree.leafName(leaf) });
      // The field would lose the focus, and with it the list, before a click.
      row.addEventListener("pointerdown", (event) => event.preventDefault());
      row.addEventListener("click", () => this.choose(leaf));
      return row;
    });
    if (!count) rows.push(note("No leaf has this in its name.", "li"));
    if (count > rows.length) rows.push(note(`and ${grouped(count - rows.length)} more`, "li"));
    this.list.replaceChildren(...rows);
    this.list.hidden = false;
    this.field.setAttribute("aria-expanded", "true");
    byId("live").textContent = `${count} leaves found.`;
    this.mark();
  }

  mark() {
    Array.from(this.list.children).forEach((row, k) => row.setAttribute("aria-selected", String(k === this.active)));
    if (!this.hits.length) return this.field.removeAttribute("aria-activedescendant");
    this.field.setAttribute("aria-activedescendant", `hit-${this.active}`);
    return this.list.children[this.active].scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.hits.length) {
      this.active = (this.active + step + this.hits.length) % this.hits.length;
      this.mark();
      event.preventDefault();
    } else if (event.key === "Enter" && this.hits.length) {
      this.choose(this.hits[this.active]);
    } else if (event.key === "Escape") {
      this.close();
      this.stage.canvas.focus();
    }
    event.stopPropagation();
  }

  /** @param {number} leaf */
  choose(leaf) {
    this.close();
    this.app.select(leaf);
    this.stage.focus(leaf);
    this.stage.canvas.focus({ preventScroll: true });
  }

  close() {
    this.hits = [];
    this.list.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
  }
}
