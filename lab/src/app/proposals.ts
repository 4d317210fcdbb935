/** What a lesson proposes to try, as the command line would be told, read for a page. */

import type { Plain } from "../api/types";

export interface Proposal {
  /** Values by dotted path; text: as it is written. */
  readonly sets: readonly { readonly key: string; readonly text: string; readonly value: Plain }[];
  /** What is asked of it. */
  readonly words: string;
}

const VALUE = String.raw`(?:'[^']*'|"[^"]*"|[^\s'"])+`; // blanks between quotes belong to it
const ONE = new RegExp(String.raw`--set\s+([\w.]+)=(${VALUE})`, "g");
const SOME = new RegExp(String.raw`((?:--set\s+[\w.]+=${VALUE}\s*)+)(.*?)(?=--set\s|$)`, "gs");

/** "--set let.Re=20   and   --set let.a=0.1  larger: why?" as two proposals; those of two lines are two. */
export function proposals(text: string): Proposal[] {
  return text.split(/\n(?=--set\s)/).flatMap((line) => [...line.matchAll(SOME)]).map(([, sets = "", words = ""]) => ({
    sets: [...sets.matchAll(ONE)].map(([, key = "", written = ""]) => ({ key, ...read(written) })),
    words: words.trim().replace(/^and$/, ""),
  }));
}

/** As the command line takes it: a number, true or false, a list; anything else is a text, formulas among them. */
function read(written: string): { text: string; value: Plain } {
  const text = /^(['"]).*\1$/.test(written) ? written.slice(1, -1) : written.replace(/[.,;]$/, "");
  if (text === "true" || text === "false") return { text, value: text === "true" };
  if (text.trim() !== "" && Number.isFinite(Number(text))) return { text, value: Number(text) };
  try {
    const list: unknown = text.startsWith("[") ? JSON.parse(text) : null;
    if (Array.isArray(list) && list.every((item): item is string | number => typeof item === "string" || typeof item === "number")) return { text, value: list };
  } catch {
    // no list: a formula that begins with a bracket
  }
  return { text, value: text };
}
