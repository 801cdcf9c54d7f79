// Files to take away, made in the browser.

import { newick } from "../tree/newick.js";
import { paintAxis } from "../draw/axis.js";
import { CanvasPainter } from "../draw/canvas.js";
import { paintNames } from "../draw/names.js";
import { Scene } from "../draw/scene.js";
import { sceneToSvg } from "../draw/svg.js";
import { byId, element } from "./elements.js";
/** @import { App } from "./app.js" */

/** @param {App} app */
export function connectExports(app) {
  const name = app.page.title.replace(/[^\p{L}\p{N}.-]+/gu, "_").slice(0, 60) || "tree";
  /** @param {string} id @param {() => void} make */
  const connect = (id, make) => byId(id).addEventListener("click", make);
  connect("export-csv", () => save(labelTable(app), "text/csv", `${name}_labels.csv`));
  connect("export-newick", () => save(`${newick(app.tree, subtreeNode(app))}\n`, "text/plain", `${name}.nwk`));
  connect("export-svg", () => save(pictureAsSvg(app), "image/svg+xml", `${name}.svg`));
  connect("export-png", () => pictureAsPng(app, (blob) => saveBlob(blob, `${name}.png`)));
}

/** @param {string} text @param {string} type @param {string} name */
function save(text, type, name) {
  saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), name);
}

/**
 * Save a file; there is none where a picture is too large for the browser.
 * @param {Blob | null} blob @param {string} name
 */
function saveBlob(blob, name) {
  if (!blob) return;
  const url = URL.createObjectURL(blob);
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/**
 * The selected node, or the root.
 * @param {App} app
 */
function subtreeNode(app) {
  return app.state.selected >= 0 ? app.state.selected : app.tree.root;
}

/**
 * One row per leaf, in the order of the data: its name, its cluster, and its class where there are classes.
 * @param {App} app
 */
function labelTable(app) {
  const { tree, partition, page } = app;
  const rows = [["name", "label", ...(page.classes ? ["class"] : [])].join(",")];
  for (let leaf = 0; leaf < tree.leafCount; leaf++) {
    const cells = [csvCell(tree.leafName(leaf)), partition.labels[leaf]];
    if (page.classes) cells.push(csvCell(page.classes.names[page.classes.codes[leaf]] ?? ""));
    rows.push(cells.join(","));
  }
  return `${rows.join("\n")}\n`;
}

/** @param {string} text */
function csvCell(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The picture as it is, in full detail.
 * @param {App} app
 */
function restingScene(app) {
  const scene = new Scene();
  app.view.build(scene, app.colours, app.state.look, false);
  return scene;
}

/** @param {App} app */
function pictureAsSvg(app) {
  return sceneToSvg(restingScene(app), app.view, app.tree, app.state.look, app.page.title);
}

/**
 * The picture with twice as many pixels as the page shows.
 * @param {App} app @param {BlobCallback} done
 */
function pictureAsPng(app, done) {
  const { view, tree, state } = app;
  const canvas = element("canvas", { width: Math.round(2 * view.width), height: Math.round(2 * view.height) });
  const painter = new CanvasPainter(canvas);
  painter.paint(restingScene(app), view.width, view.height);
  paintNames(painter.context, view, tree, state.look);
  paintAxis(painter.context, view, state.look);
  canvas.toBlob(done, "image/png");
}
