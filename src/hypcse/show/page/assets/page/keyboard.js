// Keys. Those without a letter act when the picture has the focus, the others everywhere but in fields.

const PAN_STEP = 48;

class Keyboard {
  constructor(app, stage, actions) {
    this.app = app;
    this.stage = stage;
    this.actions = actions;
    stage.canvas.addEventListener("keydown", (event) => this.pressOnPicture(event));
    document.addEventListener("keydown", (event) => this.pressAnywhere(event));
  }

  pressOnPicture(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const table = event.shiftKey ? this.walkKeys() : this.moveKeys();
    const act = table[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  moveKeys() {
    const { app, stage } = this;
    const pan = (dx, dy) => () => {
      const [x, y] = [app.view.width / 2, app.view.height / 2];
      stage.pan(x, y, x + dx * PAN_STEP, y + dy * PAN_STEP);
    };
    return {
      ArrowLeft: pan(1, 0), ArrowRight: pan(-1, 0), ArrowUp: pan(0, 1), ArrowDown: pan(0, -1),
      Home: () => stage.reset(),
      Enter: () => app.state.selected >= 0 && stage.focus(app.state.selected),
      Escape: () => app.select(-1),
    };
  }

  walkKeys() {
    const go = (direction) => () => this.app.step(direction);
    return { ArrowUp: go("parent"), ArrowDown: go("child"), ArrowLeft: go("before"), ArrowRight: go("after") };
  }

  pressAnywhere(event) {
    const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox";
    if (inField || event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const act = this.letterKeys()[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  letterKeys() {
    const { app, stage, actions } = this;
    return {
      "+": () => stage.zoomHere(1.4), "=": () => stage.zoomHere(1.4), "-": () => stage.zoomHere(1 / 1.4),
      0: () => stage.reset(),
      "[": () => app.setClusters(app.partition.count - 1),
      "]": () => actions.moreClusters(),
      a: () => app.showAutomatic(),
      l: () => app.nextLevel(),
      c: () => app.nextMode(),
      v: () => actions.otherView(),
      h: () => actions.otherHeights(),
      t: () => actions.otherLook(),
      "/": () => byId("search").focus(),
      "?": () => byId("help").showModal(),
    };
  }
}
