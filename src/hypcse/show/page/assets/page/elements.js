// Making elements. Text goes in as text, through textContent: a name is never markup.

/** An element with properties and children; `text` is its text, `data` its data attributes. */
function element(tag, { text, className, ...properties } = {}, children = []) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

/** A small square of one colour; the policy of the page allows styles set by the script, not in markup. */
function swatch(packed) {
  const made = element("span", { className: "swatch", "aria-hidden": "true" });
  made.style.background = toHex(packed);
  return made;
}

function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.01) return "< 0.01 %";
  return `${value.toFixed(value >= 10 ? 1 : 2)} %`;
}

function grouped(count) {
  return count.toLocaleString("en");
}

/** A number in few digits. */
function brief(value) {
  return String(+value.toPrecision(4));
}
