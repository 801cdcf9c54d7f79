// Buttons, slider and lists around the picture.

import { grouped } from "../tree/numbers.js";
import { byId, element } from "./elements.js";
/**
 * @import { App } from "../page/app.js"
 * @import { Stage } from "../page/stage.js"
 */

const SLIDER_CLUSTERS = 60;

export class Controls {
  /** @param {App} app @param {Stage} stage */
  constructor(app, stage) {
    this.app = app;
    this.stage = stage;
    this.slider = byId("clusters", HTMLInputElement);
    this.number = byId("clusters-number", HTMLInputElement);
    this.automatic = byId("automatic");
    this.mode = byId("coloring", HTMLSelectElement);
    this.slider.max = String(Math.min(app.tree.leafCount, SLIDER_CLUSTERS));
    this.number.max = String(app.tree.leafCount);
    const own = app.page.labelings.map(({ id, title }) => element("option", { value: id, text: title }));
    this.mode.querySelector("[value=depth]")?.before(...own);
    this.automatic.textContent = `Automatic: ${grouped(app.automatic.count)}, ${app.page.automaticRule}`;
    byId("level-marks").replaceChildren(
      ...app.levels.filter(({ count }) => count <= SLIDER_CLUSTERS)
        .map(({ count }) => element("option", { value: String(count) })),
    );
    byId("heat-row").hidden = !app.page.table?.heat.columns.length;
    byId("strips-row").hidden = !app.page.labelings.length;
    byId("show-points").hidden = !app.page.scatter;
    this.heat = byId("heat", HTMLInputElement);
    this.strips = byId("strips", HTMLInputElement);
    byId("summary").textContent = summaryOf(app);
    this.connect();
    app.listen(() => this.refresh());
    this.refresh();
  }

  connect() {
    const { app, stage } = this;
    this.slider.addEventListener("input", () => app.setClusters(Number(this.slider.value)));
    this.number.addEventListener("change", () => this.type());
    this.automatic.addEventListener("click", () => app.showAutomatic());
    this.heat.addEventListener("change", () => this.switchHeat());
    this.strips.addEventListener("change", () => this.switchStrips());
    this.mode.addEventListener("change", () => app.set({ mode: this.mode.value }));
    /** @param {string} id @param {() => void} act */
    const click = (id, act) => byId(id).addEventListener("click", act);
    click("show-disk", () => app.set({ view: "disk", hovered: -1 }));
    click("show-dendrogram", () => app.set({ view: "dendrogram", hovered: -1 }));
    click("show-points", () => this.switchScatter());
    click("height-distance", () => app.set({ heights: "distance", hovered: -1 }));
    click("height-tree", () => app.set({ heights: "tree", hovered: -1 }));
    click("zoom-in", () => stage.zoomHere(1.4));
    click("zoom-out", () => stage.zoomHere(1 / 1.4));
    click("reset", () => stage.reset());
    click("theme", () => this.otherLook());
    click("help-button", () => byId("help", HTMLDialogElement).showModal());
    // Not by a form: a notebook shows the page in a frame that may not submit one.
    click("copy-close", () => byId("copy", HTMLDialogElement).close());
    click("help-close", () => byId("help", HTMLDialogElement).close());
  }

  type() {
    const wanted = parseInt(this.number.value, 10);
    if (wanted >= 1) this.app.setClusters(wanted);
    this.refresh();
  }

  /** The heat map beside the leaves or not; in the disk there is none, so that asking for it shows the dendrogram. */
  switchHeat() {
    if (byId("heat-row").hidden) return;
    const { heat, view } = this.app.state;
    this.app.set({ heat: view === "disk" || !heat, view: "dendrogram" });
  }

  /** The strips of labels beside the leaves or not, as the heat map. */
  switchStrips() {
    if (byId("strips-row").hidden) return;
    const { strips, view } = this.app.state;
    this.app.set({ strips: view === "disk" || !strips, view: "dendrogram" });
  }

  /** The points beside the tree or not. */
  switchScatter() {
    if (this.app.page.scatter) this.app.set({ scatter: !this.app.state.scatter });
  }

  /** One cluster more; past a node that splits into many at once, as many more as that takes. */
  moreClusters() {
    const { app } = this;
    const now = app.partition.count;
    const next = app.cuts.clustersAfter.find((count) => count > now);
    if (next) app.setClusters(next);
  }

  otherView() {
    this.app.set({ view: this.app.state.view === "disk" ? "dendrogram" : "disk", hovered: -1 });
  }

  /** The other heights of the dendrogram, where it is shown and there are others. */
  otherHeights() {
    if (byId("heights").hidden) return;
    this.app.set({ heights: this.app.state.heights === "tree" ? "distance" : "tree", hovered: -1 });
  }

  otherLook() {
    this.app.set({ look: this.app.state.look === "dark" ? "light" : "dark" });
  }

  refresh() {
    const { state, partition, automatic } = this.app;
    this.slider.value = String(partition.count);
    this.slider.setAttribute("aria-valuetext", `${partition.count} clusters`);
    if (document.activeElement !== this.number) this.number.value = String(partition.count);
    this.automatic.setAttribute("aria-pressed", String(partition === automatic));
    this.heat.checked = state.heat && state.view === "dendrogram";
    this.strips.checked = state.strips && state.view === "dendrogram";
    this.mode.value = state.mode;
    document.documentElement.dataset.look = state.look;
    byId("show-disk").setAttribute("aria-pressed", String(state.view === "disk"));
    byId("show-dendrogram").setAttribute("aria-pressed", String(state.view === "dendrogram"));
    byId("show-points").setAttribute("aria-pressed", String(state.scatter));
    byId("scatter").hidden = !state.scatter;
    byId("heights").hidden = !this.app.page.distance || state.view !== "dendrogram";
    byId("height-distance").setAttribute("aria-pressed", String(state.heights === "distance"));
    byId("height-tree").setAttribute("aria-pressed", String(state.heights === "tree"));
  }
}

/** @param {App} app */
function summaryOf(app) {
  const { tree } = app;
  const inner = tree.nodeCount - tree.leafCount;
  const known = app.labeling("class");
  const classes = known ? `, ${grouped(known.names.length)} classes` : "";
  return `${grouped(tree.leafCount)} leaves, ${grouped(inner)} inner nodes, depth ${grouped(tree.deepest)}${classes}`;
}
