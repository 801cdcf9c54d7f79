// Painting a scene by WebGL2. Every segment and every dot is a square of two triangles, smoothed at its edge by the
// fragment shader. The squares are made here and not as instances, which drawing in software handles one by one.

import { packHex } from "../palette.js";
import { DOT_NUMBERS, RECT_NUMBERS, SEGMENT_NUMBERS } from "../scene.js";
/** @import { Scene } from "../scene.js" */

const SQUARE_VERTEX = `#version 300 es
layout(location = 0) in vec2 point;
layout(location = 1) in vec3 edge;
layout(location = 2) in vec4 color;
uniform vec2 size;
out vec3 inside;
out vec4 ink;
void main() {
  inside = edge;
  ink = color;
  gl_Position = vec4(point / size * 2.0 - 1.0, 0.0, 1.0) * vec4(1.0, -1.0, 1.0, 1.0);
}`;

// inside.xy is the way from the middle of the line or dot, inside.z how far the ink reaches.
const SQUARE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 inside;
in vec4 ink;
out vec4 pixel;
void main() {
  pixel = vec4(ink.rgb, clamp(inside.z - length(inside.xy), 0.0, 1.0));
}`;

const CORNER_NUMBERS = 5; // Numbers of a corner: its place and its edge.

export class WebglPainter {
  /**
   * Throws where there is no WebGL2; then the canvas is still free for another context.
   * @param {HTMLCanvasElement} canvas
   */
  constructor(canvas) {
    this.canvas = canvas;
    this.kind = "webgl2";
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false });
    if (!gl) throw new Error("this browser has no WebGL2");
    this.gl = gl;
    this.squares = new Squares();
    /** @type {WebGLUniformLocation | null} */
    this.size = null;
    /** @type {WebGLBuffer | null} */
    this.corners = null;
    /** @type {WebGLBuffer | null} */
    this.colors = null;
    this.indexed = 0;
    this.prepare();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => this.prepare());
  }

  prepare() {
    const { gl } = this;
    const program = linkProgram(gl, SQUARE_VERTEX, SQUARE_FRAGMENT);
    gl.useProgram(program);
    this.size = gl.getUniformLocation(program, "size");
    this.corners = gl.createBuffer();
    this.colors = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    this.attribute(0, 2, gl.FLOAT, 4 * CORNER_NUMBERS, 0);
    this.attribute(1, 3, gl.FLOAT, 4 * CORNER_NUMBERS, 8);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colors);
    this.attribute(2, 4, gl.UNSIGNED_BYTE, 4, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    this.indexed = 0;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  /**
   * @param {number} place @param {number} width @param {number} type @param {number} stride @param {number} offset
   */
  attribute(place, width, type, stride, offset) {
    const { gl } = this;
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, width, type, type === gl.UNSIGNED_BYTE, stride, offset);
  }

  /** @param {Scene} scene @param {number} width @param {number} height */
  paint(scene, width, height) {
    const { gl, canvas, squares } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.uniform2f(this.size, width, height);
    const ground = packHex(scene.ground);
    gl.clearColor((ground & 255) / 255, ((ground >> 8) & 255) / 255, ((ground >> 16) & 255) / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    squares.fill(scene);
    this.provideIndices(squares.count);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    gl.bufferData(gl.ARRAY_BUFFER, squares.corners.subarray(0, squares.count * 4 * CORNER_NUMBERS), gl.STREAM_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colors);
    gl.bufferData(gl.ARRAY_BUFFER, squares.colors.subarray(0, squares.count * 4), gl.STREAM_DRAW);
    gl.drawElements(gl.TRIANGLES, 6 * squares.count, gl.UNSIGNED_INT, 0);
  }

  /**
   * Corners 0 1 2 and 2 1 3 of so many squares; kept until more are needed.
   * @param {number} count
   */
  provideIndices(count) {
    if (count <= this.indexed) return;
    this.indexed = Math.max(count, 2 * this.indexed);
    const numbers = new Uint32Array(6 * this.indexed);
    for (let square = 0; square < this.indexed; square++) {
      [0, 1, 2, 2, 1, 3].forEach((corner, k) => { numbers[6 * square + k] = 4 * square + corner; });
    }
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, numbers, this.gl.STATIC_DRAW);
  }
}

/** The segments and dots of a scene as squares: four corners each, with a color at every corner. */
class Squares {
  constructor() {
    this.count = 0;
    this.end = 0;
    this.corners = new Float32Array(0);
    this.colors = new Uint32Array(0);
  }

  /** @param {Scene} scene */
  fill(scene) {
    const { segments, dots, rects, disk } = scene;
    this.count = 0;
    this.end = 0;
    this.reserve(segments.count + dots.count + rects.count + 1);
    if (disk) {
      this.dot(disk.x, disk.y, disk.radius);
      this.finish(packHex(disk.fill));
    }
    for (let row = 0; row < rects.count; row++) {
      this.rect(rects.values, RECT_NUMBERS * row);
      this.finish(rects.colors[row]);
    }
    for (let row = 0; row < segments.count; row++) {
      this.segment(segments.values, SEGMENT_NUMBERS * row);
      this.finish(segments.colors[row]);
    }
    for (let row = 0; row < dots.count; row++) {
      const at = DOT_NUMBERS * row;
      this.dot(dots.values[at], dots.values[at + 1], dots.values[at + 2]);
      this.finish(dots.colors[row]);
    }
  }

  /** @param {number} count */
  reserve(count) {
    if (4 * count <= this.colors.length) return;
    this.corners = new Float32Array(2 * count * 4 * CORNER_NUMBERS);
    this.colors = new Uint32Array(2 * count * 4);
  }

  /**
   * The line of the row that begins at `at`. At a bend its end is cut askew, where the next line is cut alike.
   * @param {Float32Array} values @param {number} at
   */
  segment(values, at) {
    const [x0, y0, x1, y1] = [values[at], values[at + 1], values[at + 2], values[at + 3]];
    const length = Math.max(Math.hypot(x1 - x0, y1 - y0), 0.0001);
    const forwardX = (x1 - x0) / length;
    const forwardY = (y1 - y0) / length;
    const reach = 0.5 * values[at + 4] + 0.5;
    const out = reach + 0.2;
    for (const side of [-out, out]) {
      const [first, last] = [side * values[at + 5], -side * values[at + 6]];
      this.corner(x0 + forwardX * first - forwardY * side, y0 + forwardY * first + forwardX * side, side, 0, reach);
      this.corner(x1 + forwardX * last - forwardY * side, y1 + forwardY * last + forwardX * side, side, 0, reach);
    }
  }

  /** @param {Float32Array} values @param {number} at */
  rect(values, at) {
    const [x, y, width, height] = [values[at], values[at + 1], values[at + 2], values[at + 3]];
    for (const down of [y, y + height]) {
      this.corner(x, down, 0, 0, 1);
      this.corner(x + width, down, 0, 0, 1);
    }
  }

  /** @param {number} x @param {number} y @param {number} radius */
  dot(x, y, radius) {
    const reach = radius + 0.5;
    const out = reach + 0.5;
    this.corner(x - out, y - out, -out, -out, reach);
    this.corner(x + out, y - out, out, -out, reach);
    this.corner(x - out, y + out, -out, out, reach);
    this.corner(x + out, y + out, out, out, reach);
  }

  /**
   * The next corner: its place, its way from the middle across and along, and the reach of the ink.
   * @param {number} x @param {number} y @param {number} across @param {number} along @param {number} reach
   */
  corner(x, y, across, along, reach) {
    const { corners } = this;
    const at = this.end;
    corners[at] = x;
    corners[at + 1] = y;
    corners[at + 2] = across;
    corners[at + 3] = along;
    corners[at + 4] = reach;
    this.end = at + CORNER_NUMBERS;
  }

  /**
   * The four corners made last are a square of this color.
   * @param {number} color
   */
  finish(color) {
    this.colors.fill(color, 4 * this.count, 4 * this.count + 4);
    this.count++;
  }
}

/** @param {WebGL2RenderingContext} gl @param {string} vertex @param {string} fragment */
function linkProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  attachShader(gl, program, gl.VERTEX_SHADER, vertex);
  attachShader(gl, program, gl.FRAGMENT_SHADER, fragment);
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`WebGL2 does not take the program: ${gl.getProgramInfoLog(program)}`);
  }
  return program;
}

/** @param {WebGL2RenderingContext} gl @param {WebGLProgram} program @param {number} type @param {string} text */
function attachShader(gl, program, type, text) {
  const shader = gl.createShader(type);
  if (!shader) throw new Error("WebGL2 makes no shader");
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  gl.attachShader(program, shader);
}
