// Giving a name to the selected node.

import { byId, element } from "../elements.js";
/**
 * @import { App } from "../../page/app.js"
 * @import { Stage } from "../../page/stage.js"
 */

/**
 * Put a field in place of the title of the selected node: Enter, or going elsewhere, keeps what is typed, Escape does
 * not. An empty name takes back what was typed before.
 * @param {App} app @param {Stage} stage
 */
export function editName(app, stage) {
  const node = app.state.selected;
  const title = byId("details").querySelector("h2");
  if (node < 0 || app.tree.isLeaf(node) || !title) return;
  const field = element("input", { type: "text", id: "node-name", "aria-label": "Name of the node" });
  field.value = app.names.title(node);
  field.placeholder = app.names.automatic(node);
  let done = false;
  /** @param {boolean} keep */
  const finish = (keep) => {
    if (done) return;
    done = true;
    app.rename(node, keep ? field.value : app.names.title(node));
  };
  field.addEventListener("blur", () => finish(true));
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key !== "Enter" && event.key !== "Escape") return;
    finish(event.key === "Enter");
    stage.canvas.focus({ preventScroll: true });
  });
  title.replaceWith(field);
  field.select();
}
