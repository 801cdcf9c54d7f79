// Search by name: leaves, named nodes and labels, by any part of the name, upper and lower case alike.

import { grouped } from "../tree/numbers.js";
import { byId, element, note } from "./elements.js";
/**
 * @import { App } from "../page/app.js"
 * @import { Stage } from "../page/stage.js"
 */

/** @typedef {{ text: string, kind: string, act: () => void }} Hit What was found, and what choosing it does. */

const LISTED_HITS = 40;

export class Search {
  /** @param {App} app @param {Stage} stage */
  constructor(app, stage) {
    this.app = app;
    this.stage = stage;
    this.field = byId("search", HTMLInputElement);
    this.list = byId("found");
    /** @type {Hit[]} */
    this.hits = [];
    /** @type {string[] | null} */
    this.made = null;
    this.active = 0;
    this.field.addEventListener("input", () => this.look());
    this.field.addEventListener("keydown", (event) => this.press(event));
    this.field.addEventListener("blur", () => this.close());
  }

  /** Names of leaves in lower case, made at the first search. */
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
    const others = [...this.labels(wanted), ...this.nodes(wanted)];
    const leaves = this.leaves(wanted);
    const room = Math.max(LISTED_HITS - others.length, 0);
    this.hits = [...others.slice(0, LISTED_HITS), ...leaves.slice(0, room).map((leaf) => this.leafHit(leaf))];
    this.active = 0;
    this.show(others.length + leaves.length);
  }

  /**
   * Labels of any kind whose name has this in it. Choosing one colors by them and selects the node that fits it best.
   * @param {string} wanted @returns {Hit[]}
   */
  labels(wanted) {
    const { app } = this;
    return app.page.labelings.flatMap((labeling) => labeling.names.flatMap((text, code) => {
      if (!text.toLowerCase().includes(wanted)) return [];
      const act = () => {
        app.set({ mode: labeling.id, strips: true });
        this.go(app.tree.bestNode((leaf) => labeling.codes[leaf] === code));
      };
      return [{ text, kind: labeling.title, act }];
    }).slice(0, LISTED_HITS / 2));
  }

  /**
   * Nodes that somebody named, and clusters that are shown.
   * @param {string} wanted @returns {Hit[]}
   */
  nodes(wanted) {
    const { app } = this;
    const { partition, names } = app;
    const clusters = partition.ofNodes ? partition.bySize().slice(0, 100).map((label) => partition.tops[label]).filter((node) => node >= 0) : [];
    const nodes = new Set([...names.named().keys(), ...clusters.filter((node) => !app.tree.isLeaf(node))]);
    return Array.from(nodes).filter((node) => names.title(node).toLowerCase().includes(wanted))
      .map((node) => ({ text: names.title(node), kind: "node", act: () => this.go(node) }));
  }

  /**
   * Leaves whose name has this in it: those that are or begin with it come first.
   * @param {string} wanted
   */
  leaves(wanted) {
    const { lowered } = this;
    /** @type {number[]} */
    const found = [];
    lowered.forEach((name, leaf) => { if (name.includes(wanted)) found.push(leaf); });
    /** @param {number} leaf */
    const rank = (leaf) => (lowered[leaf] === wanted ? 0 : lowered[leaf].startsWith(wanted) ? 1 : 2);
    return found.sort((a, b) => rank(a) - rank(b) || a - b);
  }

  /** @param {number} leaf @returns {Hit} */
  leafHit(leaf) {
    return { text: this.app.tree.leafName(leaf), kind: "", act: () => this.go(leaf) };
  }

  /** @param {number} count */
  show(count) {
    const rows = this.hits.map((hit, k) => {
      const row = element("li", { role: "option", id: `hit-${k}`, text: hit.text });
      if (hit.kind) row.append(element("span", { className: "kind", text: hit.kind }));
      // The field would lose the focus, and with it the list, before a click.
      row.addEventListener("pointerdown", (event) => event.preventDefault());
      row.addEventListener("click", () => this.choose(hit));
      return row;
    });
    if (!count) rows.push(note("No leaf, node or class has this in its name.", "li"));
    if (count > rows.length) rows.push(note(`and ${grouped(count - rows.length)} more`, "li"));
    this.list.replaceChildren(...rows);
    this.list.hidden = false;
    this.field.setAttribute("aria-expanded", "true");
    byId("live").textContent = `${grouped(count)} found.`;
    this.mark();
  }

  /** Mark the hit that Enter chooses; what is no hit is never marked. */
  mark() {
    this.hits.forEach((_, k) => this.list.children[k].setAttribute("aria-selected", String(k === this.active)));
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

  /** @param {Hit} hit */
  choose(hit) {
    this.close();
    hit.act();
    this.stage.canvas.focus({ preventScroll: true });
  }

  /** @param {number} node */
  go(node) {
    this.app.select(node);
    this.stage.reveal(node);
  }

  close() {
    this.hits = [];
    this.list.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
  }
}
