/** Light or dark theme, and reduced motion. */

import { computed, effect, signal } from "@preact/signals";
import type { Theme } from "../colors/maps";

const KEY = "eddyline theme";
const darkQuery = matchMedia("(prefers-color-scheme: dark)");
const motionQuery = matchMedia("(prefers-reduced-motion: reduce)");

const systemTheme = signal<Theme>(darkQuery.matches ? "dark" : "light");
darkQuery.addEventListener("change", () => {
  systemTheme.value = darkQuery.matches ? "dark" : "light";
});

function storedTheme(): Theme | null {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : null;
}

const chosenTheme = signal<Theme | null>(storedTheme());
export const theme = computed<Theme>(() => chosenTheme.value ?? systemTheme.value);

export const reducedMotion = signal(motionQuery.matches);
motionQuery.addEventListener("change", () => {
  reducedMotion.value = motionQuery.matches;
});

export function toggleTheme(): void {
  chosenTheme.value = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(KEY, chosenTheme.value);
}

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});
