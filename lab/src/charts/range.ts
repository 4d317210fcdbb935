/** What an axis shows of the values of a chart. */

const RARE = 0.04; // share of the values on each side that may lie beyond the axis
const ROOM = 0.45; // of the range of the others, for them

/** The range of most values. Where most are the same, as of a probe that nothing has reached yet, it is that of most of
 * those that are not, with it. */
export function rangeOfMost(values: readonly number[]): [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  const [from, to] = within(sorted);
  if (from < to) return [from, to];
  const moved = sorted.filter((value) => value !== from);
  if (moved.length === 0) return [from, to];
  const [low, high] = within(moved);
  return [Math.min(from, low), Math.max(to, high)];
}

function within(sorted: readonly number[]): [number, number] {
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const [low, high] = [at(RARE), at(1 - RARE)];
  const room = ROOM * (high - low);
  return [Math.max(at(0), low - room), Math.min(at(1), high + room)];
}
