/** Thumbnails behind the timeline. */

import { colorTable } from "../colors/maps";
import { quantityOf } from "../colors/quantities";
import { frames } from "../state/run";
import { requestThumbnail } from "../state/playback";
import * as view from "../state/view";
import type { Raster } from "../stream/frame";

const HEIGHT = 38; // CSS pixels

/** Draws as many thumbnails as fit side by side, each at its time. */
export function drawFilmstrip(canvas: HTMLCanvasElement, end: number): void {
  const ratio = Math.min(2, devicePixelRatio);
  const width = canvas.clientWidth;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.round(HEIGHT * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  const { lower, upper } = view.extent.value;
  const aspect = (upper[0] - lower[0]) / Math.max(1e-12, upper[1] - lower[1]);
  const cellWidth = Math.min(170, Math.max(30, HEIGHT * aspect));
  const count = Math.max(1, Math.floor(width / cellWidth));
  const last = frames.all[frames.all.length - 1]?.time ?? 0;
  context.beginPath();
  context.rect(0, 0, (canvas.width * Math.min(last, end)) / end, canvas.height); // nothing beyond the computed time
  context.clip();
  for (let k = 0; k < count; k++) {
    const time = ((k + 0.5) / count) * end;
    if ((k / count) * end > last) break;
    const raster = nearestRaster(time, end / count);
    const entry = raster ? null : frames.nearestStored(time);
    if (entry) requestThumbnail(entry);
    if (raster) drawCell(context, raster, (k * canvas.width) / count + 1, canvas.width / count - 2, canvas.height);
  }
}

/** The raster nearest to a time, at most `maxDistance` [s] away. */
function nearestRaster(time: number, maxDistance: number): Raster | null {
  const at = frames.indexAt(time);
  for (let d = 0; d < 40; d++) {
    for (const k of d === 0 ? [at] : [at - d, at + d]) {
      const entry = frames.all[k];
      if (!entry || Math.abs(entry.time - time) > maxDistance) continue;
      const raster = frames.cachedFrame(entry)?.rasters.get(view.quantity.value);
      if (raster) return raster;
    }
  }
  return null;
}

/** Draws a thumbnail: the centre of the raster, cropped to the aspect ratio of the cell. */
function drawCell(context: CanvasRenderingContext2D, raster: Raster, left: number, width: number, height: number): void {
  const [columns, rows] = [Math.max(1, Math.round(width / 2)), Math.max(1, Math.round(height / 2))];
  const image = new ImageData(columns, rows);
  const table = colorTable(quantityOf(view.quantity.value).map);
  const { low, high } = view.shownScale.value;
  const shown = Math.min(raster.columns / columns, raster.rows / rows);
  const [x0, y0] = [(raster.columns - shown * columns) / 2, (raster.rows - shown * rows) / 2];
  const { values } = raster;
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const row = Math.min(raster.rows - 1, Math.floor(y0 + (rows - 1 - j) * shown));
      const column = Math.min(raster.columns - 1, Math.floor(x0 + i * shown));
      const code = values.data[row * raster.columns + column] as number;
      if (code > values.maxValueCode) continue;
      const share = (values.offset + values.scale * code - low) / (high - low);
      const entry = 3 * Math.max(0, Math.min(255, Math.round(255 * share)));
      const at = 4 * (j * columns + i);
      image.data[at] = table[entry] as number;
      image.data[at + 1] = table[entry + 1] as number;
      image.data[at + 2] = table[entry + 2] as number;
      image.data[at + 3] = 255;
    }
  }
  const scaled = new OffscreenCanvas(columns, rows);
  scaled.getContext("2d")?.putImageData(image, 0, 0);
  context.drawImage(scaled, left, 0, width, height);
}
