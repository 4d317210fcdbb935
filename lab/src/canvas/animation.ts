/** Paints the canvas picture by picture: 60 a second at most, and none while nothing moves. */

import { batch, effect } from "@preact/signals";
import { BODY, channels } from "../colors/tokens";
import { shownBodies } from "../state/bodies";
import { advance, dueStep, following, playing, type Shown, shown, speed, time, type Wanted } from "../state/playback";
import * as run from "../state/run";
import { stale } from "../state/runs";
import { calm, theme } from "../state/theme";
import * as view from "../state/view";
import { water } from "../state/water";
import type { Camera } from "./camera";
import { canvasOf } from "./capture";
import { orbit, viewOf } from "./orbit";
import { seeds } from "../layers/streaks/seeds";
import { holds, type Look, Painter, type Solids } from "./painter";

const STRUGGLES = 40; // ms between two pictures, above which fewer are painted
const SPARING = 120; // ms between these
const LONGEST = 0.1; // s that a picture may move the clock
const JUMP = 20; // times faster than played: then the moment is another

export class Animation {
  private painter: Painter;
  private request = 0;
  private ticked = performance.now();
  private gap = 16;
  private painted = 0;
  private last = performance.now();
  private lastTime = Number.NaN;
  private lastShown: Shown | null = null;
  private dirty = true;
  private readonly forget: (() => void)[] = [];

  /** Throws if the browser cannot paint. */
  constructor(private readonly canvas: HTMLCanvasElement) {
    this.painter = new Painter(canvas);
    this.forget.push(effect(() => this.watch()));
    this.on("webglcontextlost", (event) => event.preventDefault());
    this.on("webglcontextrestored", () => {
      this.painter = new Painter(canvas);
      this.dirty = true;
    });
    canvasOf.painter = () => this.paint(performance.now());
    this.request = requestAnimationFrame(this.tick);
  }

  stop(): void {
    cancelAnimationFrame(this.request);
    for (const each of this.forget) each();
  }

  private on(name: string, handler: (event: Event) => void): void {
    this.canvas.addEventListener(name, handler);
    this.forget.push(() => this.canvas.removeEventListener(name, handler));
  }

  /** Whatever is read here makes the picture another when it changes. */
  private watch(): void {
    for (const each of [view.quantity, view.style, view.scaleMode, view.fixedScale, view.tracers, view.streaks, view.lines, view.bands, water]) each.value;
    for (const each of [view.camera, orbit, view.redraw, time, run.momentsVersion, run.bodies, run.kind, stale, theme]) each.value;
    this.dirty = true;
  }

  private readonly tick = (now: number): void => {
    this.request = requestAnimationFrame(this.tick);
    this.gap += 0.1 * (Math.min(500, now - this.ticked) - this.gap);
    this.ticked = now;
    // where pictures are painted without a graphics card, the rest of the page gets its turn
    if (this.gap > STRUGGLES && now - this.painted < SPARING) return;
    this.painted = now;
    this.paint(now);
  };

  private paint(now: number): void {
    const clock = Math.min(LONGEST, (now - this.last) / 1000);
    this.last = now;
    const before = time.value;
    advance(clock);
    const moving = following.value ? run.isLive.value : playing.value;
    if (!moving && !this.dirty) return;
    this.dirty = false;
    const camera = view.camera.value;
    const ratio = Math.min(2, devicePixelRatio);
    const solid = run.isSolid.value;
    const particles = solid || view.style.value === "particles";
    const dry = run.isDry.value;
    const quantity = view.quantity.value;
    const wanted: Wanted = {
      usable: (frame) => dry || holds(frame, quantity, particles),
      stored: (moment) => (particles && !dry ? moment.particles : moment.stored) >= 0,
      lacks: (frame) => !particles && view.showsVelocity.value && !frame.rasters.has("velocity_y"),
      goesOn: particles,
    };
    let picture = run.kind.value === "none" ? null : shown(now, wanted);
    if (view.filming.value && playing.value && isBehind(picture, wanted)) {
      time.value = before;
      picture = shown(now, wanted);
    }
    if (picture) show(picture);
    else view.shownFrame.value = null;
    const look = picture && this.look(picture, particles, clock);
    if (solid) this.painter.paintSolid(camera, ratio, picture, look, solids(camera));
    else if (picture && look) this.painter.paint(camera, ratio, picture, look);
    else this.painter.clear(camera, ratio);
    if (!picture) return;
    this.lastTime = time.value;
    this.lastShown = picture;
  }

  private look(picture: Shown, particles: boolean, clock: number): Look {
    const scale = scaleOf(picture);
    if (scale.low !== view.shownScale.value.low || scale.high !== view.shownScale.value.high) view.shownScale.value = scale;
    const flow = Number.isNaN(this.lastTime) ? 0 : time.value - this.lastTime;
    const jump = flow < 0 || flow > JUMP * clock * Math.max(speed.value, 0.2) || this.lastShown === null;
    if (jump && !(run.kind.value === "example" && flow < 0)) this.painter.scatter();
    return {
      quantity: view.quantity.value,
      particles,
      tracers: view.tracers.value && !calm.value,
      streaks: view.streaks.value,
      sources: seeds(run.hello.value),
      lines: view.lines.value,
      full: !run.hello.value?.freeSurface,
      bands: view.bands.value,
      water: water.value,
      scale,
      spacing: run.hello.value?.spacing ?? 0.01,
      ...view.extent.value,
      flow: jump ? 0 : flow,
      clock,
    };
  }
}

function solids({ width, height }: Camera): Solids {
  const { lower = [], upper = [] } = run.hello.value ?? {};
  return { bodies: shownBodies.value, ink: channels(BODY[theme.value]), view: viewOf(orbit.value, lower, upper, width, height) };
}

/** Tells the rest of the page which moment is seen. */
function show({ before, after, blend }: Shown): void {
  batch(() => {
    view.shownTime.value = before.time + blend * (after.time - before.time);
    view.shownFrame.value = before;
    view.nextFrame.value = after;
    view.blend.value = blend;
  });
}

/** Whether another frame is shown in the place of one that has not come yet. */
function isBehind(picture: Shown | null, wanted: Wanted): boolean {
  const due = dueStep(wanted);
  return due !== null && picture?.before.step !== due;
}

function scaleOf({ before }: Shown): { low: number; high: number } {
  if (view.scaleMode.value === "fixed") return view.fixedScale.value;
  if (view.scaleMode.value === "frame") return run.frameScale(before, view.quantity.value);
  return run.runScale(view.quantity.value);
}
