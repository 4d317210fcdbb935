/** The world that is being drawn: its text, what the server says of it, and how it came about. */

import { computed, signal } from "@preact/signals";
import { ask, isAbort, Refused } from "../api/client";
import { type Check, checkSchema, type Edit, type Plain, type Problem, type Quality, textSchema } from "../api/types";
import { namesIn, withOutlines } from "./draft";
import { notify } from "./notices";

/** The world file as the user has it. */
export const toml = signal("");
/** The name under which it was opened. */
export const name = signal("world");
export const quality = signal<Quality>("study");
/** The latest answer; its drawing stands until a newer one has one. */
export const check = signal<Check | null>(null);
export const checking = signal(false);
export const selected = signal<string | null>(null);
/** Costs of all qualities, as far as they are known: seconds and particles. */
export const costs = signal<Partial<Record<Quality, { particles: number; seconds: number } | null>>>({});

export const problems = computed<readonly Problem[]>(() => check.value?.problems ?? []);
export const drawing = computed(() => check.value?.drawing ?? null);
export const summary = computed(() => check.value?.summary ?? null);

interface Version {
  readonly toml: string;
  readonly group: string;
}
const MOST_VERSIONS = 200;
const past = signal<readonly Version[]>([]);
const future = signal<readonly Version[]>([]);
export const canUndo = computed(() => past.value.length > 0);
export const canRedo = computed(() => future.value.length > 0);

let asked = new AbortController();
let costing = 0;

/** Opens a text as a new world: nothing to undo before it. */
export async function open(text: string, title: string): Promise<void> {
  past.value = [];
  future.value = [];
  selected.value = null;
  name.value = title;
  toml.value = text;
  check.value = null;
  costs.value = {};
  await look();
}

/** Takes a new text. Changes of one group (a drag, a burst of typing) are undone together. */
export async function change(text: string, group: string): Promise<void> {
  if (text === toml.value) return;
  const last = past.value[past.value.length - 1];
  if (!group || last?.group !== group) {
    past.value = [...past.value, { toml: toml.value, group }].slice(-MOST_VERSIONS);
  }
  future.value = [];
  toml.value = text;
  await look();
}

export function undo(): Promise<void> {
  return step(past, future);
}

export function redo(): Promise<void> {
  return step(future, past);
}

async function step(from: typeof past, to: typeof past): Promise<void> {
  const version = from.value[from.value.length - 1];
  if (!version) return;
  to.value = [...to.value, { toml: toml.value, group: "" }];
  from.value = from.value.slice(0, -1);
  toml.value = version.toml;
  await look();
}

let editing: Promise<void> = Promise.resolve();

/** Edits the text through the server, one edit after the other; a refusal is shown and changes nothing. */
export function edit(edits: readonly Edit[], group = ""): Promise<void> {
  editing = editing.then(async () => {
    try {
      const answer = await ask(textSchema, "POST", "edit", { toml: toml.value, edits });
      await change(answer.toml, group);
    } catch (error) {
      report(error);
    }
  });
  return editing;
}

let waiting: { edits: readonly Edit[]; group: string } | null = null;
let busy = false;

/** Edits of a drag: only the newest is sent when the one before is done. */
export function editSoon(edits: readonly Edit[], group: string): void {
  waiting = { edits, group };
  if (busy) return;
  busy = true;
  void (async () => {
    while (waiting) {
      const next = waiting;
      waiting = null;
      await edit(next.edits, next.group);
    }
    busy = false;
  })();
}

/** Asks the server what the text means. */
async function look(): Promise<void> {
  asked.abort();
  asked = new AbortController();
  const own = asked;
  checking.value = true;
  try {
    const answer = await ask(checkSchema, "POST", "check", { toml: toml.value, quality: quality.value }, own.signal);
    const before = check.value?.drawing ?? null;
    check.value = { ...answer, drawing: answer.drawing ? withOutlines(answer.drawing, before) : before };
    if (selected.value && answer.drawing && !find(selected.value)) selected.value = null;
    void compareCosts();
  } catch (error) {
    if (!isAbort(error)) report(error);
  } finally {
    if (own === asked) checking.value = false;
  }
}

export async function choose(wanted: Quality): Promise<void> {
  quality.value = wanted;
  await look();
}

/** What each quality costs; asked a moment after the last change. */
async function compareCosts(): Promise<void> {
  const own = ++costing;
  await new Promise((resolve) => setTimeout(resolve, 350));
  if (own !== costing) return;
  const found: typeof costs.value = {};
  for (const each of ["preview", "study", "publish"] as const) {
    try {
      const known = each === quality.value && check.value;
      const answer = known || (await ask(checkSchema, "POST", "check", { toml: toml.value, quality: each }));
      found[each] = answer.summary && { particles: answer.summary.particles, seconds: answer.summary.seconds };
    } catch {
      found[each] = null;
    }
    if (own !== costing) return;
  }
  costs.value = found;
}

/** A body, region or observer by its path "bodies.cylinder". */
export function find(path: string): { part: string; name: string } | null {
  const [part = "", ...rest] = path.split(".");
  const key = rest.join(".");
  const plan = drawing.value;
  const lists: Record<string, readonly { name: string }[] | undefined> = {
    bodies: plan?.bodies,
    regions: plan?.regions,
    observe: plan?.observers,
    openings: plan?.openings,
  };
  return lists[part]?.some((item) => item.name === key) ? { part, name: key } : null;
}

/** A name that nothing has yet: circle, circle_2, ... */
export function freeName(part: string, wish: string): string {
  const taken = namesIn(toml.value, part);
  for (let k = 1; ; k++) {
    const candidate = k === 1 ? wish : `${wish}_${k}`;
    if (!taken.has(candidate) && !find(`${part}.${candidate}`)) return candidate;
  }
}

/** Puts a new table into the world file if it is right; else says what is wrong with it, and changes nothing. */
export function addIfRight(part: string, wish: string, table: Plain): Promise<{ readonly path: string; readonly wrong: readonly Problem[] }> {
  const done = editing.then(async () => {
    const added = freeName(part, wish);
    const path = `${part}.${added}`;
    try {
      const answer = await ask(textSchema, "POST", "edit", { toml: toml.value, edits: [{ op: "add", path: [part, added], value: table }] });
      const found = await ask(checkSchema, "POST", "check", { toml: answer.toml, quality: quality.value });
      const wrong = found.problems.filter((problem) => problem.path?.[0] === part && problem.path[1] === added);
      if (wrong.length === 0) await change(answer.toml, "");
      return { path, wrong };
    } catch (error) {
      if (error instanceof Refused) return { path, wrong: error.problems };
      throw error;
    }
  });
  editing = done.then(() => undefined, () => undefined);
  return done;
}

function report(error: unknown): void {
  if (error instanceof Refused) notify("problem", error.message);
  else throw error;
}
