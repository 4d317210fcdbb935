/** What can be steered, as steering has made it so far: asked for when something was steered. */

import { effect, signal } from "@preact/signals";
import * as v from "valibot";
import { ask, Refused } from "../api/client";
import { hello, marks, runId } from "./run";

const presentSchema = v.object({
  viscosity: v.string(),
  gravity: v.string(),
  inflows: v.record(v.string(), v.string()),
  reynolds: v.nullable(v.number()),
});
export const present = signal<v.InferOutput<typeof presentSchema> | null>(null);

async function look(id: string): Promise<void> {
  try {
    const found = await ask(presentSchema, "GET", `runs/${id}/present`);
    if (runId.value === id) present.value = found;
  } catch (error) {
    if (!(error instanceof Refused)) throw error; // its files are elsewhere: nothing is known of it
  }
}

effect(() => {
  const id = runId.value;
  marks.value;
  if (!id) present.value = null;
  else if (hello.value) void look(id);
});
