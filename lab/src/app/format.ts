/** Formats numbers and dates for display. */

/** A duration: "1 s", "3 min", "2.5 h", "4 days". */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return "–";
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** A number of bytes: "1.2 GB". */
export function formatBytes(count: number): string {
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]] as const) {
    if (count >= size) return `${Number((count / size).toPrecision(3))} ${unit}`;
  }
  return `${count} bytes`;
}

/** A large number: "1.25 M". */
export function formatCount(count: number): string {
  if (count >= 1e9) return `${Number((count / 1e9).toPrecision(3))} G`;
  if (count >= 1e6) return `${Number((count / 1e6).toPrecision(3))} M`;
  if (count >= 1e4) return `${Number((count / 1e3).toPrecision(3))} k`;
  return Math.round(count).toLocaleString("en");
}

/** A time: "14:05" today, "24 Nov, 14:05" on another day; empty for an invalid date. */
export function formatDate(iso: string, now: Date): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const clock = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return at.toDateString() === now.toDateString() ? clock : `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, ${clock}`;
}

/** The number of a run from its folder: "3" for "runs/cylinder/0003". */
export function runNumber(folder: string): string {
  const [digits] = /\d+$/.exec(folder) ?? [];
  return digits ? String(Number(digits)) : "";
}
