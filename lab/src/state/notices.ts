/** Short messages to the user, read out by screen readers. */

import { signal } from "@preact/signals";

export interface Notice {
  readonly id: number;
  readonly kind: "news" | "problem";
  readonly text: string;
}

export const notices = signal<readonly Notice[]>([]);

const SHOWN = { news: 5000, problem: 12000 };
let last = 0;

/** Its id, by which it can be taken back. */
export function notify(kind: Notice["kind"], text: string): number {
  const same = notices.value.find((notice) => notice.text === text);
  if (same) return same.id;
  const notice = { id: ++last, kind, text };
  notices.value = [...notices.value.slice(-2), notice];
  setTimeout(() => dismiss(notice.id), SHOWN[kind]);
  return notice.id;
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
