/** Lines and areas of one colour, each corner as strong as it says. */

import type { Camera } from "../canvas/camera";
import { compile, uniforms } from "./gl";

/** Of a corner: x, y [m], strength 0 to 1. */
export const INK_FLOATS = 3;

const VERTEX = `
layout(location = 0) in vec3 vertex;   // x, y [m], strength 0 to 1
uniform vec4 map;                      // clip = map.xy + map.zw * position
out float strength;
void main() {
  strength = vertex.z;
  gl_Position = vec4(map.xy + map.zw * vertex.xy, 0.0, 1.0);
}`;

const FRAGMENT = `
uniform vec4 ink;
in float strength;
out vec4 color;
void main() {
  float cover = ink.a * strength;
  color = vec4(ink.rgb * cover, cover);
}`;

export class InkProgram {
  private readonly program: WebGLProgram;
  private readonly at: Record<"map" | "ink", WebGLUniformLocation | null>;
  private readonly array: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = compile(gl, "ink", VERTEX, FRAGMENT);
    this.at = uniforms(gl, this.program, ["map", "ink"]);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
  }

  /** vertices: (count x 3) float32, pairs or triples of corners. ink: red, green, blue, strength, 0 to 1. */
  draw(camera: Camera, ink: readonly [number, number, number, number], vertices: Float32Array, count: number, what: "lines" | "triangles"): void {
    const { gl } = this;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, vertices.subarray(0, count * INK_FLOATS), gl.STREAM_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, INK_FLOATS, gl.FLOAT, false, 0, 0);
    const [sx, sy] = [(2 * camera.scale) / camera.width, (2 * camera.scale) / camera.height];
    gl.uniform4f(this.at.map, -camera.center[0] * sx, -camera.center[1] * sy, sx, sy);
    gl.uniform4f(this.at.ink, ...ink);
    gl.drawArrays(what === "lines" ? gl.LINES : gl.TRIANGLES, 0, count);
    gl.bindVertexArray(null);
  }
}
