/** Theme colours for canvas drawing, the same as in styles/tokens.css. */

import type { Theme } from "./maps";

export const INK: Record<Theme, string> = { dark: "#e8eff4", light: "#13202a" };
export const BODY: Record<Theme, string> = { dark: "#8b99a5", light: "#71808c" };

/** Red, green and blue, 0 to 1, of a colour "#rrggbb". */
export function channels(color: string): readonly [number, number, number] {
  const part = (k: number): number => Number.parseInt(color.slice(k, k + 2), 16) / 255;
  return [part(1), part(3), part(5)];
}
