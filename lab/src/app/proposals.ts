/** Parses the experiments that a lesson proposes, which are written as command-line options. */

import type { JsonValue } from "../api/types";

export interface Proposal {
  /** Values by dotted path; `text` is the value as written. */
  readonly sets: readonly { readonly key: string; readonly text: string; readonly value: JsonValue }[];
  /** The question or comment after the options. */
  readonly question: string;
}

const VALUE = String.raw`(?:'[^']*'|"[^"]*"|[^\s'"])+`; // may contain blanks between quotes
const ONE = new RegExp(String.raw`--set\s+([\w.]+)=(${VALUE})`, "g");
const SOME = new RegExp(String.raw`((?:--set\s+[\w.]+=${VALUE}\s*)+)(.*?)(?=--set\s|$)`, "gs");

/** Splits e.g. "--set let.Re=20   and   --set let.a=0.1  larger: why?" into two proposals; a new line starts a new one. */
export function proposals(text: string): Proposal[] {
  return text.split(/\n(?=--set\s)/).flatMap((line) => [...line.matchAll(SOME)]).map(([, sets = "", question = ""]) => ({
    sets: [...sets.matchAll(ONE)].map(([, key = "", written = ""]) => ({ key, ...read(written) })),
    question: question.trim().replace(/^and$/, ""),
  }));
}

/** Parses a value as the command line does: number, boolean or list; anything else is text, e.g. a formula. */
function read(written: string): { text: string; value: JsonValue } {
  const text = /^(['"]).*\1$/.test(written) ? written.slice(1, -1) : written.replace(/[.,;]$/, "");
  if (text === "true" || text === "false") return { text, value: text === "true" };
  if (text.trim() !== "" && Number.isFinite(Number(text))) return { text, value: Number(text) };
  try {
    const list: unknown = text.startsWith("[") ? JSON.parse(text) : null;
    if (Array.isArray(list) && list.every((item): item is string | number => typeof item === "string" || typeof item === "number")) return { text, value: list };
  } catch {
    // not a list: a formula that begins with a bracket
  }
  return { text, value: text };
}
