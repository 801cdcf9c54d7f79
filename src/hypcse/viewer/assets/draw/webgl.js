// Painting a scene by WebGL2: every segment and every dot is one instance of a square, smoothed in the fragment shader.

const SEGMENT_VERTEX = `#version 300 es
layout(location = 0) in vec4 ends;
layout(location = 1) in float width;
layout(location = 2) in vec4 colour;
uniform vec2 size;
out float across;
out float reach;
out vec4 ink;
void main() {
  vec2 along = ends.zw - ends.xy;
  float lengthInPixels = max(length(along), 0.0001);
  vec2 forward = along / lengthInPixels;
  float end = float(gl_VertexID & 1);
  float side = float(gl_VertexID >> 1) * 2.0 - 1.0;
  reach = 0.5 * width + 0.7;
  across = side * reach;
  vec2 point = mix(ends.xy, ends.zw, end) + forward * (end - 0.5) * 0.4 + vec2(-forward.y, forward.x) * across;
  ink = colour;
  gl_Position = vec4(point / size * 2.0 - 1.0, 0.0, 1.0) * vec4(1.0, -1.0, 1.0, 1.0);
}`;

const SEGMENT_FRAGMENT = `#version 300 es
precision highp float;
in float across;
in float reach;
in vec4 ink;
out vec4 pixel;
void main() {
  pixel = vec4(ink.rgb, clamp(reach - abs(across), 0.0, 1.0));
}`;

const DOT_VERTEX = `#version 300 es
layout(location = 0) in vec3 circle;
layout(location = 1) in vec4 colour;
uniform vec2 size;
out vec2 offset;
out float reach;
out vec4 ink;
void main() {
  reach = circle.z + 0.5;
  offset = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * (reach + 0.5);
  ink = colour;
  gl_Position = vec4((circle.xy + offset) / size * 2.0 - 1.0, 0.0, 1.0) * vec4(1.0, -1.0, 1.0, 1.0);
}`;

const DOT_FRAGMENT = `#version 300 es
precision highp float;
in vec2 offset;
in float reach;
in vec4 ink;
out vec4 pixel;
void main() {
  pixel = vec4(ink.rgb, clamp(reach - length(offset), 0.0, 1.0));
}`;

class WebglPainter {
  /** Throws where there is no WebGL2; then the canvas is still free for another context. */
  constructor(canvas) {
    this.canvas = canvas;
    this.kind = "webgl2";
    this.gl = canvas.getContext("webgl2", { antialias: false, alpha: false });
    if (!this.gl) throw new Error("this browser has no WebGL2");
    this.prepare();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => this.prepare());
  }

  prepare() {
    const { gl } = this;
    this.segments = this.batch(SEGMENT_VERTEX, SEGMENT_FRAGMENT, [4, 1]);
    this.dots = this.batch(DOT_VERTEX, DOT_FRAGMENT, [3]);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** A program with its buffers: attributes of these widths from one buffer of floats, and a colour a row. */
  batch(vertex, fragment, widths) {
    const { gl } = this;
    const program = linkProgram(gl, vertex, fragment);
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const values = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, values);
    const stride = 4 * widths.reduce((sum, width) => sum + width, 0);
    let offset = 0;
    widths.forEach((width, place) => {
      this.attribute(place, width, gl.FLOAT, false, stride, offset);
      offset += 4 * width;
    });
    const colours = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, colours);
    this.attribute(widths.length, 4, gl.UNSIGNED_BYTE, true, 4, 0);
    return { program, array, values, colours, size: gl.getUniformLocation(program, "size") };
  }

  attribute(place, width, type, normalise, stride, offset) {
    const { gl } = this;
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, width, type, normalise, stride, offset);
    gl.vertexAttribDivisor(place, 1);
  }

  paint(scene, width, height) {
    const { gl, canvas } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    const ground = packHex(scene.ground);
    gl.clearColor((ground & 255) / 255, ((ground >> 8) & 255) / 255, ((ground >> 16) & 255) / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (scene.disk) this.paintDisk(scene.disk, width, height);
    this.paintRows(this.segments, scene.segments, width, height);
    this.paintRows(this.dots, scene.dots, width, height);
  }

  paintDisk(disk, width, height) {
    const rows = new Rows(3);
    const at = rows.extend(packHex(disk.fill));
    rows.values.set([disk.x, disk.y, disk.radius], at);
    this.paintRows(this.dots, rows, width, height);
  }

  paintRows(batch, rows, width, height) {
    if (!rows.count) return;
    const { gl } = this;
    gl.useProgram(batch.program);
    gl.bindVertexArray(batch.array);
    gl.uniform2f(batch.size, width, height);
    gl.bindBuffer(gl.ARRAY_BUFFER, batch.values);
    gl.bufferData(gl.ARRAY_BUFFER, rows.values.subarray(0, rows.count * rows.width), gl.STREAM_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, batch.colours);
    gl.bufferData(gl.ARRAY_BUFFER, rows.colours.subarray(0, rows.count), gl.STREAM_DRAW);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, rows.count);
  }
}

function linkProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`WebGL2 does not take the program: ${gl.getProgramInfoLog(program)}`);
  }
  return program;
}
