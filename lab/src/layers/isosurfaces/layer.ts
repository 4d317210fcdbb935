/** Draws isosurfaces in 3D: lit surfaces, and water that refracts the scene behind it. */

import type { Table } from "../../colors/maps";
import type { Scale } from "../../colors/scale";
import type { View } from "../../canvas/orbit";
import type { SurfaceMesh } from "../../stream/isosurface/decode";
import { compile, createTexture, uniforms } from "../gl";
import { SurfaceBuffer } from "./buffer";
import { Room, type RoomColors } from "./room";
import { CAP_FRAGMENT, SCREEN_VERTEX, SOLID_FRAGMENT, SURFACE_VERTEX, THICKNESS_FRAGMENT, WATER_FRAGMENT } from "./shader";
import { WaterTargets } from "./targets";

type Three = readonly [number, number, number];

/** A surface to be drawn. */
export interface ShownSurface {
  readonly id: number;
  readonly mesh: SurfaceMesh;
  readonly isWater: boolean;
  /** Colour without values: red, green, blue, 0 to 1. */
  readonly color: Three;
  /** True if the values of the mesh are shown by colours. */
  readonly isColored: boolean;
  /** 0 to 1. */
  readonly opacity: number;
}

export interface WaterColors extends RoomColors {
  readonly deep: Three;
  readonly horizon: Three;
  readonly zenith: Three;
  /** Absorbed light of red, green and blue on a line as long as the shortest edge of the domain. */
  readonly absorption: Three;
}

export interface IsosurfaceScene {
  readonly surfaces: readonly ShownSurface[];
  readonly view: View;
  /** Corners of the domain [m]. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** Parts of surfaces with dot(plane, (x, y, z)) > plane[3] are not drawn. */
  readonly plane: readonly [number, number, number, number];
  readonly scale: Scale;
  readonly table: Table;
  readonly colors: WaterColors;
}

const SOLID_NAMES = ["view", "eye", "light", "plane", "ownColor", "isColored", "opacity", "colors", "valueRange", "scale"] as const;
const WATER_NAMES = [
  "view", "inverseView", "eye", "forward", "light", "plane", "isColored", "colors", "valueRange", "scale", "scene", "depths", "thickness",
  "depthTerms", "ground", "tile", "absorption", "deepColor", "horizon", "zenith", "presence", "size",
] as const;
const OPAQUE = 0.999;
const UNITS = { colors: 0, scene: 1, depths: 2, thickness: 3 } as const;

type Program<Name extends string> = { readonly program: WebGLProgram; readonly at: Record<Name, WebGLUniformLocation | null> };

export class IsosurfaceLayer {
  private readonly solid: Program<(typeof SOLID_NAMES)[number]>;
  private readonly water: Program<(typeof WATER_NAMES)[number]>;
  private readonly cap: Program<(typeof WATER_NAMES)[number]>;
  private readonly thickness: Program<(typeof WATER_NAMES)[number]>;
  private readonly buffers = new Map<number, SurfaceBuffer>();
  private readonly colors: WebGLTexture;
  private readonly targets: WaterTargets;
  private readonly room: Room;
  private readonly empty: WebGLVertexArrayObject;
  private table: Table | null = null;

  constructor(private readonly gl: WebGL2RenderingContext) {
    const build = <Name extends string>(name: string, vertex: string, fragment: string, names: readonly Name[]): Program<Name> => {
      const program = compile(gl, name, vertex, fragment);
      return { program, at: uniforms(gl, program, names) };
    };
    this.solid = build("isosurfaces", SURFACE_VERTEX, SOLID_FRAGMENT, SOLID_NAMES);
    this.water = build("water", SURFACE_VERTEX, WATER_FRAGMENT, WATER_NAMES);
    this.cap = build("cut water", SCREEN_VERTEX, CAP_FRAGMENT, WATER_NAMES);
    this.thickness = build("thickness of water", SURFACE_VERTEX, THICKNESS_FRAGMENT, WATER_NAMES);
    this.colors = createTexture(gl, gl.LINEAR);
    this.targets = new WaterTargets(gl);
    this.room = new Room(gl);
    this.empty = gl.createVertexArray();
  }

  /** Draws surfaces in front of what `drawSolids` draws: bodies, for example. The depth test is on. */
  draw(scene: IsosurfaceScene, drawSolids: () => void): void {
    this.upload(scene);
    const water = this.targets.isSupported ? scene.surfaces.filter(({ isWater }) => isWater) : [];
    const others = scene.surfaces.filter((surface) => !water.includes(surface));
    const behind = (): void => {
      if (water.length > 0) this.room.draw(scene.view, scene.lower, scene.upper, scene.colors);
      drawSolids();
      this.drawOthers(scene, others);
    };
    behind();
    if (water.length === 0) return;
    const { width, height } = this.gl.canvas;
    this.targets.drawScene(width, height, behind);
    this.targets.drawThickness(() => {
      this.use(this.thickness, scene);
      for (const surface of water) this.buffers.get(surface.id)?.draw();
    });
    for (const surface of water) this.drawWater(scene, surface);
  }

  private upload({ surfaces, table }: IsosurfaceScene): void {
    const { gl } = this;
    for (const [id, buffer] of this.buffers) {
      if (surfaces.some((surface) => surface.id === id)) continue;
      buffer.free();
      this.buffers.delete(id);
    }
    for (const { id, mesh } of surfaces) {
      const buffer = this.buffers.get(id) ?? new SurfaceBuffer(gl);
      this.buffers.set(id, buffer);
      buffer.upload(mesh);
    }
    if (this.table === table) return;
    this.table = table;
    gl.activeTexture(gl.TEXTURE0 + UNITS.colors);
    gl.bindTexture(gl.TEXTURE_2D, this.colors);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, table.length / 3, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, table);
  }

  /** Sets what all programs have in common. */
  private use({ program, at }: Program<string>, { view, plane, scale }: IsosurfaceScene): void {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at["view"] ?? null, false, view.matrix);
    gl.uniform3f(at["eye"] ?? null, ...view.eye);
    gl.uniform3f(at["light"] ?? null, ...view.light);
    gl.uniform4f(at["plane"] ?? null, ...plane);
    gl.uniform2f(at["scale"] ?? null, scale.low, scale.high);
    gl.uniform2f(at["depthTerms"] ?? null, ...view.depth);
    const textures = { colors: this.colors, scene: this.targets.color, depths: this.targets.depth, thickness: this.targets.thickness };
    for (const [name, unit] of Object.entries(UNITS)) {
      if (!at[name]) continue;
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, textures[name as keyof typeof UNITS]);
      gl.uniform1i(at[name], unit);
    }
    gl.activeTexture(gl.TEXTURE0);
  }

  /** Draws lit surfaces: first opaque ones, then the far and the near sides of the others. */
  private drawOthers(scene: IsosurfaceScene, surfaces: readonly ShownSurface[]): void {
    if (surfaces.length === 0) return;
    const { gl } = this;
    const { at } = this.solid;
    this.use(this.solid, scene);
    const draw = ({ id, mesh, color, isColored, opacity }: ShownSurface): void => {
      gl.uniform3f(at.ownColor, ...color);
      gl.uniform1f(at.isColored, isColored && mesh.colors ? 1 : 0);
      gl.uniform2f(at.valueRange, mesh.lowestColor, mesh.highestColor);
      gl.uniform1f(at.opacity, opacity);
      this.buffers.get(id)?.draw();
    };
    for (const surface of surfaces) if (surface.opacity >= OPAQUE) draw(surface);
    gl.depthMask(false);
    gl.enable(gl.CULL_FACE);
    for (const side of [gl.FRONT, gl.BACK]) {
      gl.cullFace(side);
      for (const surface of surfaces) if (surface.opacity < OPAQUE) draw(surface);
    }
    gl.disable(gl.CULL_FACE);
    gl.depthMask(true);
  }

  private drawWater(scene: IsosurfaceScene, { id, mesh, isColored, opacity }: ShownSurface): void {
    const { gl } = this;
    const { view, colors, lower, upper } = scene;
    const shortest = Math.min(...upper.map((high, axis) => high - (lower[axis] ?? 0))) || 1;
    for (const each of [this.water, this.cap]) {
      this.use(each, scene);
      const { at } = each;
      gl.uniform3f(at.ground, ...colors.ground);
      gl.uniform3f(at.tile, ...colors.tile);
      gl.uniform3f(at.absorption, colors.absorption[0] / shortest, colors.absorption[1] / shortest, colors.absorption[2] / shortest);
      gl.uniform3f(at.deepColor, ...colors.deep);
      gl.uniform3f(at.horizon, ...colors.horizon);
      gl.uniform3f(at.zenith, ...colors.zenith);
      gl.uniform1f(at.isColored, isColored && mesh.colors ? 1 : 0);
      gl.uniform2f(at.valueRange, mesh.lowestColor, mesh.highestColor);
      gl.uniform1f(at.presence, opacity);
      gl.uniform2f(at.size, gl.canvas.width, gl.canvas.height);
    }
    gl.uniformMatrix4fv(this.cap.at.inverseView, false, inverse(view.matrix));
    gl.uniform3f(this.cap.at.forward, ...view.forward);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindVertexArray(null);
    gl.useProgram(this.water.program);
    gl.enable(gl.CULL_FACE);
    gl.cullFace(gl.BACK);
    this.buffers.get(id)?.draw();
    gl.disable(gl.CULL_FACE);
  }
}

/** The inverse of a column-major 4 x 4 matrix. */
export function inverse(matrix: Float32Array): Float32Array {
  const rows = Array.from({ length: 4 }, (_, r) => Array.from({ length: 8 }, (_, c) => (c < 4 ? (matrix[4 * c + r] as number) : Number(c - 4 === r))));
  for (let k = 0; k < 4; k++) {
    const pivot = rows.slice(k).reduce((best, row) => (Math.abs(row[k] ?? 0) > Math.abs(best[k] ?? 0) ? row : best));
    rows.splice(rows.indexOf(pivot), 1);
    rows.splice(k, 0, pivot);
    const factor = 1 / (pivot[k] ?? 1);
    pivot.forEach((value, c) => (pivot[c] = value * factor));
    for (const row of rows) {
      const share = row === pivot ? 0 : (row[k] ?? 0);
      row.forEach((value, c) => (row[c] = value - share * (pivot[c] ?? 0)));
    }
  }
  return Float32Array.from({ length: 16 }, (_, at) => rows[at % 4]?.[4 + Math.floor(at / 4)] ?? 0);
}
