/** Draws particles as points, two- or three-dimensional, as they are between two frames. */

import type { Table } from "../../colors/maps";
import type { Scale } from "../../colors/scale";
import type { Codes, Particles } from "../../stream/frame";
import { compile, plainTexture, uniforms } from "../gl";
import { COLUMNS, columnsOf, type Motion } from "./motion";
import { FRAGMENT, VERTEX } from "./shader";

export interface ParticleProperties {
  readonly motion: Motion;
  readonly scale: Scale;
  readonly table: Table;
  /** Column-major 4 x 4: world to clip coordinates. */
  readonly view: Float32Array;
  /** Diameter of a point [device pixels]; in perspective at distance 1. */
  readonly size: number;
  readonly perspective: boolean;
  /** What share of what is behind it a point covers; a ball in perspective, if it covers all. */
  readonly cover: number;
}

const BYTES = 2;
const NAMES = [
  "origin", "pitch", "rest", "pace", "decode", "blend", "lower", "upper", "period", "reach", "view", "size", "range", "depth",
  "cover", "colors",
] as const;

export class ParticleLayer {
  private readonly program: WebGLProgram;
  private readonly at: Record<(typeof NAMES)[number], WebGLUniformLocation | null>;
  private readonly array: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;
  private readonly colors: WebGLTexture;
  private held: readonly [Particles, Particles] | null = null;
  private count = 0;
  private table: Table | null = null;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = compile(gl, "particles", VERTEX, FRAGMENT);
    this.at = uniforms(gl, this.program, NAMES);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.colors = plainTexture(gl, gl.LINEAR);
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (let place = 0; place < COLUMNS / 4; place++) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 4, gl.UNSIGNED_SHORT, false, BYTES * COLUMNS, BYTES * 4 * place);
    }
    gl.bindVertexArray(null);
  }

  draw({ motion, scale, table, view, size, perspective, cover }: ParticleProperties): void {
    const { gl, at } = this;
    gl.useProgram(this.program);
    this.fill(motion.before, motion.after);
    this.color(table);
    this.place(motion);
    gl.uniformMatrix4fv(at.view, false, view);
    gl.uniform1f(at.size, size);
    gl.uniform2f(at.range, scale.low, scale.high);
    gl.uniform1f(at.depth, perspective ? 1 : 0);
    gl.uniform1f(at.cover, cover);
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.POINTS, 0, this.count);
    gl.bindVertexArray(null);
  }

  private place({ before, after, span, blend, domain }: Motion): void {
    const { gl, at } = this;
    const frames = [before, after];
    const of = (list: (particles: Particles) => readonly Codes[], what: (codes: Codes) => number): number[] =>
      frames.flatMap((particles) => three(list(particles).map(what)));
    gl.uniform3fv(at.origin, of(({ position }) => position, ({ offset }) => offset));
    gl.uniform3fv(at.pitch, of(({ position }) => position, ({ scale }) => scale));
    gl.uniform3fv(at.rest, of(({ velocity }) => velocity, ({ offset }) => span * offset));
    gl.uniform3fv(at.pace, of(({ velocity }) => velocity, ({ scale }) => span * scale));
    gl.uniform2fv(at.decode, frames.flatMap(({ values }) => [values.offset, values.scale]));
    gl.uniform1f(at.blend, blend);
    gl.uniform3fv(at.lower, three(domain.lower));
    gl.uniform3fv(at.upper, three(domain.upper));
    gl.uniform3fv(at.period, three(domain.lower.map((low, axis) => (domain.periodic[axis] ? (domain.upper[axis] as number) - low : 0))));
    gl.uniform1f(at.reach, domain.reach);
  }

  private color(table: Table): void {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.colors);
    gl.uniform1i(this.at.colors, 0);
    if (this.table === table) return;
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, table.length / 3, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, table);
    this.table = table;
  }

  private fill(before: Particles, after: Particles): void {
    if (this.held?.[0] === before && this.held[1] === after) return;
    const { gl } = this;
    const columns = columnsOf(before, after);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, columns, gl.STREAM_DRAW);
    this.count = columns.length / COLUMNS;
    this.held = [before, after];
  }
}

function three(list: readonly number[]): [number, number, number] {
  return [list[0] ?? 0, list[1] ?? 0, list[2] ?? 0];
}
