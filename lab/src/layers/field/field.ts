/** Draws a raster, or the moment between two, in the colours of its quantity. */

import type { Camera } from "../../canvas/camera";
import { toScreen } from "../../canvas/camera";
import type { Table } from "../../colors/maps";
import type { Scale } from "../../colors/scale";
import type { Raster } from "../../stream/frame";
import { compile, plainTexture, uniforms } from "../gl";
import { FRAGMENT, VERTEX } from "./shader";

export interface FieldProperties {
  readonly before: Raster;
  readonly after: Raster;
  /** 0: before, 1: after. */
  readonly blend: number;
  readonly scale: Scale;
  readonly table: Table;
  /** Steps of filled contours; 0: smooth. */
  readonly bands: number;
  readonly lines: boolean;
  /** Fluid everywhere but in bodies: no free surface. */
  readonly full: boolean;
  /** Of the lines: red, green, blue, strength; 0 to 1. */
  readonly ink: readonly [number, number, number, number];
}

const NAMES = [
  "box", "before", "after", "colors", "decodeBefore", "decodeAfter", "top", "blend", "range", "bands", "lines", "ink", "pixel",
  "full", "coverBefore", "coverAfter", "covered",
] as const;

export class FieldLayer {
  private readonly program: WebGLProgram;
  private readonly at: Record<(typeof NAMES)[number], WebGLUniformLocation | null>;
  private readonly textures: [WebGLTexture, WebGLTexture];
  private readonly covers: [WebGLTexture, WebGLTexture];
  private readonly held: [Raster | null, Raster | null] = [null, null];
  private readonly colors: WebGLTexture;
  private table: Table | null = null;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = compile(gl, "field", VERTEX, FRAGMENT);
    this.at = uniforms(gl, this.program, NAMES);
    this.textures = [plainTexture(gl, gl.NEAREST), plainTexture(gl, gl.NEAREST)];
    this.covers = [plainTexture(gl, gl.LINEAR), plainTexture(gl, gl.LINEAR)];
    this.colors = plainTexture(gl, gl.LINEAR);
  }

  draw(camera: Camera, ratio: number, properties: FieldProperties): void {
    const { gl, at } = this;
    const [first, second] = this.place(properties.before, properties.after);
    this.color(properties.table);
    gl.useProgram(this.program);
    const [x0, y0] = clip(camera, properties.before.lower);
    const [x1, y1] = clip(camera, properties.before.upper);
    gl.uniform4f(at.box, x0, y0, x1, y1);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.textures[first]);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.textures[second]);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.colors);
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, this.covers[first]);
    gl.activeTexture(gl.TEXTURE4);
    gl.bindTexture(gl.TEXTURE_2D, this.covers[second]);
    gl.uniform1i(at.before, 0);
    gl.uniform1i(at.after, 1);
    gl.uniform1i(at.colors, 2);
    gl.uniform1i(at.coverBefore, 3);
    gl.uniform1i(at.coverAfter, 4);
    gl.uniform1f(at.covered, properties.before.cover && properties.after.cover ? 1 : 0);
    gl.uniform2f(at.decodeBefore, properties.before.values.offset, properties.before.values.scale);
    gl.uniform2f(at.decodeAfter, properties.after.values.offset, properties.after.values.scale);
    gl.uniform2ui(at.top, properties.before.values.top, properties.after.values.top);
    gl.uniform1f(at.blend, properties.blend);
    gl.uniform2f(at.range, properties.scale.low, properties.scale.high);
    gl.uniform1f(at.bands, properties.bands);
    gl.uniform1f(at.lines, properties.lines ? 1 : 0);
    gl.uniform4f(at.ink, ...properties.ink);
    gl.uniform1f(at.pixel, ratio);
    gl.uniform1f(at.full, properties.full ? 1 : 0);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  /** Textures of the two rasters; what is there already is not sent again. */
  private place(before: Raster, after: Raster): [0 | 1, 0 | 1] {
    const first = this.held[1] === before ? 1 : 0;
    const second = after === before ? first : first === 0 ? 1 : 0;
    this.fill(first, before);
    this.fill(second, after);
    return [first, second];
  }

  private fill(slot: 0 | 1, raster: Raster): void {
    if (this.held[slot] === raster) return;
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.textures[slot]);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    const { data } = raster.values;
    const [format, type] = data instanceof Uint8Array ? [gl.R8UI, gl.UNSIGNED_BYTE] : [gl.R16UI, gl.UNSIGNED_SHORT];
    gl.texImage2D(gl.TEXTURE_2D, 0, format, raster.columns, raster.rows, 0, gl.RED_INTEGER, type, data);
    if (raster.cover) {
      gl.bindTexture(gl.TEXTURE_2D, this.covers[slot]);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, raster.columns, raster.rows, 0, gl.RED, gl.UNSIGNED_BYTE, raster.cover);
    }
    this.held[slot] = raster;
  }

  private color(table: Table): void {
    if (this.table === table) return;
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.colors);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, table.length / 3, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, table);
    this.table = table;
  }
}

function clip(camera: Camera, corner: readonly [number, number]): readonly [number, number] {
  const [x, y] = toScreen(camera, corner);
  return [(2 * x) / camera.width - 1, 1 - (2 * y) / camera.height];
}
