/** Start points of streaklines: a rake inside each inflow; without an inflow, a grid over the domain. */

import type { Hello } from "../../stream/stream_pb";

const SEEDS_PER_INFLOW = 17; // seeds per inflow
const GRID = [7, 4] as const; // seeds along x and y without an inflow
const OFFSET = 1.5; // spacings from the inflow

let cached: { hello: Hello; seeds: readonly (readonly [number, number])[] } | null = null;

/** Start points [m]; the same array object for the same run. */
export function seeds(hello: Hello | null): readonly (readonly [number, number])[] {
  if (!hello) return [];
  if (cached?.hello !== hello) cached = { hello, seeds: placeSeeds(hello) };
  return cached.seeds;
}

function placeSeeds(hello: Hello): [number, number][] {
  const [x0 = 0, y0 = 0] = hello.lower;
  const [x1 = 1, y1 = 1] = hello.upper;
  const found: [number, number][] = [];
  for (const side of hello.sides.filter((each) => each.type === "inflow")) {
    const inside = OFFSET * hello.spacing;
    for (let k = 0; k < SEEDS_PER_INFLOW; k++) {
      const share = (k + 0.5) / SEEDS_PER_INFLOW;
      const [x, y] = [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
      if (side.name === "left" || side.name === "right") found.push([side.name === "left" ? x0 + inside : x1 - inside, y]);
      else found.push([x, side.name === "bottom" ? y0 + inside : y1 - inside]);
    }
  }
  if (found.length > 0) return found;
  const [across, up] = GRID;
  for (let j = 0; j < up; j++) {
    for (let i = 0; i < across; i++) found.push([x0 + ((i + 0.5) / across) * (x1 - x0), y0 + ((j + 0.5) / up) * (y1 - y0)]);
  }
  return found;
}
