/** Drawing of a world with errors: an invalid shape keeps its last valid outline, so that it can be fixed. */

import type { Drawing, Shape } from "../api/types";

/** The drawing, with the `previous` outlines of invalid shapes. */
export function withLastOutlines(drawing: Drawing, previous: Drawing | null): Drawing {
  const withOutlines = (shapes: readonly Shape[], previousShapes: readonly Shape[] = []): Shape[] =>
    shapes.map((shape) => (shape.drawn ? shape : { ...shape, outlines: previousShapes.find(({ name }) => name === shape.name)?.outlines ?? [] }));
  return { ...drawing, bodies: withOutlines(drawing.bodies, previous?.bodies), regions: withOutlines(drawing.regions, previous?.regions) };
}

/** Names of the tables [part.NAME] of a world file, valid or not. */
export function tableNames(toml: string, part: string): Set<string> {
  const header = new RegExp(`^\\s*\\[\\s*${part}\\s*\\.\\s*"?([\\w-]+)`, "gm");
  return new Set([...toml.matchAll(header)].map(([, name]) => name ?? ""));
}
