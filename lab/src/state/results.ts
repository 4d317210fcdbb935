/** What a run says of its own numbers, by its own rules: asked for again and again while it goes on. */

import { effect, signal } from "@preact/signals";
import * as v from "valibot";
import { ask, Refused } from "../api/client";
import { ended, hello, isLive, runId } from "./run";

const maybe = v.nullish(v.number());

const resultsSchema = v.object({
  values: v.optional(
    v.array(
      v.object({
        name: v.string(),
        value: maybe,
        unit: v.string(),
        error: maybe,
        window: v.nullish(v.array(v.number())),
        what: v.string(),
        note: v.string(),
      }),
    ),
    [],
  ),
  expectations: v.optional(
    v.array(
      v.object({
        quantity: v.string(),
        measured: maybe,
        expected: v.string(),
        inside: v.nullish(v.boolean()),
        source: v.string(),
        note: v.string(),
        reason: v.string(),
        kind: v.optional(v.string(), ""),
        at: maybe,
        measured_text: v.optional(v.string(), ""),
        expected_text: v.optional(v.string(), ""),
        paper: v.optional(v.string(), ""),
      }),
    ),
    [],
  ),
  warnings: v.optional(v.array(v.string()), []),
});
export type Results = v.InferOutput<typeof resultsSchema>;
export type Value = Results["values"][number];
export type Expected = Results["expectations"][number];

export const results = signal<Results | null>(null);

const PAUSE = 4000; // ms between two questions

async function look(id: string): Promise<void> {
  try {
    const found = await ask(resultsSchema, "GET", `runs/${id}/results`);
    if (runId.value === id) results.value = found;
  } catch (error) {
    if (!(error instanceof Refused)) throw error; // not there yet: the next question may find it
  }
}

effect(() => {
  const id = runId.value;
  const live = isLive.value;
  ended.value;
  if (!id) {
    results.value = null;
    return undefined;
  }
  if (!hello.value) return undefined;
  void look(id);
  if (!live) return undefined;
  const timer = setInterval(() => void look(id), PAUSE);
  return () => clearInterval(timer);
});
