/** The world being edited: its text, the check by the server, and the undo history. */

import { computed, signal } from "@preact/signals";
import { ask, isAbort, RequestError } from "../api/client";
import { type Check, checkSchema, type Edit, type JsonValue, type Problem, type Quality, tomlSchema } from "../api/types";
import { tableNames, withLastOutlines } from "./draft";
import { notify } from "./notices";

/** The text of the world file. */
export const toml = signal("");
/** The name under which the world was opened. */
export const name = signal("world");
export const quality = signal<Quality>("study");
/** The device that runs ask for; null: that of the server. */
export const device = signal<string | null>(null);
/** The latest check. If it has no drawing, it keeps the previous one. */
export const check = signal<Check | null>(null);
export const checking = signal(false);
export const selected = signal<string | null>(null);
/** Particles and run time [s] for each resolution, as far as known. */
export const costs = signal<Partial<Record<Quality, { particles: number; seconds: number } | null>>>({});

export const problems = computed<readonly Problem[]>(() => check.value?.problems ?? []);
export const drawing = computed(() => check.value?.drawing ?? null);
export const summary = computed(() => check.value?.summary ?? null);

interface Version {
  readonly toml: string;
  readonly group: string;
}
const MAX_VERSIONS = 200;
const undoStack = signal<readonly Version[]>([]);
const redoStack = signal<readonly Version[]>([]);
export const canUndo = computed(() => undoStack.value.length > 0);
export const canRedo = computed(() => redoStack.value.length > 0);

let checkRequest = new AbortController();
let costRequest = 0;

/** Opens a text as a new world and clears the undo history. */
export async function open(text: string, title: string): Promise<void> {
  undoStack.value = [];
  redoStack.value = [];
  selected.value = null;
  name.value = title;
  toml.value = text;
  check.value = null;
  costs.value = {};
  await checkWorld();
}

/** Sets the text. Changes of one group (a drag, a burst of typing) are undone together. */
export async function setText(text: string, group: string): Promise<void> {
  if (text === toml.value) return;
  const last = undoStack.value[undoStack.value.length - 1];
  if (!group || last?.group !== group) {
    undoStack.value = [...undoStack.value, { toml: toml.value, group }].slice(-MAX_VERSIONS);
  }
  redoStack.value = [];
  toml.value = text;
  await checkWorld();
}

export function undo(): Promise<void> {
  return moveVersion(undoStack, redoStack);
}

export function redo(): Promise<void> {
  return moveVersion(redoStack, undoStack);
}

async function moveVersion(from: typeof undoStack, to: typeof undoStack): Promise<void> {
  const version = from.value[from.value.length - 1];
  if (!version) return;
  to.value = [...to.value, { toml: toml.value, group: "" }];
  from.value = from.value.slice(0, -1);
  toml.value = version.toml;
  await checkWorld();
}

let editQueue: Promise<void> = Promise.resolve();

/** Edits the text through the server, one request after the other. A refusal is shown and changes nothing. */
export function edit(edits: readonly Edit[], group = ""): Promise<void> {
  editQueue = editQueue.then(async () => {
    try {
      const answer = await ask(tomlSchema, "POST", "edit", { toml: toml.value, edits });
      await setText(answer.toml, group);
    } catch (error) {
      notifyError(error);
    }
  });
  return editQueue;
}

let nextEdit: { edits: readonly Edit[]; group: string } | null = null;
let isEditing = false;

/** Sends the edits of a drag: when a request is done, only the latest edit is sent. */
export function editLatest(edits: readonly Edit[], group: string): void {
  nextEdit = { edits, group };
  if (isEditing) return;
  isEditing = true;
  void (async () => {
    while (nextEdit) {
      const next = nextEdit;
      nextEdit = null;
      await edit(next.edits, next.group);
    }
    isEditing = false;
  })();
}

/** The body of a request for a check or a run. */
export function asked(): { toml: string; quality: Quality; device: string | null } {
  return { toml: toml.value, quality: quality.value, device: device.value };
}

/** Has the server check the text. */
async function checkWorld(): Promise<void> {
  checkRequest.abort();
  checkRequest = new AbortController();
  const current = checkRequest;
  checking.value = true;
  try {
    const answer = await ask(checkSchema, "POST", "check", asked(), current.signal);
    const previous = check.value?.drawing ?? null;
    // a drawing that stays keeps the reference in which its lengths are given
    const reference = answer.drawing ? answer.reference : (check.value?.reference ?? null);
    check.value = { ...answer, reference, drawing: answer.drawing ? withLastOutlines(answer.drawing, previous) : previous };
    if (selected.value && answer.drawing && !find(selected.value)) selected.value = null;
    void compareCosts();
  } catch (error) {
    if (!isAbort(error)) notifyError(error);
  } finally {
    if (current === checkRequest) checking.value = false;
  }
}

export async function setQuality(wanted: Quality): Promise<void> {
  quality.value = wanted;
  await checkWorld();
}

export async function setDevice(wanted: string): Promise<void> {
  device.value = wanted;
  await checkWorld();
}

/** Loads the cost of each resolution, 350 ms after the last change. */
async function compareCosts(): Promise<void> {
  const own = ++costRequest;
  await new Promise((resolve) => setTimeout(resolve, 350));
  if (own !== costRequest) return;
  const found: typeof costs.value = {};
  for (const each of ["preview", "study", "publish"] as const) {
    try {
      const known = each === quality.value && check.value;
      const answer = known || (await ask(checkSchema, "POST", "check", { toml: toml.value, quality: each }));
      found[each] = answer.summary && { particles: answer.summary.particles, seconds: answer.summary.seconds };
    } catch {
      found[each] = null;
    }
    if (own !== costRequest) return;
  }
  costs.value = found;
}

/** Finds a body, region, observer or opening by its path, e.g. "bodies.cylinder". */
export function find(path: string): { part: string; name: string } | null {
  const [part = "", ...rest] = path.split(".");
  const key = rest.join(".");
  const drawn = drawing.value;
  const lists: Record<string, readonly { name: string }[] | undefined> = {
    bodies: drawn?.bodies,
    regions: drawn?.regions,
    observe: drawn?.observers,
    openings: drawn?.openings,
  };
  return lists[part]?.some((item) => item.name === key) ? { part, name: key } : null;
}

/** A name that is not in use: circle, circle_2, ... */
export function unusedName(part: string, wanted: string): string {
  const used = tableNames(toml.value, part);
  for (let k = 1; ; k++) {
    const candidate = k === 1 ? wanted : `${wanted}_${k}`;
    if (!used.has(candidate) && !find(`${part}.${candidate}`)) return candidate;
  }
}

/** Adds a table to the world file if it is valid; otherwise returns its problems and changes nothing. */
export function addIfValid(part: string, wanted: string, table: JsonValue): Promise<{ readonly path: string; readonly problems: readonly Problem[] }> {
  const done = editQueue.then(async () => {
    const added = unusedName(part, wanted);
    const path = `${part}.${added}`;
    try {
      const answer = await ask(tomlSchema, "POST", "edit", { toml: toml.value, edits: [{ op: "add", path: [part, added], value: table }] });
      const found = await ask(checkSchema, "POST", "check", { toml: answer.toml, quality: quality.value });
      const problems = found.problems.filter((problem) => problem.path?.[0] === part && problem.path[1] === added);
      if (problems.length === 0) await setText(answer.toml, "");
      return { path, problems };
    } catch (error) {
      if (error instanceof RequestError) return { path, problems: error.problems };
      throw error;
    }
  });
  editQueue = done.then(() => undefined, () => undefined);
  return done;
}

function notifyError(error: unknown): void {
  if (error instanceof RequestError) notify("problem", error.message);
  else throw error;
}
