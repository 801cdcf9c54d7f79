// What stands beside the leaves, in words: a cell of the heat map or a piece of a strip under the pointer.

import { brief, grouped } from "../../tree/numbers.js";
/** @import { App } from "../../page/app.js" */

/**
 * Lines of text about what is at a pixel beside the leaves; none for nothing.
 * @param {App} app @param {number} x @param {number} y
 */
export function describeCell(app, x, y) {
  const found = hitBeside(app, x, y);
  if (!found) return "";
  const lines = found.place >= 0 ? columnLines(app, found.leaf, found.place) : stripLines(app, found.leaf, found.strip);
  return lines.join("\n");
}

/**
 * The node of the cluster that a cell of the heat map or the strip of clusters is about; -1 for none.
 * @param {App} app @param {number} x @param {number} y
 */
export function clusterAt(app, x, y) {
  const found = hitBeside(app, x, y);
  return found && found.leaf >= 0 ? app.partition.tops[app.partition.labels[found.leaf]] : -1;
}

/** @param {App} app @param {number} x @param {number} y */
function hitBeside({ view, views }, x, y) {
  return view === views.dendrogram ? view.beside.hit(view, x, y) : null;
}

/** @param {App} app @param {number} leaf @param {number} place */
function columnLines(app, leaf, place) {
  const { table } = app.page;
  const { beside } = app.views.dendrogram;
  if (!table) return [];
  const column = table.heat.columns[place];
  const all = brief(table.mean[column]);
  if (leaf < 0) return [beside.columnName(place), `mean of all leaves ${all}`];
  const label = app.partition.labels[leaf];
  /** @param {number} value */
  const inUnit = (value) => brief(table.mean[column] + value * table.deviation[column]);
  const alone = table.heat.rows === app.tree.leafCount;
  return [
    `${beside.columnName(place)} ${inUnit(beside.valueAt(app.tree.first[leaf], place))}`,
    alone ? app.tree.leafName(leaf) : "mean of leaves around here",
    `mean of the cluster ${inUnit(beside.value(label, place))}, of all leaves ${all}`, clusterLine(app, label),
  ];
}

/** @param {App} app @param {number} leaf @param {number} strip */
function stripLines(app, leaf, strip) {
  const { page, partition, tree } = app;
  const labeling = strip > 0 ? page.labelings[strip - 1] : null;
  const title = labeling ? labeling.title : "cluster";
  if (leaf < 0) return [title];
  const label = partition.labels[leaf];
  const cluster = clusterLine(app, label);
  if (!labeling) return [cluster];
  return [`${title}: ${labeling.names[labeling.codes[leaf]] ?? "unknown"}`, tree.leafName(leaf), cluster];
}

/** @param {App} app @param {number} label */
function clusterLine(app, label) {
  const { partition } = app;
  if (label === partition.outliers) return `one of ${grouped(partition.sizes[label])} outliers`;
  const title = app.clusterTitle(label);
  return title.startsWith("cluster ") ? title : `cluster ${label}, ${grouped(partition.sizes[label])} leaves: ${title}`;
}
