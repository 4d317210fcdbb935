/** Draws bodies in 3D. */

import type { Body } from "../../stream/stream_pb";
import { compile, uniforms } from "../gl";
import { CORNER_FLOATS, cornersWithNormals } from "./normals";
import { FRAGMENT, VERTEX } from "./shader";

type Three = readonly [number, number, number];

export interface SurfaceProperties {
  readonly bodies: readonly Body[];
  /** Transformation from world to clip coordinates, column-major 4 x 4. */
  readonly view: Float32Array;
  /** Unit vector towards the light. */
  readonly light: Three;
  /** Colour of the bodies: red, green, blue, 0 to 1. */
  readonly color: Three;
}

const BYTES = 4;
const NAMES = ["view", "light", "bodyColor"] as const;

export class SurfaceLayer {
  private readonly program: WebGLProgram;
  private readonly at: Record<(typeof NAMES)[number], WebGLUniformLocation | null>;
  private readonly array: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;
  private uploaded: readonly Body[] = [];
  private count = 0; // corners in the buffer

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = compile(gl, "surfaces", VERTEX, FRAGMENT);
    this.at = uniforms(gl, this.program, NAMES);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const attribute of [0, 1]) {
      gl.enableVertexAttribArray(attribute);
      gl.vertexAttribPointer(attribute, 3, gl.FLOAT, false, BYTES * CORNER_FLOATS, BYTES * 3 * attribute);
    }
    gl.bindVertexArray(null);
  }

  draw({ bodies, view, light, color }: SurfaceProperties): void {
    const { gl, at } = this;
    this.upload(bodies);
    if (this.count === 0) return;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    gl.uniformMatrix4fv(at.view, false, view);
    gl.uniform3f(at.light, ...light);
    gl.uniform3f(at.bodyColor, ...color);
    gl.drawArrays(gl.TRIANGLES, 0, this.count);
    gl.bindVertexArray(null);
  }

  private upload(bodies: readonly Body[]): void {
    if (this.uploaded === bodies) return;
    this.uploaded = bodies;
    const { gl } = this;
    const parts = bodies.flatMap(({ surface }) => (surface ? [cornersWithNormals(surface.vertices, surface.triangles)] : []));
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
