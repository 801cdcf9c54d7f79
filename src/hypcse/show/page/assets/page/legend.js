// What the colours mean.

import { grouped } from "../tree/numbers.js";
import { paletteColour, rampColour, toHex } from "../draw/palette.js";
import { byId, element, note, swatch } from "./elements.js";
/** @import { App } from "./app.js" */

const LISTED_COLOURS = 40;

export class Legend {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.list = byId("legend");
    app.listen((changed) => {
      if (changed.some((key) => ["clusters", "level", "mode", "look"].includes(key))) this.refresh();
    });
    this.refresh();
  }

  refresh() {
    const { mode } = this.app.state;
    const rows = { cut: () => this.clusters(), class: () => this.classes(), depth: () => this.depths() };
    this.list.replaceChildren(...rows[mode]());
  }

  /** Clusters, largest first; each row selects the node of its cluster. */
  clusters() {
    const { app } = this;
    const { partition } = app;
    const order = partition.bySize();
    const rows = order.slice(0, LISTED_COLOURS).map((label) => element("li", {}, [
      element("button", { type: "button", onclick: () => app.select(partition.tops[label]) }, [
        swatch(paletteColour(partition.colours[label], app.state.look)),
        element("span", { className: "name", text: `Cluster ${label}` }),
        element("span", { className: "count", text: grouped(partition.sizes[label]) }),
      ]),
    ]));
    return withRest(rows, order.length);
  }

  classes() {
    const { app } = this;
    const mix = app.facts.classMix(app.tree.root);
    // In the order of the classes where all of them are listed, the most frequent first otherwise.
    if (mix.length <= LISTED_COLOURS) mix.sort((a, b) => a.code - b.code);
    const rows = mix.slice(0, LISTED_COLOURS).map(({ code, count, name }) => element("li", { className: "row" }, [
      swatch(paletteColour(code, app.state.look)),
      element("span", { className: "name", text: name, title: name }),
      element("span", { className: "count", text: grouped(count) }),
    ]));
    return withRest(rows, mix.length);
  }

  depths() {
    const { look } = this.app.state;
    const ramp = element("span", { className: "ramp" });
    const stops = Array.from({ length: 9 }, (_, k) => toHex(rampColour(k / 8, look)));
    ramp.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    const ends = element("div", { className: "ends" }, [
      element("span", { text: "root" }),
      element("span", { text: `depth ${grouped(this.app.tree.deepest)}` }),
    ]);
    return [element("li", {}, [ramp, ends])];
  }
}

/** @param {HTMLLIElement[]} rows @param {number} count */
function withRest(rows, count) {
  if (count > rows.length) rows.push(note(`and ${grouped(count - rows.length)} more`, "li"));
  return rows;
}
