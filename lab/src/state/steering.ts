/** Commands to the simulation, and what became of them. */

import { signal } from "@preact/signals";
import type { Acknowledged, Command } from "../stream/stream_pb";
import { notify } from "./notices";
import { hello } from "./run";

export type Action = Exclude<Command["action"], { case: undefined }>;

export interface Sent {
  readonly id: string;
  readonly what: string;
  readonly answer: Acknowledged | null;
}

/** Newest first. */
export const sent = signal<readonly Sent[]>([]);

let sender: ((command: { id: string; action: Action }) => boolean) | null = null;
export function setSender(next: typeof sender): void {
  sender = next;
  sent.value = [];
}

const SILENT = new Set(["pause", "resume", "step"]);
const waiting = new Map<string, (answer: Acknowledged | null) => void>();
const PATIENCE = 15_000;
let last = 0;

/** The field of Command as the journal names it: moveBody is move_body. */
function plainName(action: Action): string {
  return action.case.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Why the run cannot do this; empty if it can. */
export function refusal(name: string): string {
  return hello.value?.abilities.find((ability) => ability.command === name)?.refusal ?? "";
}

/** Sends a command; true when the simulation has done it. */
export async function command(action: Action): Promise<boolean> {
  const name = plainName(action);
  const known = refusal(name);
  if (known) {
    notify("problem", known);
    return false;
  }
  const id = `${Date.now().toString(36)}-${++last}`;
  if (!sender?.({ id, action })) {
    notify("problem", "The run cannot be reached now. The command was not sent.");
    return false;
  }
  sent.value = [{ id, what: name.replace("_", " "), answer: null }, ...sent.value].slice(0, 20);
  const answer = await new Promise<Acknowledged | null>((resolve) => {
    waiting.set(id, resolve);
    setTimeout(() => resolve(null), PATIENCE);
  });
  waiting.delete(id);
  if (!answer) {
    notify("problem", `The simulation has not answered "${name}" yet. It may be busy with a long step.`);
    return false;
  }
  if (answer.refusal) notify("problem", answer.refusal);
  else if (!SILENT.has(name)) notify("news", `${name.replace("_", " ")}: in effect from step ${answer.step.toLocaleString()}.`);
  return !answer.refusal;
}

export function acknowledged(answer: Acknowledged): void {
  sent.value = sent.value.map((item) => (item.id === answer.id ? { ...item, answer } : item));
  waiting.get(answer.id)?.(answer);
}
