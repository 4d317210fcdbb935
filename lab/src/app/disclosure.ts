/** Panels that a button opens and Escape closes: the focus moves into the panel and back to the button. */

import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Focuses the element `first` inside `box` when the panel opens. */
export function useFocusOnOpen(open: boolean, box: RefObject<HTMLElement | null>, first: string): void {
  const wasOpen = useRef(open);
  useLayoutEffect(() => {
    if (open && !wasOpen.current) box.current?.querySelector<HTMLElement>(first)?.focus();
    wasOpen.current = open;
  }, [open]);
}

/** Closes a panel and focuses its button, whose aria-controls is the id of the panel. */
export function close(open: Signal<boolean>, id: string): void {
  open.value = false;
  document.querySelector<HTMLElement>(`[aria-controls="${id}"]`)?.focus();
}

/** A handler for `onKeyDown` of an open panel. */
export function closeOnEscape(open: Signal<boolean>, id: string): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault(); // keeps the selection in the drawing
    close(open, id);
  };
}
