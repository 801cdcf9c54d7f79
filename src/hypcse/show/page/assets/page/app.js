// What the page shows now, and all that can be done to it. Parts of the page listen and draw themselves anew.

const MODES = ["cut", "class", "depth"];

class App {
  constructor(page) {
    this.page = page;
    this.tree = new Tree(page);
    this.cuts = new Cuts(this.tree);
    this.facts = new Facts(this.tree, page);
    this.views = { disk: new DiskView(this.tree, page), dendrogram: new DendrogramView(this.tree, page) };
    this.listeners = [];
    this.levels = nestedPartitions(this.tree, page.levels);
    this.automatic = this.levels[page.mainLevel ?? -1] || new Partition(this.tree, page.automatic);
    // level: -1 stands for none, so that clusters count; clusters: 0 stands for the automatic cut.
    this.state = {
      view: "disk", mode: "cut", level: -1, clusters: page.clusters || 0, selected: -1, hovered: -1, look: "light",
      heights: page.byDistance ? "distance" : "tree",
    };
    this.views.dendrogram.drawHeights(this.state.heights);
    this.cutAnew();
  }

  get view() {
    return this.views[this.state.view];
  }

  /** Call `listener(changed)` with the keys of the state that changed, after each change. */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** Change the state and tell everybody what changed. */
  set(changes) {
    const changed = Object.keys(changes).filter((key) => this.state[key] !== changes[key]);
    if (!changed.length) return;
    Object.assign(this.state, changes);
    if (changed.includes("heights")) this.views.dendrogram.drawHeights(this.state.heights);
    if (changed.includes("clusters") || changed.includes("level")) this.cutAnew();
    else if (changed.includes("mode") || changed.includes("look")) this.colourAnew();
    for (const listener of this.listeners) listener(changed);
  }

  cutAnew() {
    const { level, clusters } = this.state;
    if (level >= 0) this.partition = this.levels[level];
    else this.partition = clusters ? this.cuts.into(clusters) : this.automatic;
    this.colourAnew();
  }

  colourAnew() {
    this.colours = colourNodes(this.tree, this.page, this.partition, this.state.mode, this.state.look);
  }

  /** Cut into so many clusters, as far as the tree has them, and show their colours. */
  setClusters(wanted) {
    if (!Number.isFinite(wanted)) return;
    this.set({ clusters: Math.min(Math.max(Math.round(wanted), 1), this.tree.leafCount), level: -1, mode: "cut" });
  }

  showAutomatic() {
    this.set({ clusters: 0, level: -1 });
  }

  showLevel(level) {
    this.set({ level, mode: "cut" });
  }

  /** The level that is shown, from 0: the automatic cut may be one; -1 where none is. */
  shownLevel() {
    return this.levels.indexOf(this.partition);
  }

  /** The level after the one shown, or the first with more clusters than are shown; after the last the first again. */
  nextLevel() {
    if (!this.levels.length) return;
    const shown = this.shownLevel();
    const finer = this.levels.findIndex(({ count }) => count > this.partition.count);
    this.showLevel(shown < 0 ? Math.max(finer, 0) : (shown + 1) % this.levels.length);
  }

  nextMode() {
    const known = MODES.filter((mode) => mode !== "class" || this.page.classes);
    this.set({ mode: known[(known.indexOf(this.state.mode) + 1) % known.length] });
  }

  select(node) {
    this.set({ selected: node });
  }

  /** Go from the selected node to its parent, its largest child or a sibling; from nothing to the root. */
  step(direction) {
    const { tree } = this;
    const from = this.state.selected;
    if (from < 0) return this.select(tree.root);
    const next = {
      parent: () => (from === tree.root ? from : tree.parent[from]),
      child: () => (tree.isLeaf(from) ? from : tree.largestChild(from)),
      before: () => tree.sibling(from, -1),
      after: () => tree.sibling(from, 1),
    };
    return this.select(next[direction]());
  }
}
