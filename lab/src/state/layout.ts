/** Layout by window width. The style sheets read it from the root element as data-layout. */

import { effect, type ReadonlySignal, signal } from "@preact/signals";

/** True if the window is at most `width` CSS pixels wide. */
function narrowerThan(width: number): ReadonlySignal<boolean> {
  const query = matchMedia(`(max-width: ${width}px)`);
  const matches = signal(query.matches);
  query.addEventListener("change", () => {
    matches.value = query.matches;
  });
  return matches;
}

/** Tools are a strip of icons; bodies are listed in a tab beside Setup and File. */
export const hasToolStrip = narrowerThan(1180);
/** Setup, Bodies and File are in a sheet, which can be opened and closed. */
export const hasSheet = narrowerThan(900);
/** Phone layout: one chart at a time. */
export const isPhone = narrowerThan(560);

/** True if the sheet is open, if the layout has one. */
export const sheetOpen = signal(false);

effect(() => {
  const layouts = { strip: hasToolStrip.value, sheet: hasSheet.value, phone: isPhone.value };
  const names = Object.entries(layouts).filter(([, isActive]) => isActive);
  document.documentElement.dataset["layout"] = names.map(([name]) => name).join(" ");
});
