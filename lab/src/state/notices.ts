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

export function notify(kind: Notice["kind"], text: string): void {
  if (notices.value.some((notice) => notice.text === text)) return;
  const notice = { id: ++last, kind, text };
  notices.value = [...notices.value.slice(-2), notice];
  setTimeout(() => dismiss(notice.id), SHOWN[kind]);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
