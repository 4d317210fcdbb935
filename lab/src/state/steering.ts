/** Commands to the simulation, and what became of them. */

import { signal } from "@preact/signals";
import type { Acknowledged, Command } from "../stream/stream_pb";
import { dismiss, notify } from "./notices";
import { hello } from "./run";

export type Action = Exclude<Command["action"], { case: undefined }>;

export interface Sent {
  readonly id: string;
  /** What was asked for, with its values. */
  readonly what: string;
  readonly answer: Acknowledged | null;
}

/** Newest first. */
export const sent = signal<readonly Sent[]>([]);

let sender: ((command: { id: string; action: Action }) => boolean) | null = null;
export function setSender(next: typeof sender): void {
  sender = next;
  sent.value = [];
  for (const { notice } of overdue.values()) dismiss(notice);
  overdue.clear();
}

const SILENT = new Set(["pause", "resume", "step"]);
const waiting = new Map<string, (answer: Acknowledged | null) => void>();
const PATIENCE = 15_000;
/** Commands that were not answered in time, and the notices that say so. */
const overdue = new Map<string, { readonly action: Action; readonly notice: number }>();
/** The id of the last command of each kind. */
const newest = new Map<Action["case"], string>();
let last = 0;

/** The field of Command as the journal names it: moveBody is move_body. */
function plainName(action: Action): string {
  return action.case.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** "viscosity 0.002 m²/s", "move cylinder by (0.1, 0) m". */
export function inWords(action: Action): string {
  const list = (values: readonly (string | number)[]): string => values.join(", ");
  switch (action.case) {
    case "inflow":
      return `inflow ${action.value.opening} ${list(action.value.velocity)} m/s`;
    case "viscosity":
      return `viscosity ${action.value.value} m²/s`;
    case "gravity":
      return `gravity ${list(action.value.value)} m/s²`;
    case "moveBody":
      return `move ${action.value.body} by (${list(action.value.by)}) m`;
    case "addBody":
      return `add ${action.value.name}`;
    case "removeBody":
      return `remove ${action.value.body}`;
    case "addProbe":
      return `add ${action.value.name} at (${list(action.value.position)}) m`;
    case "removeProbe":
      return `remove ${action.value.name}`;
    default:
      return action.case;
  }
}

/** The reason of a refusal, without the name of the command before it. */
function reason(refused: string): string {
  const plain = refused.replace(/^[a-z_]+: /, "");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
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
  const own = sender;
  const id = `${Date.now().toString(36)}-${++last}`;
  if (!sender?.({ id, action })) {
    notify("problem", "The run cannot be reached now. The command was not sent.");
    return false;
  }
  sent.value = [{ id, what: inWords(action), answer: null }, ...sent.value].slice(0, 20);
  newest.set(action.case, id);
  for (const late of overdue.values()) if (late.action.case === action.case) dismiss(late.notice); // this one takes its place
  const answer = await new Promise<Acknowledged | null>((resolve) => {
    waiting.set(id, resolve);
    setTimeout(() => resolve(null), PATIENCE);
  });
  waiting.delete(id);
  if (!answer) {
    if (sender !== own) return false; // the run has been left
    const isLast = newest.get(action.case) === id;
    const notice = isLast ? notify("problem", `The simulation has not answered "${inWords(action)}" yet. It may be busy with a long step.`) : 0;
    overdue.set(id, { action, notice });
    return false;
  }
  tell(action, answer);
  return !answer.refusal;
}

/** What became of a command. */
function tell(action: Action, answer: Acknowledged): void {
  const name = plainName(action);
  if (answer.refusal) notify("problem", `Not done: ${inWords(action)}. ${reason(answer.refusal)}`);
  else if (!SILENT.has(name)) notify("news", `${name.replace("_", " ")}: in effect from step ${answer.step.toLocaleString()}.`);
}

export function acknowledged(answer: Acknowledged): void {
  const late = overdue.get(answer.id);
  if (late) {
    overdue.delete(answer.id);
    dismiss(late.notice);
    tell(late.action, answer);
  }
  sent.value = sent.value.map((item) => (item.id === answer.id ? { ...item, answer: { ...answer, refusal: reason(answer.refusal) } } : item));
  waiting.get(answer.id)?.(answer);
}
