/** Paints what is shown into a WebGL2 canvas: one call a picture. */

import { colorTable } from "../colors/maps";
import { QUANTITIES, type QuantityName } from "../colors/quantities";
import type { Scale } from "../colors/scale";
import { FieldLayer } from "../layers/field/field";
import { ParticleLayer } from "../layers/particles/particles";
import { StreakLayer } from "../layers/streaks/streaks";
import { SurfaceLayer } from "../layers/surfaces/surfaces";
import { TracerLayer } from "../layers/tracers/tracers";
import { velocityOf } from "../layers/velocity";
import { motionBetween } from "../state/motion";
import type { Shown } from "../state/playback";
import type { Water } from "../state/water";
import type { Frame } from "../stream/frame";
import type { Body } from "../stream/stream_pb";
import { type Camera, toScreen } from "./camera";
import type { View } from "./orbit";

export interface Look {
  readonly quantity: QuantityName;
  readonly particles: boolean;
  readonly tracers: boolean;
  readonly streaks: boolean;
  /** Where streaklines begin [m]. */
  readonly sources: readonly (readonly [number, number])[];
  readonly lines: boolean;
  /** No free surface. */
  readonly full: boolean;
  readonly bands: boolean;
  /** Of a flow in three dimensions. */
  readonly water: Water;
  readonly scale: Scale;
  /** Distance of particles at the start [m]. */
  readonly spacing: number;
  /** Corners of the domain [m]: beyond them stand the particles of openings, which are not shown. */
  readonly lower: readonly [number, number];
  readonly upper: readonly [number, number];
  /** Seconds of the flow and of the clock since the last picture. */
  readonly flow: number;
  readonly clock: number;
}

/** Bodies of a flow in three dimensions, and how they are seen. */
export interface Solids {
  readonly bodies: readonly Body[];
  /** Red, green, blue, 0 to 1. */
  readonly ink: readonly [number, number, number];
  readonly view: View;
}

const BANDS = 14;
/** What is drawn over the colours: dark over maps that are pale in their middle, light over those that begin dark. */
const DYE = { diverging: [0.02, 0.36, 0.2, 0.9], sequential: [1, 0.93, 0.86, 0.9] } as const;
const INK = { diverging: [0.06, 0.14, 0.2, 0.5], sequential: [1, 1, 1, 0.55] } as const;
const PARTICLES_TO_LEVELS = 1.15; // diameter of a point in spacings
const SOFT_TO_LEVELS = 1.7; // of one that fades towards its edge
const SEEN_THROUGH = 0.3; // share of light that translucent water lets through, were it a cube

/** Whether a frame holds what is wanted. */
export function holds(frame: Frame, quantity: QuantityName, particles: boolean): boolean {
  return particles ? frame.particles?.quantity === quantity : frame.rasters.has(quantity);
}

export class Painter {
  readonly gl: WebGL2RenderingContext;
  private readonly field: FieldLayer;
  private readonly points: ParticleLayer;
  private readonly surfaces: SurfaceLayer;
  private readonly tracers: TracerLayer;
  private readonly streaks: StreakLayer;

  constructor(readonly canvas: HTMLCanvasElement) {
    const gl = canvas.getContext("webgl2", { alpha: true, premultipliedAlpha: true, antialias: true, depth: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This browser has no WebGL2, which draws the flow. Any current Firefox, Chromium or Safari has.");
    this.gl = gl;
    this.field = new FieldLayer(gl);
    this.points = new ParticleLayer(gl);
    this.surfaces = new SurfaceLayer(gl);
    this.tracers = new TracerLayer(gl);
    this.streaks = new StreakLayer(gl);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Empties the canvas, and gives it the size of the camera. */
  clear(camera: Camera, ratio: number): void {
    const { gl, canvas } = this;
    const [width, height] = [Math.round(camera.width * ratio), Math.round(camera.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }

  /** Bodies and particles of a flow in three dimensions, what is nearer before the rest; bodies alone where there is no
   * picture. */
  paintSolid(camera: Camera, ratio: number, shown: Shown | null, look: Look | null, { bodies, ink, view }: Solids): void {
    this.clear(camera, ratio);
    const { gl } = this;
    gl.enable(gl.DEPTH_TEST);
    this.surfaces.draw({ bodies, view: view.matrix, light: view.light, ink });
    if (shown && look && look.water !== "hidden") this.paintWater(ratio, shown, look, view);
    gl.disable(gl.DEPTH_TEST);
  }

  /** Translucent particles do not hide each other, and each is so faint that their order does not matter much. */
  private paintWater(ratio: number, { before, after, blend }: Shown, look: Look, view: View): void {
    const motion = motionBetween(before, after, blend);
    if (!motion) return;
    const { gl } = this;
    const { total, count } = motion.before;
    const share = Math.cbrt(total / Math.max(1, count));
    const opaque = look.water === "opaque";
    gl.depthMask(opaque);
    this.points.draw({
      motion,
      scale: look.scale,
      table: colorTable(QUANTITIES[look.quantity].map),
      view: view.matrix,
      size: (opaque ? PARTICLES_TO_LEVELS : SOFT_TO_LEVELS) * share * look.spacing * view.scale * ratio,
      perspective: true,
      cover: opaque ? 1 : 1 - SEEN_THROUGH ** (1 / Math.max(1, Math.cbrt(count))),
    });
    gl.depthMask(true);
  }

  /** Forgets where tracers and dye were. */
  scatter(): void {
    this.tracers.scatter();
    this.streaks.clear();
  }

  paint(camera: Camera, ratio: number, shown: Shown, look: Look): void {
    this.clear(camera, ratio);
    const table = colorTable(QUANTITIES[look.quantity].map);
    const { before, after, blend } = shown;
    if (look.particles) this.paintPoints(camera, ratio, shown, look, table);
    else {
      const first = before.rasters.get(look.quantity);
      const second = after.rasters.get(look.quantity) ?? first;
      if (first && second) {
        const same = first.rows === second.rows && first.columns === second.columns;
        this.field.draw(camera, ratio, {
          before: first,
          after: same ? second : first,
          blend: same ? blend : 0,
          scale: look.scale,
          table,
          bands: look.bands ? BANDS : 0,
          full: look.full,
          lines: look.lines && QUANTITIES[look.quantity].kind === "diverging",
          ink: INK.diverging,
        });
      }
    }
    const velocity = velocityOf(shown);
    if (!velocity) return;
    // Ways lie where the water was: only where there is water now, which is what has been drawn, they are seen.
    this.gl.blendFunc(this.gl.DST_ALPHA, this.gl.ONE_MINUS_SRC_ALPHA);
    if (look.streaks) {
      if (look.flow !== 0) this.streaks.move(velocity, look.flow, look.sources);
      this.streaks.draw(camera, DYE[QUANTITIES[look.quantity].kind]);
    }
    if (look.tracers) {
      if (look.flow !== 0) this.tracers.move(velocity, look.flow, look.clock);
      this.tracers.draw(camera, INK[QUANTITIES[look.quantity].kind]);
    }
    this.gl.blendFunc(this.gl.ONE, this.gl.ONE_MINUS_SRC_ALPHA);
  }

  private paintPoints(camera: Camera, ratio: number, { before, after, blend }: Shown, look: Look, table: Uint8Array): void {
    const motion = motionBetween(before, after, blend);
    if (!motion) return;
    const [sx, sy] = [(2 * camera.scale) / camera.width, (2 * camera.scale) / camera.height];
    const share = Math.sqrt(motion.before.total / Math.max(1, motion.before.count));
    const [low, high] = [toScreen(camera, look.lower), toScreen(camera, look.upper)];
    this.gl.enable(this.gl.SCISSOR_TEST);
    this.gl.scissor(low[0] * ratio, (camera.height - low[1]) * ratio, (high[0] - low[0]) * ratio, (low[1] - high[1]) * ratio);
    this.points.draw({
      motion,
      scale: look.scale,
      table,
      view: new Float32Array([
        sx, 0, 0, 0,
        0, sy, 0, 0,
        0, 0, 0, 0,
        -camera.center[0] * sx, -camera.center[1] * sy, 0, 1,
      ]),
      size: PARTICLES_TO_LEVELS * share * look.spacing * camera.scale * ratio,
      perspective: false,
      cover: 1,
    });
    this.gl.disable(this.gl.SCISSOR_TEST);
  }
}
