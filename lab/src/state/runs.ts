/** Runs on the server: starting one, joining one, opening what is finished. */

import { create, fromBinary } from "@bufbuild/protobuf";
import { computed, effect, signal } from "@preact/signals";
import * as v from "valibot";
import { Asking } from "../api/asking";
import { addressOf, ask, Refused, request, whole } from "../api/client";
import { bodiesAt } from "../stream/bodies";
import { Connection } from "../stream/connection";
import { readFrame } from "../stream/frame";
import type { Moment } from "../stream/moments";
import { Series } from "../stream/series";
import { CommandSchema, MessageSchema, type Message, SeenSchema, ViewSchema } from "../stream/stream_pb";
import { isQuantity } from "../colors/quantities";
import { textSchema } from "../api/types";
import { notify } from "./notices";
import { following, restart, setFetcher, speed, time } from "./playback";
import * as run from "./run";
import { screen } from "./screen";
import { acknowledged, setSender } from "./steering";
import * as view from "./view";
import * as world from "./world";

export const runSchema = v.object({
  id: v.string(),
  title: v.optional(v.string(), ""),
  world: v.optional(v.string(), ""),
  state: v.string(),
  created: v.optional(v.string(), ""),
  folder: v.optional(v.string(), ""),
  message: v.optional(v.string(), ""),
  predicted_seconds: v.optional(v.number(), 0),
  actual_seconds: v.optional(v.number(), 0),
});
export type Run = v.InferOutput<typeof runSchema>;
const momentSchema = v.object({ index: v.number(), step: v.number(), time: v.number() });
const framesSchema = v.object({ frames: v.array(momentSchema) });
const particlesSchema = v.object({ moments: v.array(momentSchema) });

export const runs = signal<readonly Run[]>([]);
/** The world file of the run that is shown. */
export const runToml = signal<string | null>(null);
export const starting = signal(false);

/** Whether the world has been changed since the run that is shown. */
export const stale = computed(() => run.kind.value === "run" && runToml.value !== null && runToml.value !== world.toml.value);

/** Whether what is shown flows: bodies are then where the run has them, not the file. */
export const flowing = computed(() => run.hello.value !== null && !stale.value);

let connection: Connection | null = null;

export async function refresh(): Promise<void> {
  try {
    runs.value = await ask(v.array(runSchema), "GET", "runs");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}

/** Starts the world as it is drawn, and watches it. */
export async function start(): Promise<void> {
  starting.value = true;
  try {
    const before = run.isLive.value ? run.runId.value : null;
    if (before) {
      await request("POST", `runs/${before}/stop`);
      notify("news", "The run before is stopped; what it has computed stays in the list under Machine.");
    }
    const body = { toml: world.toml.value, quality: world.quality.value };
    const made = await ask(runSchema, "POST", "runs", body);
    join(made.id, world.toml.value);
    void refresh();
  } catch (error) {
    if (error instanceof Refused) notify("problem", error.message);
    else throw error;
  } finally {
    starting.value = false;
  }
}

/** Opens a run of the list, finished or not, with its world. */
export async function openRun(id: string): Promise<void> {
  try {
    const { toml } = await ask(textSchema, "GET", `runs/${id}/world`);
    screen.value = "lab";
    const opened = world.open(toml, runs.value.find((item) => item.id === id)?.world || id);
    join(id, toml);
    await opened;
  } catch (error) {
    if (error instanceof Refused) notify("problem", error.message);
    else throw error;
  }
}

/** Leaves the run that is shown; it goes on by itself. */
export function leave(): void {
  connection?.close();
  connection = null;
  setSender(null);
  setFetcher(null);
  runToml.value = null;
  history.replaceState(null, "", location.pathname);
}

function join(id: string, text: string): void {
  leave();
  run.clear("run");
  restart();
  speed.value = 1;
  run.runId.value = id;
  runToml.value = text;
  history.replaceState(null, "", `${location.pathname}?run=${encodeURIComponent(id)}`);
  view.moved.value = null;
  view.style.value = "field";
  setFetcher((moment, small) => void fetchFrame(id, moment, small));
  const own = new Connection(addressOf(`runs/${id}/stream`, true), {
    take: (body) => take(id, body),
    state: (state, reason) => {
      run.link.value = state;
      if (state === "open") askForView();
      if (reason) notify("problem", reason);
    },
  });
  connection = own;
  setSender(({ id: name, action }) =>
    own.send({ case: "command", value: create(CommandSchema, { id: name, action }) }),
  );
}

function take(id: string, body: Message["body"]): void {
  switch (body.case) {
    case "hello":
      if (!run.hello.value && isQuantity(body.value.quantity)) view.quantity.value = body.value.quantity;
      run.hello.value = body.value;
      run.bodies.value = body.value.bodies;
      askForView();
      void know(id);
      break;
    case "frame": {
      if (!run.newest.value) void know(id); // the run has files by now
      const frame = run.keep(readFrame(body.value));
      if (!run.newest.value || frame.step >= run.newest.value.step) run.newest.value = frame;
      connection?.send({ case: "seen", value: create(SeenSchema, { index: body.value.index }) });
      break;
    }
    case "series":
      if (!run.series.take(body.value)) void fetchSeries(id, body.value.name);
      break;
    case "progress":
      run.progress.value = body.value;
      break;
    case "acknowledged":
      acknowledged(body.value);
      break;
    case "marks":
      run.marks.value = body.value.marks;
      break;
    case "bodies":
      run.bodies.value = bodiesAt(run.hello.value?.bodies ?? [], body.value);
      break;
    case "ended":
      run.ended.value = body.value;
      if (body.value.outcome === "failed" && !run.hello.value?.over) notify("problem", "The run has failed. Why stands by the timeline.");
      void know(id);
      void refresh();
      break;
    case "notice":
      notify("problem", body.value.text);
      break;
  }
}

/** The frames and particles that the run keeps. */
async function know(id: string): Promise<void> {
  try {
    const [pictures, whole] = await Promise.all([
      ask(framesSchema, "GET", `runs/${id}/frames`),
      ask(particlesSchema, "GET", `runs/${id}/particles`),
    ]);
    if (run.runId.value !== id) return;
    run.moments.know([
      ...pictures.frames.map(({ index, step, time: at }) => ({ time: at, step, stored: index, particles: -1 })),
      ...whole.moments.map(({ index, step, time: at }) => ({ time: at, step, stored: -1, particles: index })),
    ]);
    run.keepsParticles.value = whole.moments.length > 0;
    run.momentsVersion.value++;
    if (run.ended.value && following.value) showLast();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}

/** The end of a run as its files have it: the newest live frame came before, and may be coarser. */
function showLast(): void {
  following.value = false;
  time.value = run.span.value[1];
  run.moments.fetchLastAnew();
}

const PAUSE = 5000; // ms between two looks for frames that a run has stored meanwhile

effect(() => {
  const id = run.runId.value;
  if (!id || !run.isLive.value) return undefined;
  const timer = setInterval(() => void know(id), PAUSE);
  return () => clearInterval(timer);
});

const LEAST_COLUMNS = 16;
const asking = new Asking(6);

/** Gets what is missing of a stored frame; `small`: only what is shown. */
async function fetchFrame(id: string, moment: Moment, small: boolean): Promise<void> {
  if (!small && showsParticles()) {
    const nearest = run.moments.withParticles(moment.time);
    if (nearest) await fetchParticles(id, nearest);
    else if (run.isDry.value && !run.moments.frame(moment)) await fetchBodies(id, moment);
    return;
  }
  const held = run.moments.frame(moment);
  const names: string[] = [view.quantity.value];
  if (view.showsVelocity.value && !small) names.push("velocity_x", "velocity_y");
  await Promise.all(names.filter((name) => !held?.rasters.has(name)).map((name) => fetchRaster(id, moment, name)));
}

async function fetchRaster(id: string, moment: Moment, name: string): Promise<void> {
  if (moment.stored < 0) return;
  await fetchMessage(id, `${id} ${moment.step} ${name}`, `frames/${moment.stored}?quantity=${name}&width=${columns()}`);
}

/** The bodies of a stored frame, which come with any raster of it. */
async function fetchBodies(id: string, moment: Moment): Promise<void> {
  const name = run.hello.value?.quantity ?? "";
  await fetchMessage(id, `${id} ${moment.step} bodies`, `frames/${moment.stored}?quantity=${name}&width=${LEAST_COLUMNS}`);
}

async function fetchParticles(id: string, moment: Moment): Promise<void> {
  const name = view.quantity.value;
  if (run.moments.frame(moment)?.particles?.quantity === name) return;
  await fetchMessage(id, `${id} ${moment.step} particles ${name}`, `particles/${moment.particles}?quantity=${name}&most=${MOST_PARTICLES}`);
}

/** Whether particles are what is shown: of a flow in three dimensions always. */
function showsParticles(): boolean {
  return view.style.value === "particles" || run.hello.value?.dimensions === 3;
}

async function fetchMessage(id: string, key: string, path: string): Promise<void> {
  if (!asking.begin(key, performance.now())) return;
  try {
    const answer = await request("GET", `runs/${id}/${path}`);
    const message = fromBinary(MessageSchema, new Uint8Array(await whole(answer.arrayBuffer())));
    asking.end(key);
    if (message.body.case !== "frame" || run.runId.value !== id) return;
    run.keep(readFrame(message.body.value));
    view.redraw.value++;
  } catch (error) {
    const pause = asking.fail(key, error instanceof Refused ? error.status : 0, performance.now());
    // What is held and the strip of small pictures ask for what they lack only when they are drawn.
    if (pause !== null) setTimeout(() => run.momentsVersion.value++, pause);
    if (!(error instanceof Refused)) throw error;
  }
}

const seriesSchema = v.object({
  columns: v.array(v.string()),
  units: v.array(v.string()),
  values: v.array(v.array(v.nullable(v.number()))),
});

async function fetchSeries(id: string, name: string): Promise<void> {
  const key = `${id} series ${name}`;
  if (!asking.begin(key, performance.now())) return;
  try {
    const answer = await ask(seriesSchema, "GET", `runs/${id}/series/${encodeURIComponent(name)}`);
    asking.end(key);
    if (run.runId.value !== id) return;
    const made = new Series(answer.columns, answer.units);
    made.write(0, answer.values.map((column) => column.map((value) => value ?? Number.NaN)));
    run.series.put(name, made);
  } catch (error) {
    asking.fail(key, 0, performance.now()); // its file may come yet
    if (!(error instanceof Refused)) throw error;
  }
}

/** As many columns as the canvas has pixels for the domain. */
function columns(): number {
  const hello = run.hello.value;
  const across = hello ? (hello.upper[0] ?? 1) - (hello.lower[0] ?? 0) : 1;
  const pixels = across * view.camera.value.scale * Math.min(2, devicePixelRatio);
  return Math.max(128, Math.min(1600, 32 * Math.ceil(pixels / 32)));
}

const FRAMES_PER_SECOND = 20;
const MOST_PARTICLES = 200_000;

function askForView(): void {
  const hello = run.hello.value;
  if (!connection || !hello) return;
  const particles = showsParticles();
  const names = hello.dimensions === 3 || particles ? [] : [view.quantity.value as string];
  if (view.showsVelocity.value && hello.dimensions === 2) names.push("velocity_x", "velocity_y");
  connection.send({
    case: "view",
    value: create(ViewSchema, {
      quantities: names,
      columns: columns(),
      framesPerSecond: FRAMES_PER_SECOND,
      particles,
      particleQuantity: view.quantity.value,
      mostParticles: MOST_PARTICLES,
      ids: particles,
      velocities: particles,
      width: 2,
      tells: true,
    }),
  });
}

let viewTimer = 0;
effect(() => {
  view.quantity.value;
  view.style.value;
  view.showsVelocity.value;
  view.camera.value;
  clearTimeout(viewTimer);
  viewTimer = window.setTimeout(askForView, 150);
});

/** Takes the drawing back to what was run. */
export async function backToRun(): Promise<void> {
  if (runToml.value !== null) await world.change(runToml.value, "");
}
