/** Short messages to the user; screen readers announce them. */

import { signal } from "@preact/signals";

export interface Notice {
  readonly id: number;
  readonly kind: "info" | "problem";
  readonly text: string;
}

export const notices = signal<readonly Notice[]>([]);

const DURATION = { info: 5000, problem: 12000 } as const; // ms
let last = 0;

/** Shows a message; returns an id for `dismiss`. stays: until the user closes it. */
export function notify(kind: Notice["kind"], text: string, stays = false): number {
  const existing = notices.value.find((notice) => notice.text === text);
  if (existing) return existing.id;
  const notice = { id: ++last, kind, text };
  notices.value = [...notices.value.slice(-2), notice];
  if (!stays) setTimeout(() => dismiss(notice.id), DURATION[kind]);
  return notice.id;
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
