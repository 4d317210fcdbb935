/** A chart as a table of numbers, and as a picture. */

import { save, savePng } from "../canvas/keep";
import * as run from "../state/run";
import { type ChartSpec, chartData } from "./specs";

/** Every row, with units in the header. */
export function saveCsv(spec: ChartSpec): void {
  const columns = chartData(spec, run.series, Infinity);
  const unit = spec.unit ? ` [${spec.unit}]` : "";
  const header = ["time [s]", ...spec.curves.map((curve) => `${curve.label} ${curve.column}${unit}`)];
  const rows = [header.join(",")];
  for (let k = 0; k < columns[0].length; k++) rows.push(columns.map((column) => text(column[k])).join(","));
  save(new Blob([`${rows.join("\n")}\n`], { type: "text/csv" }), `${spec.name}.csv`);
}

/** Nothing where there is no value. */
function text(value: number | null | undefined): string {
  return value === undefined || value === null ? "" : String(value);
}

export function saveChart(spec: ChartSpec): void {
  const figure = [...document.querySelectorAll("figure.chart")].find((item) => item.getAttribute("aria-label") === `${spec.title} over time`);
  const plot = figure?.querySelector("canvas");
  if (!plot) return;
  const canvas = document.createElement("canvas");
  canvas.width = plot.width;
  canvas.height = plot.height + 40;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const style = getComputedStyle(document.documentElement);
  pen.fillStyle = style.getPropertyValue("--panel");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = style.getPropertyValue("--ink");
  pen.font = `600 ${13 * devicePixelRatio}px Inter, sans-serif`;
  pen.fillText(`${spec.title} ${spec.unit}`, 12, 26);
  pen.drawImage(plot, 0, 40);
  void savePng(canvas, `${spec.name}.png`);
}
