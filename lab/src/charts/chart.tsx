/** One chart: curves as they grow, published bands, and the window that averages are taken over. */

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { short } from "../colors/scale";
import * as run from "../state/run";
import { scrub, time } from "../state/playback";
import { theme } from "../state/theme";
import { stayOf } from "../stream/bodies";
import { statistics, valueAtTime } from "../stream/series";
import { rangeOfMost } from "./range";
import { type Band, type ChartSpec, chartData, type Column } from "./specs";
import { averaging } from "./window";

export const MOST_POINTS = 3000;
const HURRY = 120; // ms between two drawings of a growing curve
const NICE = 1e-9;
const SLIP = 4; // CSS pixels that a click or a tap may slip

export const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const DASHES: number[][] = [[], [6, 3], [2, 3], [9, 3, 2, 3]];
/** Four colours with a dash each; the next four have the dash of their neighbour. */
export const curveColor = (k: number): string => css(`--series-${(k % 4) + 1}`);
export const dashes = (k: number): number[] => DASHES[(k + Math.floor(k / 4)) % 4] ?? [];

export function options(spec: ChartSpec, width: number, height: number): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: css("--ink-2"),
    font: "11px Inter, system-ui",
    grid: { stroke: css("--line"), width: 1 },
    ticks: { show: false },
    gap: 4,
  };
  return {
    width,
    height,
    padding: [8, 10, 0, 0],
    cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: "eddyline" }, points: { size: 6 }, y: false },
    legend: { show: false },
    scales: { x: { time: false }, y: { range: (plot, low, high) => range(plot, spec, low, high) } },
    axes: [
      { ...axis, size: 22, values: (_plot, values) => values.map((value, k) => `${short(value, 4)}${k === values.length - 1 ? " s" : ""}`) },
      { ...axis, size: 50, values: (_plot, values) => values.map((value) => short(value, 4)) },
    ],
    series: [
      {},
      ...spec.curves.map((curve, k) => ({ label: curve.label, stroke: curveColor(k), width: 1.6, dash: dashes(k), points: { show: false } })),
    ],
    hooks: {
      drawClear: [(plot) => bands(plot, spec)],
      draw: [(plot) => stays(plot, spec), playhead],
      setSelect: [(plot) => {
        const { left, width: wide } = plot.select;
        if (wide < 4) return;
        averaging.value = { from: plot.posToVal(left, "x"), to: plot.posToVal(left + wide, "x") };
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
    },
  };
}

/** The range of most values, so that a start with sound waves does not flatten what follows; with the bands
 * inside where they are near. */
function range(plot: uPlot, spec: ChartSpec, low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [0, 1];
  let [from, to] = rangeOfMost(plot.data.slice(1).flatMap((column) => (column as Column).filter((value) => value !== null)));
  for (const band of spec.bands) {
    if (band.low - to < 0.8 * (to - from) && from - band.high < 0.8 * (to - from)) {
      from = Math.min(from, band.low);
      to = Math.max(to, band.high);
    }
  }
  const room = Math.max(0.08 * (to - from), NICE * Math.max(1, Math.abs(to)));
  return [from - room, to + room];
}

/** Published values, greyed once the flow has been steered away from them; and the averaging window. */
function bands(plot: uPlot, spec: ChartSpec): void {
  const pen = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  pen.save();
  pen.beginPath();
  pen.rect(left, top, width, height);
  pen.clip();
  const chosen = averaging.value;
  if (chosen) {
    const [x0, x1] = [plot.valToPos(chosen.from, "x", true), plot.valToPos(chosen.to, "x", true)];
    pen.fillStyle = css("--accent-soft");
    pen.globalAlpha = 0.6;
    pen.fillRect(x0, top, x1 - x0, height);
    pen.globalAlpha = 1;
  }
  for (const band of spec.bands) {
    const [y0, y1] = [plot.valToPos(band.high, "y", true), plot.valToPos(band.low, "y", true)];
    pen.fillStyle = run.steered.value ? css("--line") : css("--band");
    pen.fillRect(left, y0, width, Math.max(2 * devicePixelRatio, y1 - y0));
  }
  pen.restore();
}

/** "published max 3.22–3.24, Schäfer & Turek 1996": beside the names of the curves, where it covers none. */
export function bandWords({ what, low, high, source }: Band): string {
  const values = low === high ? short(low, 4) : `${short(low, 4)}–${short(high, 4)}`;
  return `published ${what} ${values}, ${source}`;
}

/** When bodies of the chart came and went. */
function stays(plot: uPlot, spec: ChartSpec): void {
  const pen = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  const bodies = new Set(spec.curves.filter((curve) => curve.series.startsWith("force.")).map((curve) => curve.label));
  pen.save();
  pen.font = `500 ${10.5 * devicePixelRatio}px Inter, sans-serif`;
  pen.textBaseline = "top";
  pen.lineJoin = "round";
  let row = 0;
  for (const mark of run.marks.value.filter((each) => bodies.has(each.body))) {
    const x = plot.valToPos(mark.time, "x", true);
    if (x < left || x > left + width) continue;
    const came = mark.command === "add_body";
    pen.strokeStyle = css("--ink-3");
    pen.lineWidth = devicePixelRatio;
    pen.setLineDash((came ? [6, 3] : [2, 3]).map((length) => length * devicePixelRatio));
    pen.beginPath();
    pen.moveTo(x, top);
    pen.lineTo(x, top + height);
    pen.stroke();
    pen.setLineDash([]);
    const after = x < left + 0.7 * width;
    const words = `${mark.body} ${came ? "added" : "removed"}`;
    const at: [number, number] = [x + (after ? 4 : -4) * devicePixelRatio, top + (2 + 13 * (row++ % 3)) * devicePixelRatio];
    pen.textAlign = after ? "left" : "right";
    pen.lineWidth = 4 * devicePixelRatio;
    pen.strokeStyle = css("--panel");
    pen.fillStyle = css("--ink-2");
    pen.strokeText(words, ...at);
    pen.fillText(words, ...at);
  }
  pen.restore();
}

function playhead(plot: uPlot): void {
  const x = plot.valToPos(time.value, "x", true);
  const { left, top, width, height } = plot.bbox;
  if (x < left || x > left + width) return;
  const pen = plot.ctx;
  pen.save();
  pen.strokeStyle = css("--ink-3");
  pen.lineWidth = devicePixelRatio;
  pen.beginPath();
  pen.moveTo(x, top);
  pen.lineTo(x, top + height);
  pen.stroke();
  pen.restore();
}

/** A finger or a pen drawn across the chart sets the averaging window, as the mouse does by uPlot's own means. */
function selectByTouch(plot: uPlot): () => void {
  const { over } = plot;
  let from: number | null = null;
  const at = (event: PointerEvent): number => Math.min(over.clientWidth, Math.max(0, event.clientX - over.getBoundingClientRect().left));
  const select = (left: number, width: number): void => plot.setSelect({ left, top: 0, width, height: width > 0 ? over.clientHeight : 0 }, false);
  const handlers: Record<string, (event: PointerEvent) => void> = {
    pointerdown: (event) => {
      from = at(event);
      over.setPointerCapture(event.pointerId);
    },
    pointermove: (event) => {
      if (from !== null) select(Math.min(from, at(event)), Math.abs(at(event) - from));
    },
    pointerup: (event) => {
      const to = at(event);
      if (from !== null && Math.abs(to - from) >= SLIP) averaging.value = { from: plot.posToVal(Math.min(from, to), "x"), to: plot.posToVal(Math.max(from, to), "x") };
      from = null;
      select(0, 0);
    },
    pointercancel: () => {
      from = null;
      select(0, 0);
    },
  };
  const heard = (event: PointerEvent): void => {
    if (event.pointerType !== "mouse") handlers[event.type]?.(event);
  };
  const names = ["pointerdown", "pointermove", "pointerup", "pointercancel"] as const;
  for (const name of names) over.addEventListener(name, heard);
  return () => {
    for (const name of names) over.removeEventListener(name, heard);
  };
}

function attach(box: HTMLElement, spec: ChartSpec): () => void {
  const size = (): { width: number; height: number } => ({ width: Math.max(80, box.clientWidth), height: Math.max(60, box.clientHeight) });
  const plot = new uPlot(options(spec, size().width, size().height), chartData(spec, run.series, MOST_POINTS), box);
  plot.over.addEventListener("dblclick", () => {
    averaging.value = null;
  });
  let downAt = 0;
  plot.over.addEventListener("mousedown", (event) => {
    downAt = event.clientX;
  });
  plot.over.addEventListener("click", (event) => {
    if (Math.abs(event.clientX - downAt) < SLIP && plot.cursor.left !== undefined) scrub(plot.posToVal(plot.cursor.left, "x"));
  });
  const stopTouch = selectByTouch(plot);
  let timer = 0;
  let stale = false;
  const update = (): void => {
    if (timer) {
      stale = true;
      return;
    }
    plot.setData(chartData(spec, run.series, MOST_POINTS));
    timer = window.setTimeout(() => {
      timer = 0;
      if (stale) {
        stale = false;
        update();
      }
    }, HURRY);
  };
  const stopData = effect(() => {
    run.series.version.value;
    update();
  });
  let request = 0;
  const stopTime = effect(() => {
    time.value;
    averaging.value;
    run.steered.value;
    run.marks.value;
    request ||= requestAnimationFrame(() => {
      request = 0;
      plot.redraw(false, false);
    });
  });
  const watch = new ResizeObserver(() => plot.setSize(size()));
  watch.observe(box);
  return () => {
    clearTimeout(timer);
    cancelAnimationFrame(request);
    stopTouch();
    stopData();
    stopTime();
    watch.disconnect();
    plot.destroy();
  };
}

export function Chart({ spec }: { spec: ChartSpec }) {
  const box = useRef<HTMLDivElement>(null);
  const steered = run.steered.value !== null;
  const key = `${spec.name} ${spec.curves.map((curve) => `${curve.series} ${curve.factor}`).join()} ${spec.bands.length}`;
  const mode = theme.value;
  useEffect(() => (box.current ? attach(box.current, spec) : undefined), [key, mode]);
  return (
    <figure class="chart" style={{ margin: 0 }} aria-label={`${spec.title} over time`}>
      <figcaption class="head">
        <b>
          {spec.title} {spec.unit && <span class="note">{spec.unit}</span>}
        </b>
        <Keys spec={spec} />
        {spec.bands.map((band) => (
          <span class={steered ? "key band steered" : "key band"} key={bandWords(band)}>
            <i />
            {bandWords(band)}
            {steered && " (steered)"}
          </span>
        ))}
      </figcaption>
      <div class="plot" ref={box} />
    </figure>
  );
}

/** Names of the curves; with a window, what they are inside it, else what they are at the time that is shown. */
function Keys({ spec }: { spec: ChartSpec }) {
  run.series.version.value;
  const chosen = averaging.value;
  const now = time.value;
  return (
    <>
      {spec.curves.slice(0, 6).map((curve, k) => {
        const series = run.series.all.get(curve.series);
        const times = series?.column("time");
        const values = series?.column(curve.column);
        const found = chosen && times && values ? statistics(times, values, chosen) : null;
        const { came, went } = stayOf(curve.label, run.marks.value);
        const value = times && values && (went === null || now < went) ? curve.factor * valueAtTime(times, values, now) : Number.NaN;
        const stay = came !== null && went !== null ? `${short(came)}–${short(went)} s` : came !== null ? `from ${short(came)} s` : went !== null ? `to ${short(went)} s` : "";
        return (
          <span class="key" key={curve.series + curve.column}>
            <i style={{ background: `var(--series-${(k % 4) + 1})` }} />
            {curve.label} {stay && <span class="note">{stay}</span>}{" "}
            {found ? (
              <span class="stats">
                mean <b>{short(curve.factor * found.mean, 4)}</b> min {short(Math.min(curve.factor * found.min, curve.factor * found.max), 4)} max{" "}
                {short(Math.max(curve.factor * found.min, curve.factor * found.max), 4)} rms {short(Math.abs(curve.factor) * found.rms)}
              </span>
            ) : (
              <span class="stats">{Number.isFinite(value) && <b>{short(value, 4)}</b>}</span>
            )}
          </span>
        );
      })}
    </>
  );
}
