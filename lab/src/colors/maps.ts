/** Colour maps, made here: paths through OKLab, walked in steps of equal perceived distance. */

import { distance, type Lab, labOf, polar, rgbOf } from "./oklab";

export type MapName = "speed" | "pressure" | "vorticity" | "density";
export type Theme = "light" | "dark";

/** Colours of a map: (256 x 3) uint8, from low to high. */
export type Table = Uint8Array;

export const TABLE_SIZE = 256;

/** Sequential: lightness only rises. */
const SEQUENTIAL: Record<"speed" | "pressure", readonly Lab[]> = {
  speed: [
    polar(0.2, 0.055, 265),
    polar(0.36, 0.1, 258),
    polar(0.52, 0.105, 225),
    polar(0.67, 0.11, 185),
    polar(0.81, 0.125, 140),
    polar(0.955, 0.1, 105),
  ],
  pressure: [
    polar(0.22, 0.06, 290),
    polar(0.4, 0.095, 285),
    polar(0.57, 0.1, 320),
    polar(0.72, 0.105, 10),
    polar(0.85, 0.085, 55),
    polar(0.96, 0.045, 90),
  ],
};

/** Diverging: two arms of equal lightness from a quiet middle, which is the paper of the theme. */
const DIVERGING: Record<"vorticity" | "density", Record<Theme, readonly [Lab[], Lab[]]>> = {
  vorticity: {
    light: [
      [polar(0.972, 0.004, 240), polar(0.79, 0.09, 232), polar(0.58, 0.14, 250), polar(0.37, 0.125, 262)],
      [polar(0.972, 0.004, 240), polar(0.79, 0.115, 55), polar(0.58, 0.165, 35), polar(0.37, 0.125, 22)],
    ],
    dark: [
      [polar(0.185, 0.02, 250), polar(0.4, 0.11, 258), polar(0.63, 0.13, 238), polar(0.9, 0.07, 210)],
      [polar(0.185, 0.02, 250), polar(0.4, 0.12, 28), polar(0.63, 0.165, 45), polar(0.9, 0.1, 88)],
    ],
  },
  density: {
    light: [
      [polar(0.972, 0.004, 300), polar(0.78, 0.09, 300), polar(0.56, 0.14, 300), polar(0.36, 0.14, 295)],
      [polar(0.972, 0.004, 300), polar(0.78, 0.11, 95), polar(0.56, 0.11, 80), polar(0.36, 0.085, 65)],
    ],
    dark: [
      [polar(0.185, 0.02, 280), polar(0.42, 0.13, 295), polar(0.65, 0.13, 300), polar(0.9, 0.05, 305)],
      [polar(0.185, 0.02, 280), polar(0.42, 0.085, 80), polar(0.65, 0.125, 90), polar(0.9, 0.1, 100)],
    ],
  },
};

/** Points at equal perceived distances along a smooth path through the knots. */
function walk(knots: readonly Lab[], count: number): Lab[] {
  const fine: Lab[] = [];
  const steps = 400;
  for (let k = 0; k <= steps; k++) fine.push(labOf(rgbOf(along(knots, k / steps))));
  const length = [0];
  for (let k = 1; k < fine.length; k++) {
    length.push((length[k - 1] as number) + distance(fine[k - 1] as Lab, fine[k] as Lab));
  }
  const whole = length[length.length - 1] as number;
  const points: Lab[] = [];
  let at = 0;
  for (let k = 0; k < count; k++) {
    const wanted = (whole * k) / (count - 1);
    while (at < steps - 1 && (length[at + 1] as number) < wanted) at++;
    const [from, to] = [length[at] as number, length[at + 1] as number];
    const share = to > from ? Math.min(1, (wanted - from) / (to - from)) : 0;
    points.push(mixed(fine[at] as Lab, fine[at + 1] as Lab, share));
  }
  return points;
}

function mixed(p: Lab, q: Lab, share: number): Lab {
  return [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1]), p[2] + share * (q[2] - p[2])];
}

/** A Catmull-Rom spline through the knots, share 0 to 1. */
function along(knots: readonly Lab[], share: number): Lab {
  const last = knots.length - 1;
  const k = Math.min(last - 1, Math.floor(share * last));
  const u = share * last - k;
  const at = (n: number): Lab => knots[Math.min(last, Math.max(0, n))] as Lab;
  const [p0, p1, p2, p3] = [at(k - 1), at(k), at(k + 1), at(k + 2)];
  const part = (n: 0 | 1 | 2): number =>
    p1[n] +
    0.5 * u * (p2[n] - p0[n] + u * (2 * p0[n] - 5 * p1[n] + 4 * p2[n] - p3[n] + u * (3 * (p1[n] - p2[n]) + p3[n] - p0[n])));
  return [part(0), part(1), part(2)];
}

/** (256 x 3) uint8. A diverging map has its middle between entries 127 and 128. */
export function colorTable(name: MapName, theme: Theme): Table {
  const key = `${name} ${theme}`;
  let table = tables.get(key);
  if (!table) {
    table = bytes(labs(name, theme));
    tables.set(key, table);
  }
  return table;
}

const tables = new Map<string, Table>();

function labs(name: MapName, theme: Theme): Lab[] {
  if (name === "speed" || name === "pressure") return walk(SEQUENTIAL[name], TABLE_SIZE);
  const [low, high] = DIVERGING[name][theme];
  const half = TABLE_SIZE / 2;
  return [...walk(low, half).reverse(), ...walk(high, half)];
}

function bytes(colors: readonly Lab[]): Table {
  const table = new Uint8Array(3 * colors.length);
  colors.forEach((color, k) => {
    rgbOf(color).forEach((c, n) => {
      table[3 * k + n] = Math.round(255 * c);
    });
  });
  return table;
}

/** A CSS gradient of a map, from low to high. */
export function gradient(name: MapName, theme: Theme, direction: string): string {
  const table = colorTable(name, theme);
  const stops: string[] = [];
  for (let k = 0; k < TABLE_SIZE; k += 15) {
    stops.push(`rgb(${table[3 * k]} ${table[3 * k + 1]} ${table[3 * k + 2]}) ${((100 * k) / (TABLE_SIZE - 1)).toFixed(1)}%`);
  }
  return `linear-gradient(${direction}, ${stops.join(", ")})`;
}
