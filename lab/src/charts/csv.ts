/** Saves a chart as CSV or PNG. */

import uPlot from "uplot";
import { save, savePng } from "../canvas/save";
import * as run from "../state/run";
import { MAX_POINTS, options } from "./chart";
import { bandLabel, cssVariable, curveColor, curveDash } from "./paint";
import { type ChartSpec, chartData } from "./specs";

/** Saves all rows that the page has, with units in the header. */
export function saveCsv(spec: ChartSpec): void {
  const columns = chartData(spec, run.series, Infinity);
  const unit = spec.unit ? ` [${spec.unit}]` : "";
  const header = [`time [${run.timeUnit.value}]`, ...spec.curves.map((curve) => `${curve.label} ${curve.column}${unit}`)];
  const rows = [header.join(",")];
  for (let k = 0; k < columns[0].length; k++) rows.push(columns.map((column) => cell(column[k])).join(","));
  save(new Blob([`${rows.join("\n")}\n`], { type: "text/csv" }), `${spec.name}.csv`);
}

/** A CSV cell; empty without a value. */
function cell(value: number | null | undefined): string {
  return value === undefined || value === null ? "" : String(value);
}

const [WIDTH, HEIGHT] = [960, 400]; // CSS pixels of a saved chart without title and curve labels
const HEADER_HEIGHT = 62;

/** Saves the chart as a picture of fixed size with curve labels. */
export async function saveChart(spec: ChartSpec): Promise<void> {
  const box = document.createElement("div");
  const plot = new uPlot(options(spec, WIDTH, HEIGHT), chartData(spec, run.series, MAX_POINTS), box);
  await new Promise((done) => setTimeout(done)); // uPlot draws after this task
  const ratio = devicePixelRatio;
  const canvas = document.createElement("canvas");
  canvas.width = plot.ctx.canvas.width;
  canvas.height = plot.ctx.canvas.height + HEADER_HEIGHT * ratio;
  const context = canvas.getContext("2d");
  if (!context) return;
  const style = getComputedStyle(document.documentElement);
  context.fillStyle = style.getPropertyValue("--panel");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(plot.ctx.canvas, 0, HEADER_HEIGHT * ratio);
  plot.destroy();
  context.scale(ratio, ratio);
  context.fillStyle = style.getPropertyValue("--ink");
  context.font = "600 13px Inter, sans-serif";
  context.fillText(`${spec.title} ${spec.unit && `[${spec.unit}] `}over time [${run.timeUnit.value}], ${run.hello.value?.title ?? ""}`, 12, 24);
  drawCurveLabels(context, spec);
  await savePng(canvas, `${spec.name}.png`);
}

/** Draws a sample and the name of each curve. */
function drawCurveLabels(context: CanvasRenderingContext2D, spec: ChartSpec): void {
  context.font = "12px Inter, sans-serif";
  context.lineWidth = 1.6;
  let x = 12;
  spec.curves.forEach((curve, k) => {
    context.strokeStyle = curveColor(k);
    context.setLineDash(curveDash(k));
    context.beginPath();
    context.moveTo(x, 44);
    context.lineTo(x + 28, 44);
    context.stroke();
    context.fillText(curve.label, x + 34, 48);
    x += 34 + context.measureText(curve.label).width + 18;
  });
  for (const band of spec.bands) {
    const label = bandLabel(band);
    context.fillStyle = cssVariable("--band");
    context.fillRect(x, 39, 28, 10);
    context.fillStyle = cssVariable("--ink");
    context.fillText(label, x + 34, 48);
    x += 34 + context.measureText(label).width + 18;
  }
}
