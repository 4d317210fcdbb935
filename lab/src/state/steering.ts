/** Steering commands and their answers. */

import { signal } from "@preact/signals";
import type { Acknowledged, Command } from "../stream/stream_pb";
import { linkProblem } from "./link";
import { dismiss, notify } from "./notices";
import { hello } from "./run";

export type Action = Exclude<Command["action"], { case: undefined }>;

export interface SentCommand {
  readonly id: string;
  /** The command and its values, in words. */
  readonly text: string;
  readonly answer: Acknowledged | null;
}

/** Commands sent, newest first. */
export const sentCommands = signal<readonly SentCommand[]>([]);

let sender: ((command: { id: string; action: Action }) => boolean) | null = null;
export function setSender(next: typeof sender): void {
  sender = next;
  sentCommands.value = [];
  for (const { notice } of overdue.values()) dismiss(notice);
  overdue.clear();
}

const WITHOUT_NOTICE = new Set(["pause", "resume", "step", "stop"]);
const waiting = new Map<string, (answer: Acknowledged | null) => void>();
const ANSWER_TIMEOUT = 15_000; // ms
/** Commands without an answer in time, and the ids of the notices about them. */
const overdue = new Map<string, { readonly action: Action; readonly notice: number }>();
/** The id of the last command of each kind. */
const newest = new Map<Action["case"], string>();
let last = 0;

/** The name of a command in the journal, e.g. move_body for moveBody. */
function commandName(action: Action): string {
  return action.case.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A command in words, e.g. "viscosity 0.002 m²/s" or "move cylinder by (0.1, 0) m". */
export function describe(action: Action): string {
  const list = (values: readonly (string | number)[]): string => values.join(", ");
  switch (action.case) {
    case "inflow":
      return `inflow ${action.value.opening} ${list(action.value.velocity)} m/s`;
    case "viscosity":
      return `viscosity ${action.value.value} m²/s`;
    case "gravity":
      return `gravity ${list(action.value.value)} m/s²`;
    case "parameter":
      return `${action.value.name} ${action.value.value}`;
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
    case "track":
      return `track particle ${action.value.id}`;
    case "untrack":
      return `stop tracking ${action.value.name}`;
    default:
      return action.case;
  }
}

/** The reason of a refusal, without the leading name of the command. */
export function refusalText(refused: string): string {
  const plain = refused.replace(/^[a-z_]+: /, "");
  return /^\w+\./.test(plain) ? plain : plain.charAt(0).toUpperCase() + plain.slice(1); // keys of the file stay as they are
}

/** The reason why the run cannot execute a command; empty if it can. */
export function refusalOf(name: string): string {
  return hello.value?.abilities.find((ability) => ability.command === name)?.refusal ?? "";
}

/** Sends a command; returns true if the simulation has executed it. */
export async function sendCommand(action: Action): Promise<boolean> {
  const name = commandName(action);
  const refusal = refusalOf(name);
  if (refusal) {
    notify("problem", refusal);
    return false;
  }
  if (linkProblem.value) {
    notify("problem", linkProblem.value);
    return false;
  }
  const usedSender = sender;
  const id = `${Date.now().toString(36)}-${++last}`;
  if (!sender?.({ id, action })) {
    notify("problem", "No connection to the run. The command was not sent.");
    return false;
  }
  sentCommands.value = [{ id, text: describe(action), answer: null }, ...sentCommands.value].slice(0, 20);
  newest.set(action.case, id);
  for (const overdueCommand of overdue.values()) if (overdueCommand.action.case === action.case) dismiss(overdueCommand.notice); // superseded by this command
  const answer = await new Promise<Acknowledged | null>((resolve) => {
    waiting.set(id, resolve);
    setTimeout(() => resolve(null), ANSWER_TIMEOUT);
  });
  waiting.delete(id);
  if (!answer) {
    if (sender !== usedSender) return false; // another run is displayed now
    const isLast = newest.get(action.case) === id;
    const notice = isLast ? notify("problem", `No answer to "${describe(action)}" yet. The simulation may be computing a long step.`) : 0;
    overdue.set(id, { action, notice });
    return false;
  }
  reportOutcome(action, answer);
  return !answer.refusal;
}

/** Reports the outcome of a command to the user. */
function reportOutcome(action: Action, answer: Acknowledged): void {
  const name = commandName(action);
  if (answer.refusal) notify("problem", `Refused: ${describe(action)}. ${refusalText(answer.refusal)}`);
  else if (!WITHOUT_NOTICE.has(name)) notify("info", `${describe(action)}: applied at step ${answer.step.toLocaleString()}.`);
}

export function handleAcknowledged(answer: Acknowledged): void {
  const late = overdue.get(answer.id);
  if (late) {
    overdue.delete(answer.id);
    dismiss(late.notice);
    reportOutcome(late.action, answer);
  }
  sentCommands.value = sentCommands.value.map((item) => (item.id === answer.id ? { ...item, answer: { ...answer, refusal: refusalText(answer.refusal) } } : item));
  waiting.get(answer.id)?.(answer);
}
