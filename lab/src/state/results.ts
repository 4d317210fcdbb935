/** Results of the displayed run; polled while it is running. */

import { effect, signal } from "@preact/signals";
import * as v from "valibot";
import { ask, RequestError } from "../api/client";
import { ended, hello, isLive, runId } from "./run";

const optionalNumber = v.nullish(v.number());

const resultsSchema = v.object({
  values: v.optional(
    v.array(
      v.object({
        name: v.string(),
        value: optionalNumber,
        unit: v.string(),
        error: optionalNumber,
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
        measured: optionalNumber,
        expected: v.string(),
        inside: v.nullish(v.boolean()),
        source: v.string(),
        note: v.string(),
        reason: v.string(),
        kind: v.optional(v.string(), ""),
        at: optionalNumber,
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

const POLL_INTERVAL = 4000; // ms

async function load(id: string): Promise<void> {
  try {
    const found = await ask(resultsSchema, "GET", `runs/${id}/results`);
    if (runId.value === id) results.value = found;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error; // not available yet; the next poll may find it
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
  void load(id);
  if (!live) return undefined;
  const timer = setInterval(() => void load(id), POLL_INTERVAL);
  return () => clearInterval(timer);
});
