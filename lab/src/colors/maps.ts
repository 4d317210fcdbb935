/** Colour maps, the same as in pictures of the command line. */

import { TABLES } from "./tables";

export type MapName = keyof typeof TABLES;
export type Theme = "light" | "dark";

/** A colour table (256 x 3) uint8, from low to high. */
export type Table = Uint8Array;

export const TABLE_SIZE = 256;

const tables = new Map<MapName, Table>();

export function colorTable(name: MapName): Table {
  let table = tables.get(name);
  if (!table) {
    const digits = TABLES[name];
    table = Uint8Array.from({ length: 3 * TABLE_SIZE }, (_, k) => Number.parseInt(digits.slice(2 * k, 2 * k + 2), 16));
    tables.set(name, table);
  }
  return table;
}

/** A CSS gradient of a colour map, from low to high. */
export function gradient(name: MapName, direction: string): string {
  const table = colorTable(name);
  const stops: string[] = [];
  for (let k = 0; k < TABLE_SIZE; k += 15) {
    stops.push(`rgb(${table[3 * k]} ${table[3 * k + 1]} ${table[3 * k + 2]}) ${((100 * k) / (TABLE_SIZE - 1)).toFixed(1)}%`);
  }
  return `linear-gradient(${direction}, ${stops.join(", ")})`;
}
