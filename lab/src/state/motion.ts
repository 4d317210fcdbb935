/** Interpolation of particles between frames. */

import { computed } from "@preact/signals";
import type { Domain, Motion } from "../layers/particles/motion";
import type { Frame } from "../stream/frame";
import { hello } from "./run";
import * as view from "./view";

const MAX_EXTRAPOLATION = 2; // particle spacings
const AXES = [["left", "right"], ["bottom", "top"], ["front", "back"]];

const domain = computed<Domain>(() => {
  const { lower = [0, 0], upper = [1, 1], sides = [], spacing = 0.01 } = hello.value ?? {};
  const isPeriodic = (names: readonly string[]): boolean => sides.some(({ name, type }) => names.includes(name) && type === "periodic");
  return { lower, upper, periodic: lower.map((_, axis) => isPeriodic(AXES[axis] ?? [])), maxExtrapolation: MAX_EXTRAPOLATION * spacing };
});

/** The interpolation between two frames; null without particles. If velocities are unknown, the nearer frame is shown. */
export function motionBetween(before: Frame, after: Frame, blend: number): Motion | null {
  const [first, second] = [before.particles, after.particles];
  const atRest = (particles: Frame["particles"]): Motion | null => particles && { before: particles, after: particles, span: 0, blend: 0, domain: domain.value };
  if (!first || !second || first === second) return atRest(first ?? second);
  if (first.velocity.length === 0 || second.velocity.length === 0) return atRest(blend > 0.5 ? second : first);
  return { before: first, after: second, span: after.time - before.time, blend, domain: domain.value };
}

/** The interpolation that was drawn last. */
export function shownMotion(): Motion | null {
  const before = view.shownFrame.value;
  return before && motionBetween(before, view.nextFrame.value ?? before, view.blend.value);
}
