// Tables to take away, as CSV text.

import { paletteColor, toHex } from "../../draw/palette.js";
/** @import { App } from "../../page/app.js" */

/**
 * One row per leaf, in the order of the data: its name, its cluster with name and color, and its labels.
 * @param {App} app
 */
export function labelTable(app) {
  const { tree, partition, page } = app;
  const rows = [["name", "label", "cluster", "color", ...page.labelings.map(({ title }) => title)]];
  const titles = new Map(partition.bySize().map((label) => [label, clusterCells(app, label)]));
  for (let leaf = 0; leaf < tree.leafCount; leaf++) {
    const label = partition.labels[leaf];
    const own = page.labelings.map(({ codes, names }) => names[codes[leaf]] ?? "");
    rows.push([tree.leafName(leaf), partition.numberOf(label), ...titles.get(label) ?? [], ...own]);
  }
  return csvText(rows);
}

/**
 * One row per cluster, largest first: its name, color, node and leaves, and the means of the columns of the heat map.
 * @param {App} app
 */
export function meanTable(app) {
  const { partition, page, views } = app;
  const { beside } = views.dendrogram;
  app.arrangeBeside();
  const places = page.table ? Array.from(page.table.heat.columns.keys()) : [];
  const rows = [["label", "cluster", "color", "node", "leaves", ...places.map((place) => beside.columnName(place))]];
  for (const label of partition.bySize()) {
    const node = partition.ofNodes && partition.tops[label] >= 0 ? String(partition.tops[label]) : "";
    const means = places.map((place) => meanOf(app, label, place));
    rows.push([partition.numberOf(label), ...clusterCells(app, label), node, String(partition.sizes[label]), ...means]);
  }
  return csvText(rows);
}

/**
 * The mean of a column in a cluster, in the unit of the column.
 * @param {App} app @param {number} label @param {number} place
 */
function meanOf({ page, views }, label, place) {
  const value = views.dendrogram.beside.value(label, place);
  if (!page.table) return "";
  const column = page.table.heat.columns[place];
  return String(+(page.table.mean[column] + value * page.table.deviation[column]).toPrecision(6));
}

/** @param {App} app @param {number} label */
function clusterCells(app, label) {
  const { partition, state } = app;
  return [app.clusterTitle(label), toHex(paletteColor(partition.colors[label], state.look))];
}

/** @param {string[][]} rows */
function csvText(rows) {
  return `${rows.map((cells) => cells.map(csvCell).join(",")).join("\n")}\n`;
}

/** @param {string} text */
function csvCell(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
