// Names of leaves and marks, on a canvas that lies over the picture. Names are drawn as text and never parsed.

const NAME_FONT = "system-ui, sans-serif";
const MOST_NAMES = 400;
const LONGEST_NAME = 28;
const LETTER = 0.58; // Width of a letter over its size, about.

/** A name as it fits: control characters as blanks, long ones cut. */
function shortName(name, longest = LONGEST_NAME) {
  const plain = name.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ");
  const signs = Array.from(plain);
  return signs.length > longest ? `${signs.slice(0, longest - 1).join("")}…` : plain;
}

/** The name of a leaf as it fits into its slot. */
function slotName(slot, view, tree) {
  const fits = Math.floor(slot.room / (LETTER * nameSize(view)));
  return shortName(tree.leafName(slot.leaf), Math.min(Math.max(fits, 3), LONGEST_NAME));
}

/** Size of the letters of names in a view. */
function nameSize(view) {
  return view.pixelsPerLeaf ? Math.min(Math.max(view.pixelsPerLeaf, 8), 12) : 11;
}

function paintNames(context, view, tree, look) {
  context.fillStyle = LOOKS[look].ink;
  context.textBaseline = "middle";
  context.font = `${nameSize(view)}px ${NAME_FONT}`;
  for (const slot of view.nameSlots(MOST_NAMES)) {
    context.save();
    context.translate(slot.x, slot.y);
    context.rotate(slot.angle);
    context.textAlign = slot.atEnd ? "right" : "left";
    context.fillText(slotName(slot, view, tree), 0, 0);
    context.restore();
  }
}

/** A ring around a node, and for the selected one the way to the root. */
function paintMark(context, view, node, look, selected) {
  if (node < 0) return;
  context.strokeStyle = LOOKS[look].accent;
  if (selected) {
    context.lineWidth = 1.6;
    context.beginPath();
    view.pathToRoot(node).forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
  }
  const [x, y] = view.position(node);
  context.lineWidth = selected ? 2.5 : 1.5;
  context.beginPath();
  context.arc(x, y, selected ? 7 : 6, 0, 2 * Math.PI);
  context.stroke();
}
