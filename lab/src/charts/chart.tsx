/** A chart: growing curves, published bands and the averaging window. */

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { formatNumber } from "../colors/scale";
import * as run from "../state/run";
import { scrub, time } from "../state/playback";
import { theme } from "../state/theme";
import { lifetimeOf } from "../stream/bodies";
import { statistics, valueAtTime } from "../stream/series";
import { bandLabel, cssVariable, curveColor, curveDash, drawBandsAndWindow, drawBodyEvents, drawPlayhead } from "./paint";
import { axisRange, tickLabels } from "./range";
import { type ChartSpec, chartData, type Column, countValues } from "./specs";
import { averagingWindow } from "./window";

export const MAX_POINTS = 3000;
const REDRAW_INTERVAL = 120; // ms between redraws of a growing curve
const CHARACTER_WIDTH = 6.5; // CSS pixels, of labels of ticks
const MIN_PADDING = 16; // CSS pixels at the right end of the axis of times
const TICK_SPACE = 22; // CSS pixels between ticks of values, at least
const POINT_SIZE = 7; // CSS pixels
const CLICK_TOLERANCE = 4; // CSS pixels; a larger movement is a drag

export function options(spec: ChartSpec, width: number, height: number): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: cssVariable("--ink-2"),
    font: "11px Inter, system-ui",
    grid: { stroke: cssVariable("--line"), width: 1 },
    ticks: { show: false },
    gap: 4,
  };
  let lastTimeLabel = ""; // centred below its tick, which may be at the end of the axis
  const timeLabels = (values: readonly number[]): string[] => {
    const labels = tickLabels(values);
    if (labels.length > 0) labels.push((lastTimeLabel = `${labels.pop()} ${run.timeUnit.value}`));
    return labels;
  };
  return {
    width,
    height,
    padding: [8, () => Math.max(MIN_PADDING, Math.ceil(0.5 * CHARACTER_WIDTH * lastTimeLabel.length)), 0, 0],
    cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: "eddyline" }, points: { size: 6 }, y: false },
    legend: { show: false },
    scales: { x: { time: false }, y: { range: (plot) => range(plot, spec) } },
    axes: [
      { ...axis, size: 22, values: (_plot, values) => timeLabels(values) },
      { ...axis, space: TICK_SPACE, size: (_plot, labels) => Math.max(50, CHARACTER_WIDTH * Math.max(0, ...(labels ?? []).map(({ length }) => length)) + 8), values: (_plot, values) => tickLabels(values) },
    ],
    series: [
      {},
      ...spec.curves.map((curve, k) => ({ label: curve.label, stroke: curveColor(k), width: 1.6, dash: curveDash(k), points: { show: isSingle, size: POINT_SIZE, fill: curveColor(k) } })),
    ],
    hooks: {
      drawClear: [(plot) => drawBandsAndWindow(plot, spec)],
      draw: [(plot) => drawBodyEvents(plot, spec), drawPlayhead],
      setSelect: [(plot) => {
        const { left, width: selectedWidth } = plot.select;
        if (selectedWidth < 4) return;
        averagingWindow.value = { from: plot.posToVal(left, "x"), to: plot.posToVal(left + selectedWidth, "x") };
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
    },
  };
}

/** True if a curve has a single value, of which no line can be drawn. */
function isSingle(plot: uPlot, curve: number): boolean {
  return countValues(plot.data[curve] as Column) === 1;
}

function range(plot: uPlot, spec: ChartSpec): uPlot.Range.MinMax {
  return axisRange(plot.data.slice(1) as Column[], spec.bands);
}

/** Selects the averaging window by touch or pen; uPlot handles the mouse itself. */
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
      if (from !== null && Math.abs(to - from) >= CLICK_TOLERANCE) averagingWindow.value = { from: plot.posToVal(Math.min(from, to), "x"), to: plot.posToVal(Math.max(from, to), "x") };
      from = null;
      select(0, 0);
    },
    pointercancel: () => {
      from = null;
      select(0, 0);
    },
  };
  const onPointer = (event: PointerEvent): void => {
    if (event.pointerType !== "mouse") handlers[event.type]?.(event);
  };
  const names = ["pointerdown", "pointermove", "pointerup", "pointercancel"] as const;
  for (const name of names) over.addEventListener(name, onPointer);
  return () => {
    for (const name of names) over.removeEventListener(name, onPointer);
  };
}

function mountChart(box: HTMLElement, spec: ChartSpec): () => void {
  const size = (): { width: number; height: number } => ({ width: Math.max(80, box.clientWidth), height: Math.max(60, box.clientHeight) });
  const plot = new uPlot(options(spec, size().width, size().height), chartData(spec, run.series, MAX_POINTS), box);
  plot.over.addEventListener("dblclick", () => {
    averagingWindow.value = null;
  });
  let downAt = 0;
  plot.over.addEventListener("mousedown", (event) => {
    downAt = event.clientX;
  });
  plot.over.addEventListener("click", (event) => {
    if (Math.abs(event.clientX - downAt) < CLICK_TOLERANCE && plot.cursor.left !== undefined) scrub(plot.posToVal(plot.cursor.left, "x"));
  });
  const stopTouch = selectByTouch(plot);
  let timer = 0;
  let isPending = false;
  const update = (): void => {
    if (timer) {
      isPending = true;
      return;
    }
    plot.setData(chartData(spec, run.series, MAX_POINTS));
    timer = window.setTimeout(() => {
      timer = 0;
      if (isPending) {
        isPending = false;
        update();
      }
    }, REDRAW_INTERVAL);
  };
  const stopData = effect(() => {
    run.series.version.value;
    update();
  });
  let request = 0;
  const stopTime = effect(() => {
    time.value;
    averagingWindow.value;
    run.firstSteering.value;
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
  const steered = run.firstSteering.value !== null;
  const key = `${spec.name} ${spec.curves.map((curve) => `${curve.series} ${curve.factor}`).join()} ${spec.bands.length}`;
  const mode = theme.value;
  useEffect(() => (box.current ? mountChart(box.current, spec) : undefined), [key, mode]);
  return (
    <figure class="chart" style={{ margin: 0 }} aria-label={`${spec.title} over time`}>
      <figcaption class="head">
        <b>
          {spec.title} {spec.unit && <span class="note">{spec.unit}</span>}
        </b>
        <CurveLabels spec={spec} />
        {spec.bands.map((band) => (
          <span class={steered ? "key band steered" : "key band"} key={bandLabel(band)}>
            <i />
            <span class="words" title={bandLabel(band)}>
              {bandLabel(band)}
              {steered && " (steered)"}
            </span>
          </span>
        ))}
      </figcaption>
      <div class="plot" ref={box} />
    </figure>
  );
}

/** Names of the curves with statistics of the averaging window, or with values at the displayed time. */
function CurveLabels({ spec }: { spec: ChartSpec }) {
  run.series.version.value;
  const window = averagingWindow.value;
  const now = time.value;
  return (
    <>
      {spec.curves.slice(0, 6).map((curve, k) => {
        const series = run.series.all.get(curve.series);
        const times = series?.column("time");
        const values = series?.column(curve.column);
        const found = window && times && values ? statistics(times, values, window) : null;
        const { added, removed } = lifetimeOf(curve.label, run.marks.value);
        const value = times && values && (removed === null || now < removed) ? curve.factor * valueAtTime(times, values, now) : Number.NaN;
        const lifetime = added !== null && removed !== null ? `${formatNumber(added)}–${formatNumber(removed)} s` : added !== null ? `from ${formatNumber(added)} s` : removed !== null ? `to ${formatNumber(removed)} s` : "";
        return (
          <span class="key" key={curve.series + curve.column}>
            <i style={{ background: `var(--series-${(k % 4) + 1})` }} />
            {curve.label} {lifetime && <span class="note">{lifetime}</span>}{" "}
            {found ? (
              <span class="stats">
                mean <b>{formatNumber(curve.factor * found.mean, 4)}</b> min {formatNumber(Math.min(curve.factor * found.min, curve.factor * found.max), 4)} max{" "}
                {formatNumber(Math.max(curve.factor * found.min, curve.factor * found.max), 4)} rms {formatNumber(Math.abs(curve.factor) * found.rms)}
              </span>
            ) : (
              <span class="stats">{Number.isFinite(value) && <b>{formatNumber(value, 4)}</b>}</span>
            )}
          </span>
        );
      })}
    </>
  );
}
