/** The animation loop of the canvas: at most 60 pictures per second, and none while nothing changes. */

import { batch, effect } from "@preact/signals";
import { BODY, channels } from "../colors/tokens";
import { shownBodies } from "../state/bodies";
import { advance, dueStep, following, playing, type FramePair, framePair, speed, time, type FrameNeeds } from "../state/playback";
import * as run from "../state/run";
import { isStale } from "../state/runs";
import { reducedMotion, theme } from "../state/theme";
import * as view from "../state/view";
import { cut, isWaterColored, panelOpen, settings, usesStored } from "../state/surfaces";
import { shownWaterMode } from "../state/water";
import type { ShownSurface } from "../layers/isosurfaces/layer";
import type { Camera } from "./camera";
import { flowCanvas } from "./capture";
import { orbit } from "./orbit";
import { seeds } from "../layers/streaklines/seeds";
import { hasData, type RenderOptions, Renderer, type SolidScene } from "./renderer";
import { currentView } from "./view3d";
import { hasSurface, isosurfaceScene, shownSurfaces } from "./shown_surfaces";

const SLOW_FRAME = 40; // ms between pictures; above this the browser is slow and fewer are drawn
const SLOW_INTERVAL = 120; // ms between pictures on a slow browser
const MAX_CLOCK_STEP = 0.1; // s; limit of the clock step per picture
const JUMP_FACTOR = 20; // a step this many times larger than playback is a jump in time

export class AnimationLoop {
  private renderer: Renderer;
  private request = 0;
  private lastTick = performance.now();
  private meanInterval = 16;
  private lastPaint = 0;
  private lastClock = performance.now();
  private lastTime = Number.NaN;
  private lastPair: FramePair | null = null;
  private dirty = true;
  private readonly cleanup: (() => void)[] = [];

  /** Throws an error if the browser cannot draw. */
  constructor(private readonly canvas: HTMLCanvasElement) {
    this.renderer = new Renderer(canvas);
    this.cleanup.push(effect(() => this.watch()));
    this.on("webglcontextlost", (event) => event.preventDefault());
    this.on("webglcontextrestored", () => {
      this.renderer = new Renderer(canvas);
      this.dirty = true;
    });
    flowCanvas.redraw = () => this.paint(performance.now());
    this.request = requestAnimationFrame(this.tick);
  }

  stop(): void {
    cancelAnimationFrame(this.request);
    for (const each of this.cleanup) each();
  }

  private on(name: string, handler: (event: Event) => void): void {
    this.canvas.addEventListener(name, handler);
    this.cleanup.push(() => this.canvas.removeEventListener(name, handler));
  }

  /** Reads all signals that the picture depends on, so that a change redraws it. */
  private watch(): void {
    for (const each of [view.quantity, view.style, view.scaleMode, view.fixedScale, view.tracers, view.streaklines, view.contourLines, view.colorSteps]) each.value;
    for (const each of [shownWaterMode, settings, isWaterColored, cut, panelOpen]) each.value;
    for (const each of [view.camera, orbit, view.redraw, time, run.framesVersion, run.bodies, run.kind, isStale, theme]) each.value;
    this.dirty = true;
  }

  private readonly tick = (now: number): void => {
    this.request = requestAnimationFrame(this.tick);
    this.meanInterval += 0.1 * (Math.min(500, now - this.lastTick) - this.meanInterval);
    this.lastTick = now;
    // without a graphics card drawing is slow: leave time for the rest of the page
    if (this.meanInterval > SLOW_FRAME && now - this.lastPaint < SLOW_INTERVAL) return;
    this.lastPaint = now;
    this.paint(now);
  };

  private paint(now: number): void {
    const clock = Math.min(MAX_CLOCK_STEP, (now - this.lastClock) / 1000);
    this.lastClock = now;
    const before = time.value;
    advance(clock);
    const moving = following.value ? run.isLive.value : playing.value;
    if (!moving && !this.dirty) return;
    this.dirty = false;
    const camera = view.camera.value;
    const ratio = Math.min(2, devicePixelRatio);
    const is3d = run.is3d.value;
    const particles = is3d || view.style.value === "particles";
    const hasNoFluid = run.lacksFluid.value;
    const quantity = view.quantity.value;
    const needs: FrameNeeds = {
      isUsable: (frame) => hasNoFluid || (is3d && hasSurface(frame)) || (!usesStored.value && hasData(frame, quantity, particles)),
      isStored: (entry) => (usesStored.value ? entry.surfacesIndex : particles && !hasNoFluid ? entry.particlesIndex : entry.frameIndex) >= 0,
      isIncomplete: (frame) => !particles && run.hasVelocity.value && view.showsVelocity.value && !frame.rasters.has("velocity_y"),
      interpolatesWhenPaused: particles,
    };
    let pair = run.kind.value === "none" ? null : framePair(now, needs);
    if (view.isRecording.value && playing.value && isLate(pair, needs)) {
      time.value = before;
      pair = framePair(now, needs);
    }
    if (pair) publish(pair);
    else view.shownFrame.value = null;
    const surfaces = is3d && pair ? shownSurfaces(pair) : [];
    const options = pair && this.renderOptions(pair, particles, clock, surfaces.some(({ isWater }) => isWater));
    if (is3d) this.renderer.paint3d(camera, ratio, pair, options, solidScene(camera, surfaces, options));
    else if (pair && options) this.renderer.paint(camera, ratio, pair, options);
    else this.renderer.clear(camera, ratio);
    if (!pair) return;
    this.lastTime = time.value;
    this.lastPair = pair;
  }

  private renderOptions(pair: FramePair, particles: boolean, clock: number, showsWater: boolean): RenderOptions {
    const scale = scaleOf(pair);
    if (scale.low !== view.shownScale.value.low || scale.high !== view.shownScale.value.high) view.shownScale.value = scale;
    const flow = Number.isNaN(this.lastTime) ? 0 : time.value - this.lastTime;
    const jump = flow < 0 || flow > JUMP_FACTOR * clock * Math.max(speed.value, 0.2) || this.lastPair === null;
    if (jump && !(run.kind.value === "example" && flow < 0)) this.renderer.resetTracers();
    return {
      quantity: view.quantity.value,
      particles,
      tracers: view.tracers.value && !reducedMotion.value,
      streaklines: view.streaklines.value,
      seeds: seeds(run.hello.value),
      contourLines: view.contourLines.value,
      fillsDomain: !run.hello.value?.freeSurface,
      colorSteps: view.colorSteps.value,
      water: shownWaterMode.value,
      drawsParticles: shownWaterMode.value === "surface" ? !showsWater : shownWaterMode.value !== "hidden",
      scale,
      spacing: run.hello.value?.spacing ?? 0.01,
      ...view.extent.value,
      flowSeconds: jump ? 0 : flow,
      clockSeconds: clock,
    };
  }
}

function solidScene(camera: Camera, surfaces: readonly ShownSurface[], options: RenderOptions | null): SolidScene {
  const from = currentView(camera);
  const isosurfaces = surfaces.length > 0 && options ? isosurfaceScene(surfaces, from, options.scale) : null;
  return { bodies: shownBodies.value, color: channels(BODY[theme.value]), view: from, isosurfaces };
}

/** Publishes the drawn frames and time to the rest of the page. */
function publish({ before, after, blend }: FramePair): void {
  batch(() => {
    view.shownTime.value = before.time + blend * (after.time - before.time);
    view.shownFrame.value = before;
    view.nextFrame.value = after;
    view.blend.value = blend;
  });
}

/** True if an earlier or later frame is shown because the due one has not arrived yet. */
function isLate(pair: FramePair | null, needs: FrameNeeds): boolean {
  const due = dueStep(needs);
  return due !== null && pair?.before.step !== due;
}

function scaleOf({ before }: FramePair): { low: number; high: number } {
  if (view.scaleMode.value === "fixed") return view.fixedScale.value;
  if (view.scaleMode.value === "frame") return run.frameScale(before, view.quantity.value);
  return run.runScale(view.quantity.value);
}
