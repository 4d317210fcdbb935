/** Where dye comes from: a rake inside each inflow, else places spread over the domain. */

import type { Hello } from "../../stream/stream_pb";

const RAKE = 17; // seeds of an inflow
const SPREAD = [7, 4] as const; // seeds along x and y where there is none
const INSIDE = 1.5; // spacings from the inflow

let known: { hello: Hello; seeds: readonly (readonly [number, number])[] } | null = null;

/** Places [m]; the same list for the same run. */
export function seeds(hello: Hello | null): readonly (readonly [number, number])[] {
  if (!hello) return [];
  if (known?.hello !== hello) known = { hello, seeds: spread(hello) };
  return known.seeds;
}

function spread(hello: Hello): [number, number][] {
  const [x0 = 0, y0 = 0] = hello.lower;
  const [x1 = 1, y1 = 1] = hello.upper;
  const found: [number, number][] = [];
  for (const side of hello.sides.filter((each) => each.type === "inflow")) {
    const inside = INSIDE * hello.spacing;
    for (let k = 0; k < RAKE; k++) {
      const share = (k + 0.5) / RAKE;
      const [x, y] = [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
      if (side.name === "left" || side.name === "right") found.push([side.name === "left" ? x0 + inside : x1 - inside, y]);
      else found.push([x, side.name === "bottom" ? y0 + inside : y1 - inside]);
    }
  }
  if (found.length > 0) return found;
  const [across, up] = SPREAD;
  for (let j = 0; j < up; j++) {
    for (let i = 0; i < across; i++) found.push([x0 + ((i + 0.5) / across) * (x1 - x0), y0 + ((j + 0.5) / up) * (y1 - y0)]);
  }
  return found;
}
