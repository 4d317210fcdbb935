/** The strip of small pictures behind the timeline. */

import { colorTable } from "../colors/maps";
import { QUANTITIES } from "../colors/quantities";
import { moments } from "../state/run";
import { wantThumbnail } from "../state/playback";
import * as view from "../state/view";
import type { Raster } from "../stream/frame";

const HEIGHT = 38; // CSS pixels

/** Draws as many frames in memory as fit side by side, each at its time. */
export function drawFilm(canvas: HTMLCanvasElement, end: number): void {
  const ratio = Math.min(2, devicePixelRatio);
  const width = canvas.clientWidth;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.round(HEIGHT * ratio);
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const { lower, upper } = view.extent.value;
  const aspect = (upper[0] - lower[0]) / Math.max(1e-12, upper[1] - lower[1]);
  const wide = Math.min(170, Math.max(30, HEIGHT * aspect));
  const count = Math.max(1, Math.floor(width / wide));
  const last = moments.all[moments.all.length - 1]?.time ?? 0;
  pen.beginPath();
  pen.rect(0, 0, (canvas.width * Math.min(last, end)) / end, canvas.height); // what has not been computed is not shown
  pen.clip();
  for (let k = 0; k < count; k++) {
    const time = ((k + 0.5) / count) * end;
    if ((k / count) * end > last) break;
    const raster = near(time, end / count);
    const moment = moments.all[moments.at(time)];
    if (!raster && moment) wantThumbnail(moment);
    if (raster) paint(pen, raster, (k * canvas.width) / count + 1, canvas.width / count - 2, canvas.height);
  }
}

/** The raster nearest to a time, not more than `reach` away. */
function near(time: number, reach: number): Raster | null {
  const at = moments.at(time);
  for (let d = 0; d < 40; d++) {
    for (const k of d === 0 ? [at] : [at - d, at + d]) {
      const moment = moments.all[k];
      if (!moment || Math.abs(moment.time - time) > reach) continue;
      const raster = moments.frame(moment)?.rasters.get(view.quantity.value);
      if (raster) return raster;
    }
  }
  return null;
}

/** Fills a cell of the strip: the raster's middle, at the cell's own proportions. */
function paint(pen: CanvasRenderingContext2D, raster: Raster, left: number, width: number, height: number): void {
  const [columns, rows] = [Math.max(1, Math.round(width / 2)), Math.max(1, Math.round(height / 2))];
  const image = new ImageData(columns, rows);
  const table = colorTable(QUANTITIES[view.quantity.value].map);
  const { low, high } = view.shownScale.value;
  const shown = Math.min(raster.columns / columns, raster.rows / rows);
  const [x0, y0] = [(raster.columns - shown * columns) / 2, (raster.rows - shown * rows) / 2];
  const { values } = raster;
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const row = Math.min(raster.rows - 1, Math.floor(y0 + (rows - 1 - j) * shown));
      const column = Math.min(raster.columns - 1, Math.floor(x0 + i * shown));
      const code = values.data[row * raster.columns + column] as number;
      if (code > values.top) continue;
      const share = (values.offset + values.scale * code - low) / (high - low);
      const entry = 3 * Math.max(0, Math.min(255, Math.round(255 * share)));
      const at = 4 * (j * columns + i);
      image.data[at] = table[entry] as number;
      image.data[at + 1] = table[entry + 1] as number;
      image.data[at + 2] = table[entry + 2] as number;
      image.data[at + 3] = 255;
    }
  }
  const small = new OffscreenCanvas(columns, rows);
  small.getContext("2d")?.putImageData(image, 0, 0);
  pen.drawImage(small, left, 0, width, height);
}
