/** The path of a tracked particle, from its series. */

import { rowAt, type Series } from "../stream/series";
import { type Camera, type Point, toScreen } from "./camera";

const MOST_POINTS = 1500; // of a trail

/** Places of a tracked particle up to a time [m]; none after its series has ended. */
export function trail(series: Series, time: number): Point[] {
  const [times, xs, ys] = ["time", "position_x", "position_y"].map((name) => series.column(name));
  if (!times || !xs || !ys) return [];
  const last = rowAt(times, time + 1e-12);
  const interval = last > 0 ? (times[last] as number) - (times[last - 1] as number) : 0;
  if (last < 0 || (last === times.length - 1 && time - (times[last] as number) > 20 * interval && interval > 0)) return [];
  const every = Math.ceil((last + 1) / MOST_POINTS);
  const places: Point[] = [];
  for (let k = last % every; k <= last; k += every) places.push([xs[k] as number, ys[k] as number]);
  return places;
}

/** An SVG path through places; it is interrupted where the particle crosses a periodic side. half: of the domain [m]. */
export function pathAlong(places: readonly Point[], camera: Camera, half: Point): string {
  let before: Point | null = null;
  const parts = places.map((place) => {
    const jumps = !before || Math.abs(place[0] - before[0]) > half[0] || Math.abs(place[1] - before[1]) > half[1];
    before = place;
    const [x, y] = toScreen(camera, place);
    return `${jumps ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return parts.join("");
}
