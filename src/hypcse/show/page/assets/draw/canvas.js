// Painting a scene by the two-dimensional canvas: where there is no WebGL2, and for the PNG.

class CanvasPainter {
  constructor(canvas) {
    this.canvas = canvas;
    this.kind = "canvas";
    this.context = canvas.getContext("2d", { alpha: false });
  }

  paint(scene, width, height) {
    const { context, canvas } = this;
    context.setTransform(canvas.width / width, 0, 0, canvas.height / height, 0, 0);
    context.fillStyle = scene.ground;
    context.fillRect(0, 0, width, height);
    if (scene.disk) {
      context.fillStyle = scene.disk.fill;
      context.beginPath();
      context.arc(scene.disk.x, scene.disk.y, scene.disk.radius, 0, 2 * Math.PI);
      context.fill();
    }
    context.lineCap = "round";
    for (const group of strokeGroups(scene)) this.stroke(group, scene.segments.values);
    for (const [colour, rows] of dotGroups(scene)) this.fill(toHex(colour), rows, scene.dots.values);
  }

  stroke({ colour, width, rows }, values) {
    const { context } = this;
    context.strokeStyle = toHex(colour);
    context.lineWidth = width;
    context.beginPath();
    for (const row of rows) {
      const at = SEGMENT_NUMBERS * row;
      context.moveTo(values[at], values[at + 1]);
      context.lineTo(values[at + 2], values[at + 3]);
    }
    context.stroke();
  }

  fill(colour, rows, values) {
    const { context } = this;
    context.fillStyle = colour;
    context.beginPath();
    for (const row of rows) {
      const [x, y, radius] = values.subarray(DOT_NUMBERS * row, DOT_NUMBERS * (row + 1));
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.fill();
  }
}

/** Segments that share colour and (to a fifth of a pixel) width, in the order in which the first of each comes. */
function strokeGroups(scene) {
  const groups = new Map();
  const { values, colours, count } = scene.segments;
  for (let row = 0; row < count; row++) {
    const width = Math.max(Math.round(values[SEGMENT_NUMBERS * row + 4] * 5) / 5, 0.4);
    const key = `${colours[row]} ${width}`;
    if (!groups.has(key)) groups.set(key, { colour: colours[row], width, rows: [] });
    groups.get(key).rows.push(row);
  }
  return groups.values();
}

/** Dots by colour. */
function dotGroups(scene) {
  const groups = new Map();
  const { colours, count } = scene.dots;
  for (let row = 0; row < count; row++) {
    if (!groups.has(colours[row])) groups.set(colours[row], []);
    groups.get(colours[row]).push(row);
  }
  return groups;
}
