/** Draws particles in 2D or 3D as points, interpolated between two frames. */

import type { Table } from "../../colors/maps";
import type { Scale } from "../../colors/scale";
import type { Codes, Particles } from "../../stream/frame";
import { compile, createTexture, uniforms } from "../gl";
import { VALUES_PER_PARTICLE, vertexData, type Motion } from "./motion";
import { FRAGMENT, VERTEX } from "./shader";

export interface ParticleProperties {
  readonly motion: Motion;
  readonly scale: Scale;
  readonly table: Table;
  /** Transformation from world to clip coordinates, column-major 4 x 4. */
  readonly view: Float32Array;
  /** Diameter of a point [device pixels]; in perspective, at distance 1. */
  readonly size: number;
  readonly perspective: boolean;
  /** Opacity of a point, 0 to 1. An opaque point in perspective is shaded as a sphere. */
  readonly opacity: number;
}

const BYTES = 2;
const NAMES = [
  "positionOffset", "positionScale", "displacementOffset", "displacementScale", "valueCoding", "blend", "lower", "upper",
  "period", "maxExtrapolation", "view", "size", "range", "perspective", "opacity", "colors",
] as const;

export class ParticleLayer {
  private readonly program: WebGLProgram;
  private readonly at: Record<(typeof NAMES)[number], WebGLUniformLocation | null>;
  private readonly array: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;
  private readonly colors: WebGLTexture;
  private uploaded: readonly [Particles, Particles] | null = null;
  private count = 0;
  private table: Table | null = null;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = compile(gl, "particles", VERTEX, FRAGMENT);
    this.at = uniforms(gl, this.program, NAMES);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.colors = createTexture(gl, gl.LINEAR);
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (let attribute = 0; attribute < VALUES_PER_PARTICLE / 4; attribute++) {
      gl.enableVertexAttribArray(attribute);
      gl.vertexAttribPointer(attribute, 4, gl.UNSIGNED_SHORT, false, BYTES * VALUES_PER_PARTICLE, BYTES * 4 * attribute);
    }
    gl.bindVertexArray(null);
  }

  draw({ motion, scale, table, view, size, perspective, opacity }: ParticleProperties): void {
    const { gl, at } = this;
    gl.useProgram(this.program);
    this.upload(motion.before, motion.after);
    this.uploadColors(table);
    this.setMotion(motion);
    gl.uniformMatrix4fv(at.view, false, view);
    gl.uniform1f(at.size, size);
    gl.uniform2f(at.range, scale.low, scale.high);
    gl.uniform1f(at.perspective, perspective ? 1 : 0);
    gl.uniform1f(at.opacity, opacity);
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.POINTS, 0, this.count);
    gl.bindVertexArray(null);
  }

  private setMotion({ before, after, span, blend, domain }: Motion): void {
    const { gl, at } = this;
    const frames = [before, after];
    const perFrame = (list: (particles: Particles) => readonly Codes[], select: (codes: Codes) => number): number[] =>
      frames.flatMap((particles) => toVec3(list(particles).map(select)));
    gl.uniform3fv(at.positionOffset, perFrame(({ position }) => position, ({ offset }) => offset));
    gl.uniform3fv(at.positionScale, perFrame(({ position }) => position, ({ scale }) => scale));
    gl.uniform3fv(at.displacementOffset, perFrame(({ velocity }) => velocity, ({ offset }) => span * offset));
    gl.uniform3fv(at.displacementScale, perFrame(({ velocity }) => velocity, ({ scale }) => span * scale));
    gl.uniform2fv(at.valueCoding, frames.flatMap(({ values }) => [values.offset, values.scale]));
    gl.uniform1f(at.blend, blend);
    gl.uniform3fv(at.lower, toVec3(domain.lower));
    gl.uniform3fv(at.upper, toVec3(domain.upper));
    gl.uniform3fv(at.period, toVec3(domain.lower.map((low, axis) => (domain.periodic[axis] ? (domain.upper[axis] as number) - low : 0))));
    gl.uniform1f(at.maxExtrapolation, domain.maxExtrapolation);
  }

  private uploadColors(table: Table): void {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.colors);
    gl.uniform1i(this.at.colors, 0);
    if (this.table === table) return;
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, table.length / 3, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, table);
    this.table = table;
  }

  private upload(before: Particles, after: Particles): void {
    if (this.uploaded?.[0] === before && this.uploaded[1] === after) return;
    const { gl } = this;
    const columns = vertexData(before, after);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, columns, gl.STREAM_DRAW);
    this.count = columns.length / VALUES_PER_PARTICLE;
    this.uploaded = [before, after];
  }
}

function toVec3(list: readonly number[]): [number, number, number] {
  return [list[0] ?? 0, list[1] ?? 0, list[2] ?? 0];
}
