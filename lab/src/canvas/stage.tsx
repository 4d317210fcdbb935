/** The canvas: the flow below, the drawing above it, and what the pointer does to both. */

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { QUANTITIES } from "../colors/quantities";
import { ghost, tool } from "../draw/drawing";
import { advance, following, playing, shown, speed, time, type Shown } from "../state/playback";
import * as run from "../state/run";
import { stale } from "../state/runs";
import { calm, theme } from "../state/theme";
import * as view from "../state/view";
import { drawing } from "../state/world";
import { valueAt } from "../stream/frame";
import { canvasOf } from "./capture";
import { Hud } from "./hud";
import { orbit, viewOf } from "./orbit";
import { Overlay } from "./overlay";
import { holds, type Look, Painter } from "./painter";
import { usePointer } from "./pointer";

const STRUGGLES = 40; // ms between two pictures, above which fewer are painted
const SPARING = 120; // ms between these

/** Frames are painted at 60 a second at most; when nothing moves, not at all. */
function animate(canvas: HTMLCanvasElement): () => void {
  let painter: Painter;
  try {
    painter = new Painter(canvas);
  } catch (error) {
    view.failure.value = error instanceof Error ? error.message : String(error);
    return () => undefined;
  }
  let [request, last, dirty, lastTime] = [0, performance.now(), true, Number.NaN];
  let lastShown: Shown | null = null;
  const stop = effect(() => {
    for (const each of [view.quantity, view.style, view.scaleMode, view.fixedScale, view.tracers, view.lines, view.bands]) each.value;
    for (const each of [view.camera, orbit, view.redraw, theme, time, run.momentsVersion, run.kind, stale]) each.value;
    dirty = true;
  });
  const lost = (event: Event): void => event.preventDefault();
  const restored = (): void => {
    painter = new Painter(canvas);
    dirty = true;
  };
  canvas.addEventListener("webglcontextlost", lost);
  canvas.addEventListener("webglcontextrestored", restored);

  let [ticked, gap, painted] = [performance.now(), 16, 0];
  const tick = (now: number): void => {
    request = requestAnimationFrame(tick);
    gap += 0.1 * (Math.min(500, now - ticked) - gap);
    ticked = now;
    // where pictures are painted without a graphics card, the rest of the page gets its turn
    if (gap > STRUGGLES && now - painted < SPARING) return;
    painted = now;
    paint(now);
  };
  const paint = (now: number): void => {
    const clock = Math.min(0.1, (now - last) / 1000);
    last = now;
    advance(clock);
    const moving = following.value ? run.isLive.value : playing.value;
    if (!moving && !dirty) return;
    const camera = view.camera.value;
    const ratio = Math.min(2, devicePixelRatio);
    const solid = run.hello.value?.dimensions === 3;
    const particles = solid || view.style.value === "particles";
    const quantity = view.quantity.value;
    const picture = run.kind.value === "none" ? null : shown(now, (frame) => holds(frame, quantity, particles));
    dirty = false;
    if (!picture) {
      painter.clear(camera, ratio);
      view.shownFrame.value = null;
      return;
    }
    const scale = scaleOf(picture);
    if (scale.low !== view.shownScale.value.low || scale.high !== view.shownScale.value.high) view.shownScale.value = scale;
    const flow = Number.isNaN(lastTime) ? 0 : time.value - lastTime;
    const jump = flow < 0 || flow > 20 * clock * Math.max(speed.value, 0.2) || lastShown === null;
    if (jump && !(run.kind.value === "example" && flow < 0)) painter.scatter();
    const look: Look = {
      quantity,
      particles,
      tracers: view.tracers.value && !calm.value,
      lines: view.lines.value,
      full: run.kind.value === "example" || !freeSurface(),
      bands: view.bands.value,
      scale,
      theme: theme.value,
      spacing: run.hello.value?.spacing ?? 0.01,
      ...view.extent.value,
      flow: jump ? 0 : flow,
      clock,
    };
    const hello = run.hello.value;
    if (solid && hello) painter.paintSolid(camera, ratio, picture, look, viewOf(orbit.value, hello.lower, hello.upper, camera.width, camera.height));
    else painter.paint(camera, ratio, picture, look);
    lastTime = time.value;
    if (lastShown?.before !== picture.before) view.shownFrame.value = picture.before;
    lastShown = picture;
  };
  canvasOf.painter = () => paint(performance.now());
  request = requestAnimationFrame(tick);
  return () => {
    cancelAnimationFrame(request);
    stop();
    canvas.removeEventListener("webglcontextlost", lost);
    canvas.removeEventListener("webglcontextrestored", restored);
  };
}

/** Whether there is a surface: water that does not fill the domain. */
function freeSurface(): boolean {
  const open = run.hello.value?.sides.some((side) => side.type === "open") ?? false;
  return open || (drawing.value?.regions.length ?? 0) > 0;
}

function scaleOf({ before }: Shown): { low: number; high: number } {
  if (view.scaleMode.value === "fixed") return view.fixedScale.value;
  if (view.scaleMode.value === "frame") return run.frameScale(before, view.quantity.value);
  return run.runScale(view.quantity.value);
}

/** What stands under the pointer, in words. */
function reading(): string {
  const at = view.pointer.value;
  if (!at) return "";
  const place = `x ${at[0].toFixed(3)} m   y ${at[1].toFixed(3)} m`;
  const name = view.quantity.value;
  const raster = view.shownFrame.value?.rasters.get(name);
  const value = raster ? valueAt(raster, at[0], at[1]) : Number.NaN;
  const { label, unit } = QUANTITIES[name];
  return Number.isNaN(value) ? place : `${place}   ${label.toLowerCase()} ${value.toPrecision(3)} ${raster?.unit || unit}`;
}

export function Stage() {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  usePointer(box);

  useEffect(() => {
    const element = box.current;
    if (!element || !canvas.current) return undefined;
    canvasOf.flow = canvas.current;
    const watch = new ResizeObserver(([entry]) => {
      if (entry) view.size.value = [Math.max(50, entry.contentRect.width), Math.max(50, entry.contentRect.height)];
    });
    watch.observe(element);
    const stop = animate(canvas.current);
    return () => {
      watch.disconnect();
      stop();
    };
  }, []);

  useEffect(
    () =>
      effect(() => {
        const hello = run.hello.value;
        const plan = drawing.value;
        if (run.kind.value !== "none" && hello && !stale.value) {
          view.extent.value = { lower: pair(hello.lower), upper: pair(hello.upper) };
        } else if (plan) {
          const [x, y] = pair(plan.origin);
          const [width, height] = pair(plan.size);
          view.extent.value = { lower: [x, y], upper: [x + width, y + height] };
        }
      }),
    [],
  );

  const failure = view.failure.value;
  return (
    <section class={`stage tool-${tool.value}${ghost.value ? " pulling" : ""}`} aria-label="Flow and drawing" ref={box}>
      <canvas ref={canvas} class={stale.value ? "flow stale" : "flow"} aria-hidden="true" />
      <Overlay />
      {failure && <p class="failure">{failure}</p>}
      <Hud />
      <div class="reading" aria-hidden="true">
        {reading()}
      </div>
    </section>
  );
}

function pair(list: readonly number[]): [number, number] {
  return [list[0] ?? 0, list[1] ?? 1];
}
