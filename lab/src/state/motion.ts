/** The particles of the picture that was painted last, as they are between their frames. */

import { computed } from "@preact/signals";
import type { Domain, Motion } from "../layers/particles/motion";
import type { Frame } from "../stream/frame";
import { hello } from "./run";
import * as view from "./view";

const REACH = 2; // spacings
const AXES = [["left", "right"], ["bottom", "top"], ["front", "back"]];

const domain = computed<Domain>(() => {
  const { lower = [0, 0], upper = [1, 1], sides = [], spacing = 0.01 } = hello.value ?? {};
  const isPeriodic = (names: readonly string[]): boolean => sides.some(({ name, type }) => names.includes(name) && type === "periodic");
  return { lower, upper, periodic: lower.map((_, axis) => isPeriodic(AXES[axis] ?? [])), reach: REACH * spacing };
});

/** Null if there are none. Where velocities are not known, particles stay where the nearer frame has them. */
export function motionBetween(before: Frame, after: Frame, blend: number): Motion | null {
  const [first, second] = [before.particles, after.particles];
  const still = (particles: Frame["particles"]): Motion | null => particles && { before: particles, after: particles, span: 0, blend: 0, domain: domain.value };
  if (!first || !second || first === second) return still(first ?? second);
  if (first.velocity.length === 0 || second.velocity.length === 0) return still(blend > 0.5 ? second : first);
  return { before: first, after: second, span: after.time - before.time, blend, domain: domain.value };
}

export function shownMotion(): Motion | null {
  const before = view.shownFrame.value;
  return before && motionBetween(before, view.nextFrame.value ?? before, view.blend.value);
}
