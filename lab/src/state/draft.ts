/** A world while some of it is wrong: what is wrong stays where it was, so that it can be mended. */

import type { Drawing, Shape } from "../api/types";

/** The drawing, in which shapes that are wrong have the outlines that they had `before`. */
export function withOutlines(drawing: Drawing, before: Drawing | null): Drawing {
  const kept = (shapes: readonly Shape[], old: readonly Shape[] = []): Shape[] =>
    shapes.map((shape) => (shape.drawn ? shape : { ...shape, outlines: old.find(({ name }) => name === shape.name)?.outlines ?? [] }));
  return { ...drawing, bodies: kept(drawing.bodies, before?.bodies), regions: kept(drawing.regions, before?.regions) };
}

/** Names of the tables [part.NAME] of a world file, whether they are right or wrong. */
export function namesIn(toml: string, part: string): Set<string> {
  const header = new RegExp(`^\\s*\\[\\s*${part}\\s*\\.\\s*"?([\\w-]+)`, "gm");
  return new Set([...toml.matchAll(header)].map(([, name]) => name ?? ""));
}
