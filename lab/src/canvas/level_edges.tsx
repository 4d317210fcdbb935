/** Edges of finer cells, as in pictures of the command line: a dark line on their side, a light one beside it. */

import { LEVEL } from "../colors/quantities";
import * as view from "../state/view";
import type { Raster } from "../stream/frame";
import { type Camera, toScreen } from "./camera";

/** x0 y0 x1 y1, in cells of the raster from its lower left corner. */
export type Segment = readonly [number, number, number, number];

/** Edges between cells of different levels. Those on one straight line are one segment. */
export function levelEdges({ rows, columns, values }: Pick<Raster, "rows" | "columns" | "values">): Segment[] {
  const level = (column: number, row: number): number => Math.round(values.offset + values.scale * (values.data[row * columns + column] as number));
  const found: Segment[] = [];
  const trace = (lines: number, length: number, differs: (line: number, at: number) => boolean, segment: (line: number, from: number, to: number) => Segment): void => {
    for (let line = 1; line < lines; line++) {
      let from = -1;
      for (let at = 0; at <= length; at++) {
        const isEdge = at < length && differs(line, at);
        if (isEdge && from < 0) from = at;
        if (!isEdge && from >= 0) {
          found.push(segment(line, from, at));
          from = -1;
        }
      }
    }
  };
  trace(columns, rows, (i, j) => level(i - 1, j) !== level(i, j), (i, from, to) => [i, from, i, to]);
  trace(rows, columns, (j, i) => level(i, j - 1) !== level(i, j), (j, from, to) => [from, j, to, j]);
  return found;
}

/** Segments of the frame that was asked for last: the camera moves more often than frames come. */
let last: { raster: Raster; segments: Segment[] } | null = null;

export function LevelEdges({ camera }: { camera: Camera }) {
  const raster = view.shownFrame.value?.rasters.get(LEVEL);
  if (!raster || view.quantity.value === LEVEL) return null;
  if (last?.raster !== raster) last = { raster, segments: levelEdges(raster) };
  const { lower, upper, columns, rows } = raster;
  const place = (i: number, j: number): string => {
    const [x, y] = toScreen(camera, [lower[0] + (i / columns) * (upper[0] - lower[0]), lower[1] + (j / rows) * (upper[1] - lower[1])]);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  const path = last.segments.map(([i, j, k, l]) => `M${place(i, j)}L${place(k, l)}`).join("");
  return (
    <g class="level-edges" aria-hidden="true">
      <path class="light" d={path} />
      <path d={path} />
    </g>
  );
}
