/** Bodies of a run: their state at the start, and changes since. */

import type { Bodies, Body, Mark } from "./stream_pb";

/** All bodies: those at the start, updated with the moved, added and removed ones. */
export function bodiesAt(first: readonly Body[], changed: Bodies | null): readonly Body[] {
  if (!changed) return first;
  const other = new Set([...changed.removed, ...changed.bodies.map((body) => body.name)]);
  return [...first.filter((body) => !other.has(body.name)), ...changed.bodies];
}

/** The `listed` bodies, interpolated between `before` and `after` by `blend`, 0 to 1. A body that only one of the two lists
 * contains, or whose number of points differs, stays as it is in `listed`. */
export function interpolateBodies(listed: readonly Body[], before: readonly Body[], after: readonly Body[], blend: number): readonly Body[] {
  const interpolated = listed.map((body) => {
    const [from, to] = [before, after].map((list) => list.find(({ name }) => name === body.name));
    return from && to && (from.moves || to.moves) && haveSamePointCounts(from, to) ? interpolateBody(from, to, blend) : body;
  });
  return interpolated.every((body, k) => body === listed[k]) ? listed : interpolated;
}

function haveSamePointCounts(one: Body, other: Body): boolean {
  return (
    one.outlines.length === other.outlines.length &&
    one.outlines.every(({ points }, k) => points.length === other.outlines[k]?.points.length) &&
    one.surface?.vertices.length === other.surface?.vertices.length
  );
}

function interpolateBody(from: Body, to: Body, blend: number): Body {
  if (blend === 0 || from === to) return from;
  if (blend === 1) return to;
  const mix = (a: readonly number[], b: readonly number[]): number[] => a.map((value, k) => value + blend * ((b[k] as number) - value));
  return {
    ...to,
    center: mix(from.center, to.center),
    outlines: to.outlines.map((outline, k) => ({ ...outline, points: mix(from.outlines[k]?.points ?? [], outline.points) })),
    ...(to.surface && { surface: { ...to.surface, vertices: mix(from.surface?.vertices ?? [], to.surface.vertices) } }),
  };
}

export interface Lifetime {
  /** Times when a body was added and removed [s]; null if it exists from the start or still exists. */
  readonly added: number | null;
  readonly removed: number | null;
}

/** The lifetime of a body according to the marks of a run. */
export function lifetimeOf(name: string, marks: readonly Mark[]): Lifetime {
  const at = (command: string): number | null => marks.find((mark) => mark.body === name && mark.command === command)?.time ?? null;
  return { added: at("add_body"), removed: at("remove_body") };
}
