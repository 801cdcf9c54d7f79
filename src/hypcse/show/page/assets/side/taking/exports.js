// Files to take away, made in the browser.

import { newick, treeJson } from "../../tree/newick.js";
import { CanvasPainter } from "../../draw/painters/canvas.js";
import { pictureWords } from "../../draw/names.js";
import { Scene } from "../../draw/scene.js";
import { pictureToSvg } from "../../draw/painters/svg.js";
import { paintWords, shortText } from "../../draw/words.js";
import { byId, element } from "../elements.js";
import { legendEntries } from "../legend.js";
import { labelTable, meanTable } from "./tables.js";
/**
 * @import { Picture } from "../../draw/painters/svg.js"
 * @import { App } from "../../page/app.js"
 */

const KEY_ROW = 18;
const KEY_COLUMN = 250;
const KEY_ENTRIES = 24;

/** @param {App} app */
export function connectExports(app) {
  const name = app.page.title.replace(/[^\p{L}\p{N}.-]+/gu, "_").slice(0, 60) || "tree";
  /** @param {string} id @param {() => void} make */
  const connect = (id, make) => byId(id).addEventListener("click", make);
  const subtree = () => newick(app.tree, app.state.selected >= 0 ? app.state.selected : app.tree.root, app.names);
  connect("export-csv", () => save(labelTable(app), "text/csv", `${name}_labels.csv`));
  connect("export-means", () => save(meanTable(app), "text/csv", `${name}_clusters.csv`));
  connect("export-newick", () => save(`${subtree()}\n`, "text/plain", `${name}.nwk`));
  connect("export-json", () => save(`${treeJson(app.tree, app.names)}\n`, "application/json", `${name}.json`));
  connect("export-svg", () => save(pictureToSvg(takePicture(app)), "image/svg+xml", `${name}.svg`));
  connect("export-png", () => pictureAsPng(takePicture(app), (blob) => saveBlob(blob, `${name}.png`)));
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
 * The picture as it is, in full detail, and below it what its colors mean.
 * @param {App} app @returns {Picture}
 */
function takePicture(app) {
  const { view, tree, partition, names, state, page } = app;
  const scene = new Scene();
  view.build(scene, app.colors, state.look, false);
  const words = pictureWords(view, tree, partition, names, state.selected);
  const entries = legendEntries(app).slice(0, KEY_ENTRIES);
  const across = Math.max(Math.floor(view.width / KEY_COLUMN), 1);
  entries.forEach(({ color, text, count }, k) => {
    const x = 14 + (k % across) * KEY_COLUMN;
    const y = view.height + 10 + Math.floor(k / across) * KEY_ROW;
    scene.rect(x, y - 5, 10, 10, color);
    words.push({ x: x + 16, y, text: `${shortText(text, 32)} (${count})`, size: 11 });
  });
  const height = view.height + (entries.length ? Math.ceil(entries.length / across) * KEY_ROW + 8 : 0);
  return { scene, words, width: view.width, height, look: state.look, title: page.title };
}

/**
 * The picture with twice as many pixels as the page shows.
 * @param {Picture} picture @param {BlobCallback} done
 */
function pictureAsPng({ scene, words, width, height, look }, done) {
  const canvas = element("canvas", { width: Math.round(2 * width), height: Math.round(2 * height) });
  const painter = new CanvasPainter(canvas);
  painter.paint(scene, width, height);
  paintWords(painter.context, words, look);
  canvas.toBlob(done, "image/png");
}
