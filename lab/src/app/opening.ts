/** What is opened by a button and closed by Escape: the keyboard goes in with it, and back to the button. */

import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** `first`: what gets the keyboard inside `box`. The button names the id of `box` as what it controls. */
export function useOpening(open: boolean, box: RefObject<HTMLElement | null>, first: string): void {
  const was = useRef(open);
  useLayoutEffect(() => {
    if (open && !was.current) box.current?.querySelector<HTMLElement>(first)?.focus();
    was.current = open;
  }, [open]);
}

export function close(open: Signal<boolean>, id: string): void {
  open.value = false;
  document.querySelector<HTMLElement>(`[aria-controls="${id}"]`)?.focus();
}

/** For `onKeyDown` of what is open. */
export function closesOnEscape(open: Signal<boolean>, id: string): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault(); // what is chosen in the drawing stays chosen
    close(open, id);
  };
}
