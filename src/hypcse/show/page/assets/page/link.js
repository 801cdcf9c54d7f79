// A link that restores what is seen: the part of the address behind "#" holds the state, and changes with it.

/**
 * @import { App, State } from "./app.js"
 * @import { Stage } from "./stage.js"
 */

const WAIT = 250; // Milliseconds without a change after which the address is written.
const LONGEST_NAMES = 4000; // Characters of names that an address may hold.

export class Link {
  /** @param {App} app @param {Stage} stage */
  constructor(app, stage) {
    this.app = app;
    this.stage = stage;
    this.timer = 0;
    // A frame of a notebook has no address of its own.
    this.hasAddress = location.protocol !== "about:";
    this.first = { ...app.state };
    this.read(location.hash);
    window.addEventListener("hashchange", () => this.read(location.hash));
    app.listen(() => this.keep());
    stage.rested = () => this.keep();
  }

  /** Put the state into the address, when nothing has changed for a while. */
  keep() {
    clearTimeout(this.timer);
    if (!this.hasAddress) return;
    this.timer = setTimeout(() => {
      const hash = this.hash();
      if (hash !== location.hash.slice(1)) history.replaceState(null, "", `${location.href.split("#")[0]}#${hash}`);
    }, WAIT);
  }

  /** The whole address with the state. */
  address() {
    return `${location.href.split("#")[0]}#${this.hash()}`;
  }

  /** The state as text: what is as it was at the start is left out. */
  hash() {
    const { app, first } = this;
    const { state, names } = app;
    const parts = new URLSearchParams();
    for (const key of /** @type {(keyof State)[]} */ (["view", "mode", "heights", "heat", "strips", "scatter"])) {
      if (state[key] !== first[key]) parts.set(key, String(state[key]));
    }
    if (state.level >= 0) parts.set("level", String(state.level + 1));
    else if (state.clusters !== first.clusters) parts.set("clusters", String(state.clusters));
    if (state.selected >= 0) parts.set("node", String(state.selected));
    const place = app.view.place();
    if (place.length) parts.set("at", place.map((value) => +value.toPrecision(12)).join(","));
    const edited = JSON.stringify(Array.from(names.edited));
    if (names.edited.size && edited.length <= LONGEST_NAMES) parts.set("names", edited);
    return parts.toString();
  }

  /**
   * Show what a text of `hash` says. What does not fit this page is passed by.
   * @param {string} text
   */
  read(text) {
    const parts = new URLSearchParams(text.replace(/^#/, ""));
    if (parts.toString() === this.hash()) return;
    const { app, first } = this;
    this.readNames(parts.get("names"));
    const level = whole(parts.get("level"), 1, app.levels.length);
    app.set({
      view: parts.get("view") === "dendrogram" ? "dendrogram" : first.view,
      mode: app.modes().find((mode) => mode === parts.get("mode")) ?? first.mode,
      heights: parts.get("heights") === "tree" || !app.page.distance ? "tree" : first.heights,
      heat: readTruth(parts.get("heat"), first.heat),
      strips: readTruth(parts.get("strips"), first.strips),
      scatter: app.page.scatter !== null && readTruth(parts.get("scatter"), first.scatter),
      level: level === null ? -1 : level - 1,
      clusters: whole(parts.get("clusters"), 0, app.tree.leafCount) ?? first.clusters,
      selected: whole(parts.get("node"), 0, app.tree.root) ?? -1,
      hovered: -1,
      cell: "",
      renamed: app.state.renamed + 1,
    });
    const place = (parts.get("at") ?? "").split(",").map(Number);
    if (place.length > 1 && place.every(Number.isFinite)) app.view.goTo(place);
    this.stage.request();
  }

  /** @param {string | null} text A list of node numbers with names. */
  readNames(text) {
    const { names, tree } = this.app;
    names.edited.clear();
    for (const [node, name] of readPairs(text)) {
      if (Number.isInteger(node) && node >= tree.leafCount && node <= tree.root) names.rename(node, String(name));
    }
  }
}

/**
 * A whole number from a range; null for anything else.
 * @param {string | null} text @param {number} least @param {number} most
 */
function whole(text, least, most) {
  if (text === null || !/^\d+$/.test(text)) return null;
  const value = Number(text);
  return value >= least && value <= most ? value : null;
}

/** @param {string | null} text @param {boolean} otherwise */
function readTruth(text, otherwise) {
  return text === "true" || text === "false" ? text === "true" : otherwise;
}

/**
 * A list of pairs in JSON; nothing where the text is none: an address may be cut or mistyped.
 * @param {string | null} text @returns {[number, unknown][]}
 */
function readPairs(text) {
  try {
    const found = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter((pair) => Array.isArray(pair) && pair.length === 2) : [];
  } catch {
    return [];
  }
}
