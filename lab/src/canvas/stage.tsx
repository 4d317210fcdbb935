/** The stage: the canvas of the flow, the drawing on top, and pointer input. */

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { quantityOf } from "../colors/quantities";
import { tool } from "../draw/drawing";
import * as run from "../state/run";
import { isStale } from "../state/runs";
import * as view from "../state/view";
import { drawing } from "../state/world";
import { valueAt } from "../stream/frame";
import { AnimationLoop } from "./animation";
import { flowCanvas } from "./capture";
import { CanvasControls } from "./hud";
import { Overlay } from "./overlay";
import { usePointer } from "./pointer";

/** Starts the animation loop; reports an error if the browser cannot draw. */
function animate(canvas: HTMLCanvasElement): () => void {
  try {
    const animation = new AnimationLoop(canvas);
    return () => animation.stop();
  } catch (error) {
    view.renderError.value = error instanceof Error ? error.message : String(error);
    return () => undefined;
  }
}

/** Position and value under the pointer, as text. */
function reading(): string {
  const at = view.pointer.value;
  if (!at || run.is3d.value) return "";
  const { lower, upper } = view.extent.value;
  const digits = Math.max(0, 3 - Math.floor(Math.log10(Math.max(upper[0] - lower[0], upper[1] - lower[1]))));
  const place = `x ${at[0].toFixed(digits)} m   y ${at[1].toFixed(digits)} m`;
  if (isStale.value) return place; // the run is not shown
  const name = view.quantity.value;
  const raster = view.shownFrame.value?.rasters.get(name);
  const value = raster ? valueAt(raster, at[0], at[1]) : Number.NaN;
  const { label, unit } = quantityOf(name);
  return Number.isNaN(value) ? place : `${place}   ${label.toLowerCase()} ${value.toPrecision(3)} ${raster?.unit || unit}`;
}

export function Stage() {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  usePointer(box);

  useEffect(() => {
    const element = box.current;
    if (!element || !canvas.current) return undefined;
    flowCanvas.canvas = canvas.current;
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
        const drawn = drawing.value;
        if (run.kind.value !== "none" && hello && !isStale.value) {
          view.extent.value = { lower: pair(hello.lower), upper: pair(hello.upper) };
        } else if (drawn) {
          const [x, y] = pair(drawn.origin);
          const [width, height] = pair(drawn.size);
          view.extent.value = { lower: [x, y], upper: [x + width, y + height] };
        }
      }),
    [],
  );

  const failure = view.renderError.value;
  return (
    <section class={`stage tool-${tool.value}`} aria-label="Flow and drawing" ref={box}>
      <canvas ref={canvas} class={isStale.value ? "flow stale" : "flow"} aria-hidden="true" />
      <Overlay />
      {failure && <p class="failure">{failure}</p>}
      <CanvasControls />
      <div class="reading" aria-hidden="true">
        {reading()}
      </div>
    </section>
  );
}

function pair(list: readonly number[]): [number, number] {
  return [list[0] ?? 0, list[1] ?? 1];
}
