/** Light or dark, and whether things may move. */

import { computed, effect, signal } from "@preact/signals";
import type { Theme } from "../colors/maps";

const KEY = "eddyline theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

const system = signal<Theme>(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => {
  system.value = dark.matches ? "dark" : "light";
});

function stored(): Theme | null {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : null;
}

const chosen = signal<Theme | null>(stored());
export const theme = computed<Theme>(() => chosen.value ?? system.value);

export const calm = signal(still.matches);
still.addEventListener("change", () => {
  calm.value = still.matches;
});

export function toggleTheme(): void {
  chosen.value = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(KEY, chosen.value);
}

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});
