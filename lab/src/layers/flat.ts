/** Draws lines and triangles of one colour; every vertex has an opacity of its own. */

import type { Camera } from "../canvas/camera";
import { compile, uniforms } from "./gl";

/** Numbers per vertex: x, y [m] and opacity, 0 to 1. */
export const VERTEX_FLOATS = 3;

const VERTEX = `
layout(location = 0) in vec3 vertex;   // x, y [m], opacity 0 to 1
uniform vec4 map;                      // clip = map.xy + map.zw * position
out float opacity;
void main() {
  opacity = vertex.z;
  gl_Position = vec4(map.xy + map.zw * vertex.xy, 0.0, 1.0);
}`;

const FRAGMENT = `
uniform vec4 color;
in float opacity;
out vec4 pixelColor;
void main() {
  float alpha = color.a * opacity;
  pixelColor = vec4(color.rgb * alpha, alpha);
}`;

export class FlatColorProgram {
  private readonly program: WebGLProgram;
  private readonly at: Record<"map" | "color", WebGLUniformLocation | null>;
  private readonly array: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = compile(gl, "flat colour", VERTEX, FRAGMENT);
    this.at = uniforms(gl, this.program, ["map", "color"]);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
  }

  /** vertices: (count x 3) float32, pairs for lines or triples for triangles. color: red, green, blue, opacity, 0 to 1. */
  draw(camera: Camera, color: readonly [number, number, number, number], vertices: Float32Array, count: number, primitive: "lines" | "triangles"): void {
    const { gl } = this;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, vertices.subarray(0, count * VERTEX_FLOATS), gl.STREAM_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, VERTEX_FLOATS, gl.FLOAT, false, 0, 0);
    const [sx, sy] = [(2 * camera.scale) / camera.width, (2 * camera.scale) / camera.height];
    gl.uniform4f(this.at.map, -camera.center[0] * sx, -camera.center[1] * sy, sx, sy);
    gl.uniform4f(this.at.color, ...color);
    gl.drawArrays(primitive === "lines" ? gl.LINES : gl.TRIANGLES, 0, count);
    gl.bindVertexArray(null);
  }
}
