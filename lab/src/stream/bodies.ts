/** Which bodies are where: as a run began, and what has changed since. */

import type { Bodies, Body, Mark } from "./stream_pb";

/** All bodies: those of the first message of a run, but for the ones that a later one puts elsewhere or takes away. */
export function bodiesAt(first: readonly Body[], changed: Bodies | null): readonly Body[] {
  if (!changed) return first;
  const other = new Set([...changed.removed, ...changed.bodies.map((body) => body.name)]);
  return [...first.filter((body) => !other.has(body.name)), ...changed.bodies];
}

/** `listed`, each body as far between where `before` and `after` have it as `blend` says, 0 to 1. One that is in only one
 * of them, or has another number of points there, is as it is listed. */
export function between(listed: readonly Body[], before: readonly Body[], after: readonly Body[], blend: number): readonly Body[] {
  const made = listed.map((body) => {
    const [from, to] = [before, after].map((list) => list.find(({ name }) => name === body.name));
    return from && to && (from.moves || to.moves) && haveSamePoints(from, to) ? mixed(from, to, blend) : body;
  });
  return made.every((body, k) => body === listed[k]) ? listed : made;
}

function haveSamePoints(one: Body, other: Body): boolean {
  return (
    one.outlines.length === other.outlines.length &&
    one.outlines.every(({ points }, k) => points.length === other.outlines[k]?.points.length) &&
    one.surface?.vertices.length === other.surface?.vertices.length
  );
}

function mixed(from: Body, to: Body, blend: number): Body {
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

export interface Stay {
  /** When a body was added and removed [s]; null if it was there from the start, or still is. */
  readonly came: number | null;
  readonly went: number | null;
}

/** When a body was there, as the marks of a run say it. */
export function stayOf(name: string, marks: readonly Mark[]): Stay {
  const at = (command: string): number | null => marks.find((mark) => mark.body === name && mark.command === command)?.time ?? null;
  return { came: at("add_body"), went: at("remove_body") };
}
