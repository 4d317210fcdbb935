/** Numbers as people say them. */

/** "1 s", "3 min", "2.5 h", "4 days". */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return "–";
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** "1.2 GB" */
export function bytes(count: number): string {
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]] as const) {
    if (count >= size) return `${Number((count / size).toPrecision(3))} ${unit}`;
  }
  return `${count} bytes`;
}

/** "1.25 M" */
export function big(count: number): string {
  if (count >= 1e9) return `${Number((count / 1e9).toPrecision(3))} G`;
  if (count >= 1e6) return `${Number((count / 1e6).toPrecision(3))} M`;
  if (count >= 1e4) return `${Number((count / 1e3).toPrecision(3))} k`;
  return Math.round(count).toLocaleString("en");
}

/** "14:05", of another day "24 Nov, 14:05"; empty for no moment at all. */
export function moment(iso: string, now: Date): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const clock = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return at.toDateString() === now.toDateString() ? clock : `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, ${clock}`;
}

/** The number that a run has among those of its world, as its folder says it: "3" of "runs/cylinder/0003". */
export function numberOf(folder: string): string {
  const [digits] = /\d+$/.exec(folder) ?? [];
  return digits ? String(Number(digits)) : "";
}
