/** Which bodies are where: as a run began, and what has changed since. */

import type { Bodies, Body, Mark } from "./stream_pb";

/** All bodies: those of the first message of a run, but for the ones that a later one puts elsewhere or takes away. */
export function bodiesAt(first: readonly Body[], changed: Bodies | null): readonly Body[] {
  if (!changed) return first;
  const other = new Set([...changed.removed, ...changed.bodies.map((body) => body.name)]);
  return [...first.filter((body) => !other.has(body.name)), ...changed.bodies];
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
