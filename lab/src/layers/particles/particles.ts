/** Draws particles as points, two- or three-dimensional. */

import type { Table } from "../../colors/maps";
import type { Scale } from "../../colors/scale";
import type { Codes, Particles } from "../../stream/frame";
import { compile, plainTexture, uniforms } from "../gl";
import { FRAGMENT, VERTEX } from "./shader";

export interface ParticleProperties {
  readonly particles: Particles;
  readonly scale: Scale;
  readonly table: Table;
  /** Column-major 4 x 4: world to clip coordinates. */
  readonly view: Float32Array;
  /** Diameter of a point [device pixels]; in perspective at distance 1. */
  readonly size: number;
  readonly perspective: boolean;
}

const NAMES = ["origin", "pitch", "view", "size", "decode", "range", "depth", "colors"] as const;

export class ParticleLayer {
  private readonly program: WebGLProgram;
  private readonly at: Record<(typeof NAMES)[number], WebGLUniformLocation | null>;
  private readonly array: WebGLVertexArrayObject;
  private readonly buffers: readonly WebGLBuffer[];
  private readonly colors: WebGLTexture;
  private held: Particles | null = null;
  private table: Table | null = null;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = compile(gl, "particles", VERTEX, FRAGMENT);
    this.at = uniforms(gl, this.program, NAMES);
    this.array = gl.createVertexArray();
    this.buffers = [gl.createBuffer(), gl.createBuffer(), gl.createBuffer(), gl.createBuffer()];
    this.colors = plainTexture(gl, gl.LINEAR);
  }

  draw(properties: ParticleProperties): void {
    const { gl, at } = this;
    const { particles } = properties;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    this.fill(particles);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.colors);
    if (this.table !== properties.table) {
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
      gl.texImage2D(
        gl.TEXTURE_2D, 0, gl.RGB8, properties.table.length / 3, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, properties.table,
      );
      this.table = properties.table;
    }
    gl.uniform1i(at.colors, 0);
    const [x, y, z] = particles.position;
    gl.uniform3f(at.origin, x?.offset ?? 0, y?.offset ?? 0, z?.offset ?? 0);
    gl.uniform3f(at.pitch, x?.scale ?? 0, y?.scale ?? 0, z?.scale ?? 0);
    gl.uniformMatrix4fv(at.view, false, properties.view);
    gl.uniform1f(at.size, properties.size);
    gl.uniform2f(at.decode, particles.values.offset, particles.values.scale);
    gl.uniform2f(at.range, properties.scale.low, properties.scale.high);
    gl.uniform1f(at.depth, properties.perspective ? 1 : 0);
    gl.drawArrays(gl.POINTS, 0, particles.count);
    gl.bindVertexArray(null);
  }

  private fill(particles: Particles): void {
    if (this.held === particles) return;
    const columns: (Codes | undefined)[] = [0, 1, 2].map((axis) => particles.position[axis]);
    [...columns, particles.values].forEach((codes, place) => this.column(place, codes));
    this.held = particles;
  }

  private column(place: number, codes: Codes | undefined): void {
    const { gl } = this;
    if (!codes) {
      gl.disableVertexAttribArray(place);
      gl.vertexAttrib1f(place, 0);
      return;
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[place] as WebGLBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, codes.data, gl.STREAM_DRAW);
    gl.enableVertexAttribArray(place);
    const type = codes.data instanceof Uint8Array ? gl.UNSIGNED_BYTE : gl.UNSIGNED_SHORT;
    gl.vertexAttribPointer(place, 1, type, false, 0, 0);
  }
}
