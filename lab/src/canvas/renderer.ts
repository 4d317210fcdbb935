/** Draws a picture of the flow into a WebGL2 canvas. */

import { colorTable } from "../colors/maps";
import { type QuantityName, quantityOf } from "../colors/quantities";
import type { Scale } from "../colors/scale";
import { IsosurfaceLayer, type IsosurfaceScene } from "../layers/isosurfaces/layer";
import { FieldLayer } from "../layers/field/field";
import { ParticleLayer } from "../layers/particles/particles";
import { StreaklineLayer } from "../layers/streaklines/streaklines";
import { SurfaceLayer } from "../layers/surfaces/surfaces";
import { TracerLayer } from "../layers/tracers/tracers";
import { velocityField } from "../layers/velocity";
import { motionBetween } from "../state/motion";
import type { FramePair } from "../state/playback";
import type { WaterMode } from "../state/water";
import type { Frame } from "../stream/frame";
import type { Body } from "../stream/stream_pb";
import { type Camera, toScreen } from "./camera";
import type { View } from "./orbit";

export interface RenderOptions {
  readonly quantity: QuantityName;
  readonly particles: boolean;
  readonly tracers: boolean;
  readonly streaklines: boolean;
  /** Start points of streaklines [m]. */
  readonly seeds: readonly (readonly [number, number])[];
  readonly contourLines: boolean;
  /** True if the fluid fills the domain (no free surface). */
  readonly fillsDomain: boolean;
  readonly colorSteps: boolean;
  /** Display of water, 3D only. */
  readonly water: WaterMode;
  /** True if particles are drawn in 3D. */
  readonly drawsParticles: boolean;
  readonly scale: Scale;
  /** Initial distance of particles [m]. */
  readonly spacing: number;
  /** Corners of the domain [m]. Particles outside belong to openings and are not shown. */
  readonly lower: readonly [number, number];
  readonly upper: readonly [number, number];
  /** Simulated and real time since the last picture [s]. */
  readonly flowSeconds: number;
  readonly clockSeconds: number;
}

/** Bodies of a 3D run and the view. */
export interface SolidScene {
  readonly bodies: readonly Body[];
  /** Colour of the bodies: red, green, blue, 0 to 1. */
  readonly color: readonly [number, number, number];
  readonly view: View;
  /** Isosurfaces, if there are any. */
  readonly isosurfaces: IsosurfaceScene | null;
}

const COLOR_STEPS = 14;
/** Colours of lines on top of the field: dark on diverging maps, which are pale in the middle; light on sequential maps. */
const DYE_COLOR = { diverging: [0.02, 0.36, 0.2, 0.9], sequential: [1, 0.93, 0.86, 0.9] } as const;
const LINE_COLOR = { diverging: [0.06, 0.14, 0.2, 0.5], sequential: [1, 1, 1, 0.55] } as const;
const POINT_DIAMETER = 1.15; // diameter of a point in particle spacings
const SOFT_POINT_DIAMETER = 1.7; // diameter of a point that fades towards its edge
const TRANSMITTED_LIGHT = 0.3; // share of light that a cube of translucent water transmits

/** True if a frame has the data of a quantity. */
export function hasData(frame: Frame, quantity: QuantityName, particles: boolean): boolean {
  return particles ? frame.particles?.quantity === quantity : frame.rasters.has(quantity);
}

export class Renderer {
  readonly gl: WebGL2RenderingContext;
  private readonly field: FieldLayer;
  private readonly points: ParticleLayer;
  private readonly surfaces: SurfaceLayer;
  private readonly isosurfaces: IsosurfaceLayer;
  private readonly tracers: TracerLayer;
  private readonly streaklines: StreaklineLayer;

  constructor(readonly canvas: HTMLCanvasElement) {
    const gl = canvas.getContext("webgl2", { alpha: true, premultipliedAlpha: true, antialias: true, depth: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This browser does not support WebGL2, which is needed to show the flow. Use a current Firefox, Chromium or Safari.");
    this.gl = gl;
    this.field = new FieldLayer(gl);
    this.points = new ParticleLayer(gl);
    this.surfaces = new SurfaceLayer(gl);
    this.isosurfaces = new IsosurfaceLayer(gl);
    this.tracers = new TracerLayer(gl);
    this.streaklines = new StreaklineLayer(gl);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Clears the canvas and resizes it to the camera. */
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

  /** Draws bodies, particles and isosurfaces in 3D; only bodies if there is no frame. */
  paint3d(camera: Camera, ratio: number, pair: FramePair | null, options: RenderOptions | null, { bodies, color, view, isosurfaces }: SolidScene): void {
    this.clear(camera, ratio);
    const { gl } = this;
    gl.enable(gl.DEPTH_TEST);
    const drawSolids = (): void => {
      this.surfaces.draw({ bodies, view: view.matrix, light: view.light, color });
      if (pair && options && options.drawsParticles) this.paintWater(ratio, pair, options, view);
    };
    if (isosurfaces) this.isosurfaces.draw(isosurfaces, drawSolids);
    else drawSolids();
    gl.disable(gl.DEPTH_TEST);
  }

  /** Draws particles in 3D. Translucent particles are not sorted; each is so faint that the order hardly matters. */
  private paintWater(ratio: number, { before, after, blend }: FramePair, options: RenderOptions, view: View): void {
    const motion = motionBetween(before, after, blend);
    if (!motion) return;
    const { gl } = this;
    const { total, count } = motion.before;
    const share = Math.cbrt(total / Math.max(1, count));
    const opaque = options.water !== "translucent";
    gl.depthMask(opaque);
    this.points.draw({
      motion,
      scale: options.scale,
      table: colorTable(quantityOf(options.quantity).map),
      view: view.matrix,
      size: (opaque ? POINT_DIAMETER : SOFT_POINT_DIAMETER) * share * options.spacing * view.scale * ratio,
      perspective: true,
      opacity: opaque ? 1 : 1 - TRANSMITTED_LIGHT ** (1 / Math.max(1, Math.cbrt(count))),
    });
    gl.depthMask(true);
  }

  /** Restarts tracers and streaklines. */
  resetTracers(): void {
    this.tracers.reset();
    this.streaklines.clear();
  }

  paint(camera: Camera, ratio: number, pair: FramePair, options: RenderOptions): void {
    this.clear(camera, ratio);
    const table = colorTable(quantityOf(options.quantity).map);
    const { before, after, blend } = pair;
    if (options.particles) this.paintPoints(camera, ratio, pair, options, table);
    else {
      const first = before.rasters.get(options.quantity);
      const second = after.rasters.get(options.quantity) ?? first;
      if (first && second) {
        const same = first.rows === second.rows && first.columns === second.columns;
        this.field.draw(camera, ratio, {
          before: first,
          after: same ? second : first,
          blend: same ? blend : 0,
          scale: options.scale,
          table,
          colorSteps: options.colorSteps ? COLOR_STEPS : 0,
          fillsDomain: options.fillsDomain,
          contourLines: options.contourLines && quantityOf(options.quantity).kind === "diverging",
          lineColor: LINE_COLOR.diverging,
        });
      }
    }
    const velocity = velocityField(pair);
    if (!velocity) return;
    // draw lines only on pixels with water: trails may lead through places that the water has left
    this.gl.blendFunc(this.gl.DST_ALPHA, this.gl.ONE_MINUS_SRC_ALPHA);
    if (options.streaklines) {
      if (options.flowSeconds !== 0) this.streaklines.move(velocity, options.flowSeconds, options.seeds);
      this.streaklines.draw(camera, DYE_COLOR[quantityOf(options.quantity).kind]);
    }
    if (options.tracers) {
      if (options.flowSeconds !== 0) this.tracers.move(velocity, options.flowSeconds, options.clockSeconds);
      this.tracers.draw(camera, LINE_COLOR[quantityOf(options.quantity).kind]);
    }
    this.gl.blendFunc(this.gl.ONE, this.gl.ONE_MINUS_SRC_ALPHA);
  }

  private paintPoints(camera: Camera, ratio: number, { before, after, blend }: FramePair, options: RenderOptions, table: Uint8Array): void {
    const motion = motionBetween(before, after, blend);
    if (!motion) return;
    const [sx, sy] = [(2 * camera.scale) / camera.width, (2 * camera.scale) / camera.height];
    const share = Math.sqrt(motion.before.total / Math.max(1, motion.before.count));
    const [low, high] = [toScreen(camera, options.lower), toScreen(camera, options.upper)];
    this.gl.enable(this.gl.SCISSOR_TEST);
    this.gl.scissor(low[0] * ratio, (camera.height - low[1]) * ratio, (high[0] - low[0]) * ratio, (low[1] - high[1]) * ratio);
    this.points.draw({
      motion,
      scale: options.scale,
      table,
      view: new Float32Array([
        sx, 0, 0, 0,
        0, sy, 0, 0,
        0, 0, 0, 0,
        -camera.center[0] * sx, -camera.center[1] * sy, 0, 1,
      ]),
      size: POINT_DIAMETER * share * options.spacing * camera.scale * ratio,
      perspective: false,
      opacity: 1,
    });
    this.gl.disable(this.gl.SCISSOR_TEST);
  }
}
