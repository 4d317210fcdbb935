/** Parts of a chart besides its curves: averaging window, published bands, bodies that come and go, displayed time. */

import type uPlot from "uplot";
import { formatNumber } from "../colors/scale";
import * as run from "../state/run";
import { time } from "../state/playback";
import type { Band, ChartSpec } from "./specs";
import { averagingWindow } from "./window";

export const cssVariable = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const DASHES: number[][] = [[], [6, 3], [2, 3], [9, 3, 2, 3]];
/** Curves cycle through four colours; each further cycle shifts the dash pattern. */
export const curveColor = (k: number): string => cssVariable(`--series-${(k % 4) + 1}`);
export const curveDash = (k: number): number[] => DASHES[(k + Math.floor(k / 4)) % 4] ?? [];

/** Draws the averaging window and the published bands; the bands are grey after steering. */
export function drawBandsAndWindow(plot: uPlot, spec: ChartSpec): void {
  const context = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  const window = averagingWindow.value;
  if (window) {
    const [x0, x1] = [plot.valToPos(window.from, "x", true), plot.valToPos(window.to, "x", true)];
    context.fillStyle = cssVariable("--accent-soft");
    context.globalAlpha = 0.6;
    context.fillRect(x0, top, x1 - x0, height);
    context.globalAlpha = 1;
  }
  for (const band of spec.bands) {
    const [y0, y1] = [plot.valToPos(band.high, "y", true), plot.valToPos(band.low, "y", true)];
    context.fillStyle = run.firstSteering.value ? cssVariable("--line") : cssVariable("--band");
    context.fillRect(left, y0, width, Math.max(2 * devicePixelRatio, y1 - y0));
  }
  context.restore();
}

/** The label of a band, e.g. "published max 3.22–3.24, Schäfer & Turek 1996". */
export function bandLabel({ statistic, low, high, source }: Band): string {
  const values = low === high ? formatNumber(low, 4) : `${formatNumber(low, 4)}–${formatNumber(high, 4)}`;
  return `published ${statistic} ${values}, ${source}`;
}

/** Marks when bodies of the chart were added and removed. */
export function drawBodyEvents(plot: uPlot, spec: ChartSpec): void {
  const context = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  const bodies = new Set(spec.curves.filter((curve) => curve.series.startsWith("force.")).map((curve) => curve.label));
  context.save();
  context.font = `500 ${10.5 * devicePixelRatio}px Inter, sans-serif`;
  context.textBaseline = "top";
  context.lineJoin = "round";
  let row = 0;
  for (const mark of run.marks.value.filter((each) => bodies.has(each.body))) {
    const x = plot.valToPos(mark.time, "x", true);
    if (x < left || x > left + width) continue;
    const isAdded = mark.command === "add_body";
    context.strokeStyle = cssVariable("--ink-3");
    context.lineWidth = devicePixelRatio;
    context.setLineDash((isAdded ? [6, 3] : [2, 3]).map((length) => length * devicePixelRatio));
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, top + height);
    context.stroke();
    context.setLineDash([]);
    const after = x < left + 0.7 * width;
    const label = `${mark.body} ${isAdded ? "added" : "removed"}`;
    const at: [number, number] = [x + (after ? 4 : -4) * devicePixelRatio, top + (2 + 13 * (row++ % 3)) * devicePixelRatio];
    context.textAlign = after ? "left" : "right";
    context.lineWidth = 4 * devicePixelRatio;
    context.strokeStyle = cssVariable("--panel");
    context.fillStyle = cssVariable("--ink-2");
    context.strokeText(label, ...at);
    context.fillText(label, ...at);
  }
  context.restore();
}

export function drawPlayhead(plot: uPlot): void {
  const x = plot.valToPos(time.value, "x", true);
  const { left, top, width, height } = plot.bbox;
  if (x < left || x > left + width) return;
  const context = plot.ctx;
  context.save();
  context.strokeStyle = cssVariable("--ink-3");
  context.lineWidth = devicePixelRatio;
  context.setLineDash([]); // that of the last curve is still set
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, top + height);
  context.stroke();
  context.restore();
}
