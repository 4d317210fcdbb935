/** A plane that cuts isosurfaces. */

/** A plane across an axis; the part on one side of it is removed. */
export interface Cut {
  readonly axis: 0 | 1 | 2;
  /** Place between the sides of the domain, 0 to 1. */
  readonly place: number;
  /** True if the part towards the lower side is removed. */
  readonly removesLower: boolean;
}

/** Coefficients of the plane: parts with dot(plane, (x, y, z)) > plane[3] are removed. */
export function planeOf(chosen: Cut | null, lower: readonly number[], upper: readonly number[]): readonly [number, number, number, number] {
  if (!chosen) return [0, 0, 0, 1];
  const { axis, place, removesLower } = chosen;
  const [low, high] = [lower[axis] ?? 0, upper[axis] ?? 1];
  const sign = removesLower ? -1 : 1;
  const normal = [0, 1, 2].map((each) => (each === axis ? sign : 0)) as [number, number, number];
  return [...normal, sign * (low + place * (high - low))];
}
