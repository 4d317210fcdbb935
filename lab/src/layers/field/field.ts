/** Draws a raster, or two rasters blended in time, in the colours of the quantity. */

import type { Camera } from "../../canvas/camera";
import { toScreen } from "../../canvas/camera";
import type { Table } from "../../colors/maps";
import type { Scale } from "../../colors/scale";
import type { Raster } from "../../stream/frame";
import { compile, createTexture, uniforms } from "../gl";
import { FRAGMENT, VERTEX } from "./shader";

export interface FieldProperties {
  readonly before: Raster;
  readonly after: Raster;
  /** 0 shows `before`, 1 shows `after`. */
  readonly blend: number;
  readonly scale: Scale;
  readonly table: Table;
  /** Number of steps of filled contours; 0: continuous colours. */
  readonly colorSteps: number;
  readonly contourLines: boolean;
  /** True if the fluid fills the domain except for bodies (no free surface). */
  readonly fillsDomain: boolean;
  /** Colour of the contour lines: red, green, blue, opacity; 0 to 1. */
  readonly lineColor: readonly [number, number, number, number];
}

const NAMES = [
  "box", "before", "after", "colors", "codingBefore", "codingAfter", "maxValueCode", "blend", "range", "colorSteps",
  "contourLines", "lineColor", "pixel", "fillsDomain", "fluidBefore", "fluidAfter", "hasFluidFraction",
] as const;

export class FieldLayer {
  private readonly program: WebGLProgram;
  private readonly at: Record<(typeof NAMES)[number], WebGLUniformLocation | null>;
  private readonly textures: [WebGLTexture, WebGLTexture];
  private readonly fluidTextures: [WebGLTexture, WebGLTexture];
  private readonly uploaded: [Raster | null, Raster | null] = [null, null];
  private readonly colors: WebGLTexture;
  private table: Table | null = null;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = compile(gl, "field", VERTEX, FRAGMENT);
    this.at = uniforms(gl, this.program, NAMES);
    this.textures = [createTexture(gl, gl.NEAREST), createTexture(gl, gl.NEAREST)];
    this.fluidTextures = [createTexture(gl, gl.LINEAR), createTexture(gl, gl.LINEAR)];
    this.colors = createTexture(gl, gl.LINEAR);
  }

  draw(camera: Camera, ratio: number, properties: FieldProperties): void {
    const { gl, at } = this;
    const [first, second] = this.uploadRasters(properties.before, properties.after);
    this.uploadColors(properties.table);
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
    gl.bindTexture(gl.TEXTURE_2D, this.fluidTextures[first]);
    gl.activeTexture(gl.TEXTURE4);
    gl.bindTexture(gl.TEXTURE_2D, this.fluidTextures[second]);
    gl.uniform1i(at.before, 0);
    gl.uniform1i(at.after, 1);
    gl.uniform1i(at.colors, 2);
    gl.uniform1i(at.fluidBefore, 3);
    gl.uniform1i(at.fluidAfter, 4);
    gl.uniform1f(at.hasFluidFraction, properties.before.fluidFraction && properties.after.fluidFraction ? 1 : 0);
    gl.uniform2f(at.codingBefore, properties.before.values.offset, properties.before.values.scale);
    gl.uniform2f(at.codingAfter, properties.after.values.offset, properties.after.values.scale);
    gl.uniform2ui(at.maxValueCode, properties.before.values.maxValueCode, properties.after.values.maxValueCode);
    gl.uniform1f(at.blend, properties.blend);
    gl.uniform2f(at.range, properties.scale.low, properties.scale.high);
    gl.uniform1f(at.colorSteps, properties.colorSteps);
    gl.uniform1f(at.contourLines, properties.contourLines ? 1 : 0);
    gl.uniform4f(at.lineColor, ...properties.lineColor);
    gl.uniform1f(at.pixel, ratio);
    gl.uniform1f(at.fillsDomain, properties.fillsDomain ? 1 : 0);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  /** Uploads the two rasters to textures unless they are there already; returns the indices of the textures. */
  private uploadRasters(before: Raster, after: Raster): [0 | 1, 0 | 1] {
    const first = this.uploaded[1] === before ? 1 : 0;
    const second = after === before ? first : first === 0 ? 1 : 0;
    this.upload(first, before);
    this.upload(second, after);
    return [first, second];
  }

  private upload(slot: 0 | 1, raster: Raster): void {
    if (this.uploaded[slot] === raster) return;
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.textures[slot]);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    const { data } = raster.values;
    const [format, type] = data instanceof Uint8Array ? [gl.R8UI, gl.UNSIGNED_BYTE] : [gl.R16UI, gl.UNSIGNED_SHORT];
    gl.texImage2D(gl.TEXTURE_2D, 0, format, raster.columns, raster.rows, 0, gl.RED_INTEGER, type, data);
    if (raster.fluidFraction) {
      gl.bindTexture(gl.TEXTURE_2D, this.fluidTextures[slot]);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, raster.columns, raster.rows, 0, gl.RED, gl.UNSIGNED_BYTE, raster.fluidFraction);
    }
    this.uploaded[slot] = raster;
  }

  private uploadColors(table: Table): void {
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
