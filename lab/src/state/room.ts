/** How much room the window has for what stands around the canvas. The styles read it from the root as data-room. */

import { effect, type ReadonlySignal, signal } from "@preact/signals";

/** At most so many CSS pixels wide. */
function narrowerThan(width: number): ReadonlySignal<boolean> {
  const query = matchMedia(`(max-width: ${width}px)`);
  const fits = signal(query.matches);
  query.addEventListener("change", () => {
    fits.value = query.matches;
  });
  return fits;
}

/** Tools are a strip without words; bodies are listed beside Setup and File. */
export const hasStrip = narrowerThan(1180);
/** Setup, bodies and file are a sheet, which is opened and closed. */
export const hasSheet = narrowerThan(900);
/** As on a phone: one chart at a time. */
export const isSlim = narrowerThan(560);

/** Whether the sheet is open, where there is one. */
export const sheetOpen = signal(false);

effect(() => {
  const found = { strip: hasStrip.value, sheet: hasSheet.value, slim: isSlim.value };
  const names = Object.entries(found).filter(([, holds]) => holds);
  document.documentElement.dataset["room"] = names.map(([name]) => name).join(" ");
});
