// Making elements. Text goes in as text, through textContent: a name is never markup.

import { toHex } from "../draw/palette.js";

/** @typedef {string | number | Listener} Attribute */
/** @typedef {{ text?: string, className?: string, [name: string]: Attribute | undefined }} Properties */
/** @typedef {(event: Event) => void} Listener Under a name that begins with "on". */

/**
 * An element with attributes, listeners and children; `text` is its text.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Properties} properties @param {Node[]} children
 */
export function element(tag, { text, className, ...properties } = {}, children = []) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

/**
 * The element of the page with this id, which must be of the kind that is asked for.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id @param {new () => Kind} [kind]
 */
export function byId(id, kind) {
  return /** @type {Kind} */ (required(document.getElementById(id), `element #${id}`, kind ?? HTMLElement));
}

/**
 * What must be there, and must be of a kind where one is given; an error says what is missing.
 * @template Value
 * @param {Value | null} value @param {string} name @param {new () => unknown} [kind]
 */
export function required(value, name, kind) {
  if (value === null || (kind && !(value instanceof kind))) throw new Error(`there is no ${name}`);
  return value;
}

/**
 * A small square of one color; the policy of the page allows styles set by the script, not in markup.
 * @param {number} packed
 */
export function swatch(packed) {
  const made = element("span", { className: "swatch", "aria-hidden": "true" });
  made.style.background = toHex(packed);
  return made;
}

/**
 * A line of small print.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {string} text @param {Tag} tag
 */
export function note(text, tag) {
  return element(tag, { className: "note", text });
}
