// The start: data, state, picture, and all parts around it.

import { readDocument } from "../tree/payload.js";
import { axisMarks } from "../draw/axis.js";
import { countColours } from "../draw/colours.js";
import { App } from "./app.js";
import { Controls } from "./controls.js";
import { byId, element } from "./elements.js";
import { connectExports } from "./exports.js";
import { Keyboard } from "./keyboard.js";
import { Legend } from "./legend.js";
import { LevelList } from "./levels.js";
import { Panel } from "./panel.js";
import { Pointer } from "./pointer.js";
import { Search } from "./search.js";
import { Stage } from "./stage.js";

function startPage() {
  const app = new App(readDocument(byId("data").textContent));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  app.set({ look: dark.matches ? "dark" : "light" });
  dark.addEventListener("change", () => app.set({ look: dark.matches ? "dark" : "light" }));
  const stage = new Stage(app);
  new Panel(app, stage);
  new Legend(app);
  new LevelList(app);
  new Search(app, stage);
  const controls = new Controls(app, stage);
  new Pointer(app, stage);
  new Keyboard(app, stage, controls);
  connectExports(app);
  exposeState(app, stage);
}

/**
 * `window.hypcse` tells tests what the page shows. It is read-only and no part of the interface.
 * @param {App} app @param {Stage} stage
 */
function exposeState(app, stage) {
  const hook = {
    get state() {
      const { state, partition, automatic } = app;
      return { ...state, clusters: partition.count, automatic: partition === automatic, level: app.shownLevel() };
    },
    get colours() {
      return countColours(app.tree, app.colours);
    },
    get leafColours() {
      return Array.from(app.colours.subarray(0, app.tree.leafCount));
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
