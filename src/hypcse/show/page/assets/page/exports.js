// Files to take away, made in the browser.

function connectExports(app) {
  const name = app.page.title.replace(/[^\p{L}\p{N}.-]+/gu, "_").slice(0, 60) || "tree";
  const connect = (id, make) => byId(id).addEventListener("click", make);
  connect("export-csv", () => save(labelTable(app), "text/csv", `${name}_labels.csv`));
  connect("export-newick", () => save(`${newick(app.tree, subtreeNode(app))}\n`, "text/plain", `${name}.nwk`));
  connect("export-svg", () => save(pictureAsSvg(app), "image/svg+xml", `${name}.svg`));
  connect("export-png", () => pictureAsPng(app, (blob) => saveBlob(blob, `${name}.png`)));
}

function save(text, type, name) {
  saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), name);
}

function saveBlob(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** The selected node, or the root. */
function subtreeNode(app) {
  return app.state.selected >= 0 ? app.state.selected : app.tree.root;
}

/** One row a leaf, in the order of the data: its name, its cluster, and its class where there are classes. */
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

function csvCell(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The picture as it is, in full detail. */
function restingScene(app) {
  const scene = new Scene();
  app.view.build(scene, app.colours, app.state.look, false);
  return scene;
}

function pictureAsSvg(app) {
  return sceneToSvg(restingScene(app), app.view, app.tree, app.state.look, app.page.title);
}

/** The picture with twice as many pixels as the page shows. */
function pictureAsPng(app, done) {
  const { view, tree, state } = app;
  const canvas = element("canvas", { width: Math.round(2 * view.width), height: Math.round(2 * view.height) });
  const painter = new CanvasPainter(canvas);
  painter.paint(restingScene(app), view.width, view.height);
  paintNames(painter.context, view, tree, state.look);
  paintAxis(painter.context, view, state.look);
  canvas.toBlob(done, "image/png");
}
