// What is under the pointer, in a few lines beside it.

import { brief, grouped, percent } from "../../tree/numbers.js";
import { shortText } from "../../draw/words.js";
import { byId, element } from "../elements.js";
/** @import { App } from "../../page/app.js" */

const TOLD_COLUMNS = 3;

export class Tip {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.tip = byId("tip");
    app.listen((changed) => { if (changed.includes("hovered") || changed.includes("cell")) this.point(); });
  }

  /** A node in short, or what stands beside the leaves. */
  point() {
    const { state, names, view, pointed } = this.app;
    const node = state.hovered;
    this.tip.hidden = node < 0 && !state.cell;
    if (this.tip.hidden) return;
    const [title, ...lines] = node < 0 ? state.cell.split("\n") : [names.title(node), ...this.shortFacts(node)];
    this.tip.replaceChildren(
      element("strong", { text: shortText(title, 80) }), ...lines.map((text) => element("div", { text })),
    );
    this.placeTip(...(node < 0 ? pointed : view.position(node)));
  }

  /** @param {number} node */
  shortFacts(node) {
    const { tree, facts, page } = this.app;
    const lines = [];
    if (!tree.isLeaf(node)) lines.push(`${grouped(tree.size[node])} leaves, height ${brief(tree.height[node])}`);
    for (const { name, here, others } of facts.typical(node)?.slice(0, TOLD_COLUMNS) ?? []) {
      lines.push(`${shortText(name, 28)} ${here}, others ${others}`);
    }
    const apart = facts.distance(node);
    if (apart !== null) lines.push(`parts ${apart} apart`);
    for (const labeling of page.labelings) {
      const mix = facts.mix(tree.leavesInOrder(node), labeling).slice(0, 3);
      const share = (/** @type {number} */ count) => (tree.isLeaf(node) ? "" : `${percent(count / tree.size[node])} `);
      lines.push(...mix.map(({ name, count }) => `${share(count)}${labeling.title} ${shortText(name, 28)}`));
    }
    const entropy = facts.entropy(node);
    if (entropy) lines.push(`entropy share ${percent(entropy.own)}`);
    return lines;
  }

  /** @param {number} x @param {number} y */
  placeTip(x, y) {
    const { view } = this.app;
    const { offsetWidth, offsetHeight } = this.tip;
    const left = x + 16 + offsetWidth > view.width ? x - 16 - offsetWidth : x + 16;
    this.tip.style.left = `${Math.max(left, 4)}px`;
    this.tip.style.top = `${Math.min(Math.max(y - offsetHeight / 2, 4), view.height - offsetHeight - 4)}px`;
  }
}
