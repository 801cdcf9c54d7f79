// The start: data, state, picture, and all parts around it.

import { readDocument } from "../tree/payload.js";
import { axisMarks } from "../draw/dendrogram/axis.js";
import { countColors } from "../draw/colors.js";
import { pictureWords } from "../draw/names.js";
import { copyText } from "../side/taking/clipboard.js";
import { Comparison } from "../side/comparison.js";
import { Controls } from "../side/controls.js";
import { byId, element } from "../side/elements.js";
import { connectExports } from "../side/taking/exports.js";
import { Legend } from "../side/legend.js";
import { LevelList } from "../side/levels.js";
import { Panel } from "../side/node/panel.js";
import { Search } from "../side/search.js";
import { Tip } from "../side/node/tip.js";
import { App } from "./app.js";
import { Keyboard } from "./keyboard.js";
import { Link } from "./link.js";
import { Pointer } from "./pointer.js";
import { Scatter } from "./scatter.js";
import { Stage } from "./stage.js";

function startPage() {
  const app = new App(readDocument(byId("data").textContent));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  app.set({ look: dark.matches ? "dark" : "light" });
  dark.addEventListener("change", () => app.set({ look: dark.matches ? "dark" : "light" }));
  const stage = new Stage(app);
  const link = new Link(app, stage);
  new Panel(app, stage);
  new Tip(app);
  new Legend(app);
  new LevelList(app);
  new Comparison(app);
  new Search(app, stage);
  const scatter = app.page.scatter && new Scatter(app, app.page.scatter);
  const controls = new Controls(app, stage);
  new Pointer(app, stage);
  new Keyboard(app, stage, controls, link);
  byId("copy-link").hidden = !link.hasAddress;
  byId("copy-link").addEventListener("click", () => copyText(link.address(), "Link"));
  connectExports(app);
  exposeState(app, stage, scatter);
}

/**
 * `window.hypcse` tells tests what the page shows. It is read-only and no part of the interface.
 * @param {App} app @param {Stage} stage @param {Scatter | null} scatter
 */
function exposeState(app, stage, scatter) {
  const hook = {
    get state() {
      const { state, partition, automatic } = app;
      return { ...state, clusters: partition.count, automatic: partition === automatic, level: app.shownLevel() };
    },
    get colors() {
      return countColors(app.tree, app.colors);
    },
    get leafColors() {
      return Array.from(app.colors.subarray(0, app.tree.leafCount));
    },
    get motion() {
      return app.view.summary();
    },
    get frames() {
      return { count: stage.frames, milliseconds: stage.frameTime, moving: stage.moving, painter: stage.painter.kind };
    },
    get drawn() {
      return { segments: stage.scene.segments.count, dots: stage.scene.dots.count };
    },
    get words() {
      return pictureWords(app.view, app.tree, app.partition, app.names, app.state.selected).map(({ text }) => text);
    },
    get beside() {
      const { beside } = app.views.dendrogram;
      return { columns: beside.columns.map((place) => beside.columnName(place)), rects: stage.scene.rects.count };
    },
    /** @param {number} label @param {number} place */
    heat: (label, place) => app.views.dendrogram.beside.value(label, place),
    /** @param {number} leaf @param {number} place */
    heatPlace: (leaf, place) => app.views.dendrogram.beside.placeOf(app.views.dendrogram, leaf, place),
    get scatter() {
      return scatter && { dots: scatter.scene.dots.count, milliseconds: scatter.frameTime, enlarged: scatter.view.enlarged };
    },
    /** @param {number} leaf */
    pointPlace: (leaf) => scatter?.view.position(leaf),
    get lassoed() {
      return app.lassoed && Array.from(app.lassoed);
    },
    get axis() {
      return app.view.axis ? axisMarks(app.view).title.text : null;
    },
    /** @param {number} node */
    position: (node) => app.view.position(node),
    /** @param {number} clusters */
    labels: (clusters) => Array.from(app.cuts.into(clusters).labels),
  };
  Object.defineProperty(window, "hypcse", { value: Object.freeze(hook) });
}

try {
  startPage();
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  document.querySelector("main")?.replaceChildren(
    element("p", { className: "failure", text: `The tree cannot be shown: ${reason}` }),
  );
  throw error;
}
