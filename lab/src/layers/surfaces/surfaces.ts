/** Draws the bodies of a flow in three dimensions. */

import type { Body } from "../../stream/stream_pb";
import { compile, uniforms } from "../gl";
import { CORNER_FLOATS, litCorners } from "./normals";
import { FRAGMENT, VERTEX } from "./shader";

type Three = readonly [number, number, number];

export interface SurfaceProperties {
  readonly bodies: readonly Body[];
  /** Column-major 4 x 4: world to clip coordinates. */
  readonly view: Float32Array;
  /** Unit vector towards the light. */
  readonly light: Three;
  /** Red, green, blue, 0 to 1. */
  readonly ink: Three;
}

const BYTES = 4;
const NAMES = ["view", "light", "ink"] as const;

export class SurfaceLayer {
  private readonly program: WebGLProgram;
  private readonly at: Record<(typeof NAMES)[number], WebGLUniformLocation | null>;
  private readonly array: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;
  private held: readonly Body[] = [];
  private count = 0; // corners in the buffer

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = compile(gl, "surfaces", VERTEX, FRAGMENT);
    this.at = uniforms(gl, this.program, NAMES);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const place of [0, 1]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, BYTES * CORNER_FLOATS, BYTES * 3 * place);
    }
    gl.bindVertexArray(null);
  }

  draw({ bodies, view, light, ink }: SurfaceProperties): void {
    const { gl, at } = this;
    this.fill(bodies);
    if (this.count === 0) return;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    gl.uniformMatrix4fv(at.view, false, view);
    gl.uniform3f(at.light, ...light);
    gl.uniform3f(at.ink, ...ink);
    gl.drawArrays(gl.TRIANGLES, 0, this.count);
    gl.bindVertexArray(null);
  }

  private fill(bodies: readonly Body[]): void {
    if (this.held === bodies) return;
    this.held = bodies;
    const { gl } = this;
    const parts = bodies.flatMap(({ surface }) => (surface ? [litCorners(surface.vertices, surface.triangles)] : []));
    const floats = parts.reduce((sum, part) => sum + part.length, 0);
    this.count = floats / CORNER_FLOATS;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, BYTES * floats, gl.DYNAMIC_DRAW);
    let begin = 0;
    for (const part of parts) {
      gl.bufferSubData(gl.ARRAY_BUFFER, BYTES * begin, part);
      begin += part.length;
    }
  }
}
