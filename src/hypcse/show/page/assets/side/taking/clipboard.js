// Copying text, and saying that it was done.

import { grouped } from "../../tree/numbers.js";
import { byId, element } from "../elements.js";
/** @import { App } from "../../page/app.js" */

const SHOWN_FOR = 2600; // Milliseconds.

/**
 * Copy a text; where the browser forbids that, as in the frame of a notebook, show it to be copied by hand.
 * @param {string} text @param {string} what What was copied, in words.
 */
export function copyText(text, what) {
  // Only pages from safe places have a clipboard.
  const copied = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject(new Error("no clipboard"));
  copied.then(() => say(`${what} copied.`), () => showText(text, what));
}

/**
 * Copy the names of the leaves that are selected, one per line: those under a node from left to right.
 * @param {App} app
 */
export function copyLeaves(app) {
  const selected = app.selectedLeaves();
  if (!selected) {
    say("Select a node first.");
    return;
  }
  const leaves = Array.from(selected, (leaf) => app.tree.leafName(leaf));
  copyText(`${leaves.join("\n")}\n`, leaves.length === 1 ? "1 name" : `${grouped(leaves.length)} names`);
}

/**
 * Say something to people who see the page and to those who hear it.
 * @param {string} text
 */
function say(text) {
  const box = byId("said");
  box.textContent = text;
  box.hidden = false;
  byId("live").textContent = text;
  clearTimeout(Number(box.dataset.timer));
  box.dataset.timer = String(setTimeout(() => { box.hidden = true; }, SHOWN_FOR));
}

/** @param {string} text @param {string} what */
function showText(text, what) {
  const field = element("textarea", { readonly: "", rows: 12, "aria-label": what });
  field.value = text;
  byId("copy-title").textContent = `${what}: copy by hand`;
  byId("copy-text").replaceChildren(field);
  byId("copy", HTMLDialogElement).showModal();
  field.select();
}
