/** Current values of the quantities that can be steered; loaded again after each steering command. */

import { effect, signal } from "@preact/signals";
import * as v from "valibot";
import { ask, RequestError } from "../api/client";
import { hello, marks, runId } from "./run";

const currentValuesSchema = v.object({
  viscosity: v.string(),
  gravity: v.string(),
  inflows: v.record(v.string(), v.string()),
  reynolds: v.nullable(v.number()),
});
export const currentValues = signal<v.InferOutput<typeof currentValuesSchema> | null>(null);

async function load(id: string): Promise<void> {
  try {
    const found = await ask(currentValuesSchema, "GET", `runs/${id}/present`);
    if (runId.value === id) currentValues.value = found;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error; // the files of the run are elsewhere: its values are unknown
  }
}

effect(() => {
  const id = runId.value;
  marks.value;
  if (!id) currentValues.value = null;
  else if (hello.value) void load(id);
});
