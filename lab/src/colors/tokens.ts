/** Theme colours for canvas drawing, the same as in styles/tokens.css. */

import type { Theme } from "./maps";

export const INK: Record<Theme, string> = { dark: "#e8eff4", light: "#13202a" };
export const BODY: Record<Theme, string> = { dark: "#8b99a5", light: "#71808c" };
/** Colours of curves and surfaces, in order. */
export const SERIES: Record<Theme, readonly string[]> = {
  dark: ["#58c9dc", "#f0a04b", "#b69cff", "#8bd17c"],
  light: ["#0a6f84", "#b4500a", "#6246b8", "#2f7a22"],
};
/** Colours around water in 3D: behind the domain (the stage), its walls and their tiles, deep water, and the sky that it mirrors. */
export const WATER: Record<Theme, Readonly<Record<"ground" | "tile" | "line" | "deep" | "horizon" | "zenith", string>>> = {
  dark: { ground: "#070b0f", tile: "#1b2731", line: "#3a4e5c", deep: "#2aa3c9", horizon: "#b9d6e4", zenith: "#3c6079" },
  light: { ground: "#dfe6ea", tile: "#f3f6f8", line: "#c4d0d8", deep: "#1f7f9c", horizon: "#ffffff", zenith: "#b5d2e2" },
};

/** Absorbed light of red, green and blue on a line of sight in water as long as the shortest edge of the domain. Dark walls give
 * little light back, so water must scatter more to be seen. */
export const ABSORPTION: Record<Theme, readonly [number, number, number]> = { dark: [7, 3, 2.4], light: [2.6, 0.75, 0.5] };

/** Red, green and blue, 0 to 1, of a colour "#rrggbb". */
export function channels(color: string): readonly [number, number, number] {
  const part = (k: number): number => Number.parseInt(color.slice(k, k + 2), 16) / 255;
  return [part(1), part(3), part(5)];
}
