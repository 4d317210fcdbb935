/** Runs on the server: start a run, connect to it, open a finished one. */

import { create, fromBinary } from "@bufbuild/protobuf";
import { computed, effect, signal, untracked } from "@preact/signals";
import * as v from "valibot";
import { RequestGate } from "../api/retry";
import { urlWithToken, ask, RequestError, request, readBody } from "../api/client";
import { bodiesAt } from "../stream/bodies";
import { Connection } from "../stream/connection";
import { readFrame } from "../stream/frame";
import type { FrameEntry } from "../stream/frames";
import { Series } from "../stream/series";
import { CommandSchema, MessageSchema, type Message, SeenSchema, ViewSchema } from "../stream/stream_pb";
import { isQuantity, learnQuantities, LEVEL } from "../colors/quantities";
import { tomlSchema } from "../api/types";
import * as link from "./link";
import { notify } from "./notices";
import { following, resetPlayback, setFrameFetcher, speed, time } from "./playback";
import * as run from "./run";
import { screen } from "./screen";
import { handleAcknowledged, setSender } from "./steering";
import * as surfaces from "./surfaces";
import { shownWaterMode } from "./water";
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
const frameEntrySchema = v.object({ index: v.number(), step: v.number(), time: v.number() });
const framesSchema = v.object({ frames: v.array(frameEntrySchema) });
const momentsSchema = v.object({ moments: v.array(frameEntrySchema) });

export const runs = signal<readonly Run[]>([]);
/** The world file of the displayed run. */
export const runToml = signal<string | null>(null);
export const starting = signal(false);

/** True if the world was changed since the displayed run was started. */
export const isStale = computed(() => run.kind.value === "run" && runToml.value !== null && runToml.value !== world.toml.value);

/** True if the canvas shows the run; bodies are then drawn where the run has them, not the file. */
export const showsRun = computed(() => run.hello.value !== null && !isStale.value);

let connection: Connection | null = null;

export async function refresh(): Promise<void> {
  try {
    runs.value = await ask(v.array(runSchema), "GET", "runs");
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
  }
}

/** Starts a run of the current world and connects to it. */
export async function start(): Promise<void> {
  starting.value = true;
  try {
    const previous = run.isLive.value ? run.runId.value : null;
    if (previous) {
      await request("POST", `runs/${previous}/stop`);
      notify("info", "The previous run was stopped. It stays in the list of runs under Machine.");
    }
    const started = await ask(runSchema, "POST", "runs", world.asked());
    connect(started.id, world.toml.value);
    void refresh();
  } catch (error) {
    if (error instanceof RequestError) notify("problem", error.message);
    else throw error;
  } finally {
    starting.value = false;
  }
}

/** Opens a run, finished or not, with its world. */
export async function openRun(id: string): Promise<void> {
  try {
    const { toml } = await ask(tomlSchema, "GET", `runs/${id}/world`);
    screen.value = "lab";
    const opened = world.open(toml, runs.value.find((item) => item.id === id)?.world || id);
    connect(id, toml);
    await opened;
  } catch (error) {
    if (error instanceof RequestError) notify("problem", `Cannot open this run. ${error.message}`, true);
    else throw error;
  }
}

/** Disconnects from the displayed run, which continues on the server. */
export function disconnect(): void {
  connection?.close();
  connection = null;
  setSender(null);
  setFrameFetcher(null);
  runToml.value = null;
  history.replaceState(null, "", location.pathname);
}

function connect(id: string, text: string): void {
  disconnect();
  run.clear("run");
  resetPlayback();
  speed.value = 1;
  run.runId.value = id;
  runToml.value = text;
  history.replaceState(null, "", `${location.pathname}?run=${encodeURIComponent(id)}`);
  view.userCamera.value = null;
  view.style.value = "field";
  setFrameFetcher((entry, small) => void fetchFrame(id, entry, small));
  const opened = new Connection(urlWithToken(`runs/${id}/stream`, true), {
    receive: (body) => handleMessage(id, body),
    hear: link.hear,
    changeState: (state, reason) => {
      run.connectionState.value = state;
      if (state === "open") sendView();
      run.connectionReason.value = reason;
    },
  });
  connection = opened;
  link.setHubTime(() => opened.hubTime());
  setSender(({ id: name, action }) =>
    opened.send({ case: "command", value: create(CommandSchema, { id: name, action }) }),
  );
}

function handleMessage(id: string, body: Message["body"]): void {
  switch (body.case) {
    case "hello":
      learnQuantities(body.value.quantities);
      if (!run.hello.value && isQuantity(body.value.quantity)) view.quantity.value = body.value.quantity;
      run.hello.value = body.value;
      if (!run.hasPoints.value) {
        const hasSurfaces = surfaces.offersSurfaces.value && !body.value.over;
        view.style.value = hasSurfaces ? "surfaces" : "field";
        if (hasSurfaces) surfaces.addFirst();
      }
      run.bodies.value = body.value.bodies;
      sendView();
      void loadFrameList(id);
      break;
    case "frame": {
      if (!run.latestFrame.value) void loadFrameList(id); // by now the run has written files
      const frame = run.addFrame(readFrame(body.value));
      if (!run.latestFrame.value || frame.step >= run.latestFrame.value.step) run.latestFrame.value = frame;
      connection?.send({ case: "seen", value: create(SeenSchema, { index: body.value.index }) });
      break;
    }
    case "series":
      if (!run.series.append(body.value)) void fetchSeries(id, body.value.name);
      break;
    case "progress":
      run.progress.value = body.value;
      break;
    case "acknowledged":
      handleAcknowledged(body.value);
      break;
    case "marks":
      run.marks.value = body.value.marks;
      break;
    case "bodies":
      run.bodies.value = bodiesAt(run.hello.value?.bodies ?? [], body.value);
      break;
    case "ended":
      run.ended.value = body.value;
      if (!run.hello.value?.over) notifyEnd(body.value.outcome);
      void loadFrameList(id);
      void refresh();
      break;
    case "notice":
      notify("problem", body.value.text);
      break;
  }
}

function notifyEnd(outcome: string): void {
  if (outcome === "failed") notify("problem", "The run failed; see the reason next to the timeline.");
  if (outcome === "not closed") notify("problem", "The run was computed, but not all of its files were written; see next to the timeline.");
}

/** Loads the list of frames and particles that the run has stored. */
async function loadFrameList(id: string): Promise<void> {
  try {
    const [stored, snapshots, storedSurfaces] = await Promise.all([
      ask(framesSchema, "GET", `runs/${id}/frames`),
      ask(momentsSchema, "GET", `runs/${id}/particles`),
      ask(momentsSchema, "GET", `runs/${id}/surfaces`),
    ]);
    if (run.runId.value !== id) return;
    run.frames.addStored([
      ...stored.frames.map(({ index, step, time: at }) => ({ time: at, step, frameIndex: index, particlesIndex: -1, surfacesIndex: -1 })),
      ...snapshots.moments.map(({ index, step, time: at }) => ({ time: at, step, frameIndex: -1, particlesIndex: index, surfacesIndex: -1 })),
      ...storedSurfaces.moments.map(({ index, step, time: at }) => ({ time: at, step, frameIndex: -1, particlesIndex: -1, surfacesIndex: index })),
    ]);
    run.hasStoredParticles.value = snapshots.moments.length > 0;
    run.hasStoredSurfaces.value = storedSurfaces.moments.length > 0;
    run.framesVersion.value++;
    if (run.ended.value && following.value) showLastFrame();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
  }
}

/** Shows the last stored frame: the latest live frame may be earlier and coarser. */
function showLastFrame(): void {
  following.value = false;
  time.value = run.timeRange.value[1];
  run.frames.dropLiveRastersOfLast();
}

/** True while the displayed run waits for another one to end. */
export const isWaiting = computed(() => run.hello.value === null && runs.value.find(({ id }) => id === run.runId.value)?.state === "waiting");

const START_INTERVAL = 2000; // ms between two looks at the list, while a run has not begun

effect(() => {
  if (run.kind.value !== "run" || run.hello.value !== null || run.connectionState.value === "closed") return undefined;
  const timer = setInterval(() => void refresh(), START_INTERVAL);
  return () => clearInterval(timer);
});

const POLL_INTERVAL = 5000; // ms between two checks for newly stored frames

effect(() => {
  const id = run.runId.value;
  if (!id || !run.isLive.value || run.connectionState.value === "closed") return undefined;
  const timer = setInterval(() => void loadFrameList(id), POLL_INTERVAL);
  return () => clearInterval(timer);
});

const MIN_COLUMNS = 16;
const requests = new RequestGate(6);

/** Fetches the missing data of a stored frame; `small`: only the displayed quantity. */
async function fetchFrame(id: string, entry: FrameEntry, small: boolean): Promise<void> {
  if (!small && surfaces.usesStored.value) {
    await fetchSurfaces(id, entry);
    return;
  }
  if (!small && showsParticles()) {
    const nearest = run.frames.nearestWithParticles(entry.time);
    if (nearest) await fetchParticles(id, nearest);
    else if (run.lacksFluid.value && !run.frames.cachedFrame(entry)) await fetchBodies(id, entry);
    return;
  }
  const cached = run.frames.cachedFrame(entry);
  const names: string[] = [view.quantity.value];
  if (view.showsVelocity.value && run.hasVelocity.value && !small) names.push("velocity_x", "velocity_y");
  if (run.hasLevels.value && !small && !names.includes(LEVEL)) names.push(LEVEL);
  await Promise.all(names.filter((name) => !cached?.rasters.has(name)).map((name) => fetchRaster(id, entry, name)));
}

async function fetchRaster(id: string, entry: FrameEntry, name: string): Promise<void> {
  if (entry.frameIndex < 0) return;
  await fetchFrameMessage(id, `${id} ${entry.step} ${name}`, `frames/${entry.frameIndex}?quantity=${name}&width=${rasterColumns()}`);
}

/** Fetches the bodies of a stored frame; they come with any of its rasters. */
async function fetchBodies(id: string, entry: FrameEntry): Promise<void> {
  const name = run.hello.value?.quantity ?? "";
  await fetchFrameMessage(id, `${id} ${entry.step} bodies`, `frames/${entry.frameIndex}?quantity=${name}&width=${MIN_COLUMNS}`);
}

async function fetchParticles(id: string, entry: FrameEntry): Promise<void> {
  const name = view.quantity.value;
  if (run.frames.cachedFrame(entry)?.particles?.quantity === name) return;
  await fetchFrameMessage(id, `${id} ${entry.step} particles ${name}`, `particles/${entry.particlesIndex}?quantity=${name}&most=${MAX_PARTICLES}`);
}

async function fetchSurfaces(id: string, entry: FrameEntry): Promise<void> {
  if (entry.surfacesIndex < 0 || run.frames.cachedFrame(entry)?.surfaces.length) return;
  await fetchFrameMessage(id, `${id} ${entry.step} surfaces`, `surfaces/${entry.surfacesIndex}`);
}

/** True if particles are displayed; in 3D, always if the run has any. */
function showsParticles(): boolean {
  return view.style.value === "particles" || (run.hello.value?.dimensions === 3 && run.hasPoints.value);
}

async function fetchFrameMessage(id: string, key: string, path: string): Promise<void> {
  if (!requests.begin(key, performance.now())) return;
  try {
    const response = await request("GET", `runs/${id}/${path}`);
    const message = fromBinary(MessageSchema, new Uint8Array(await readBody(response.arrayBuffer())));
    requests.end(key);
    if (message.body.case !== "frame" || run.runId.value !== id) return;
    run.addFrame(readFrame(message.body.value));
    view.redraw.value++;
  } catch (error) {
    const delay = requests.fail(key, error instanceof RequestError ? error.status : 0, performance.now());
    // A paused picture and the thumbnails request missing data only when they are redrawn.
    if (delay !== null) setTimeout(() => run.framesVersion.value++, delay);
    if (!(error instanceof RequestError)) throw error;
  }
}

const seriesSchema = v.object({
  columns: v.array(v.string()),
  units: v.array(v.string()),
  values: v.array(v.array(v.nullable(v.number()))),
});

async function fetchSeries(id: string, name: string): Promise<void> {
  const key = `${id} series ${name}`;
  if (!requests.begin(key, performance.now())) return;
  try {
    const answer = await ask(seriesSchema, "GET", `runs/${id}/series/${encodeURIComponent(name)}`);
    requests.end(key);
    if (run.runId.value !== id) return;
    const series = new Series(answer.columns, answer.units);
    series.write(0, answer.values.map((column) => column.map((value) => value ?? Number.NaN)));
    run.series.set(name, series);
  } catch (error) {
    requests.fail(key, 0, performance.now()); // the file may appear later
    if (!(error instanceof RequestError)) throw error;
  }
}

/** Number of raster columns: one per pixel that the domain takes on the canvas. */
function rasterColumns(): number {
  const hello = run.hello.value;
  const across = hello ? (hello.upper[0] ?? 1) - (hello.lower[0] ?? 0) : 1;
  const pixels = across * view.camera.value.scale * Math.min(2, devicePixelRatio);
  return Math.max(128, Math.min(1600, 32 * Math.ceil(pixels / 32)));
}

const FRAMES_PER_SECOND = 20;
const MAX_PARTICLES = 200_000;

/** True if live particles are needed: in 3D not if only isosurfaces are shown. */
function needsParticles(): boolean {
  if (run.hello.value?.dimensions !== 3 || !run.hasPoints.value) return showsParticles();
  return shownWaterMode.value === "opaque" || shownWaterMode.value === "translucent" || surfaces.requested.value.length === 0;
}

function sendView(): void {
  const hello = run.hello.value;
  if (!connection || !hello) return;
  const particles = needsParticles();
  const names = run.is3d.value || particles ? [] : [view.quantity.value as string];
  if (view.showsVelocity.value && run.hasVelocity.value && hello.dimensions === 2) names.push("velocity_x", "velocity_y");
  if (names.length > 0 && run.hasLevels.value && !names.includes(LEVEL)) names.push(LEVEL);
  connection.send({
    case: "view",
    value: create(ViewSchema, {
      quantities: names,
      columns: rasterColumns(),
      framesPerSecond: FRAMES_PER_SECOND,
      particles,
      particleQuantity: view.quantity.value,
      mostParticles: MAX_PARTICLES,
      ids: particles,
      velocities: particles,
      width: 2,
      tells: true,
      smooth: view.smooth.value,
      surfaces: surfaces.requested.value.map((request) => ({ ...request, histogram: surfaces.needsHistograms.value })),
    }),
  });
}

/** Changes of surfaces are sent at once: a level is requested only after the last one has arrived. */
effect(() => {
  surfaces.requested.value;
  surfaces.needsHistograms.value;
  shownWaterMode.value;
  untracked(sendView);
});

let viewTimer = 0;
effect(() => {
  view.quantity.value;
  view.style.value;
  view.showsVelocity.value;
  view.smooth.value;
  view.camera.value;
  clearTimeout(viewTimer);
  viewTimer = window.setTimeout(sendView, 150);
});

/** Restores the world file of the displayed run. */
export async function restoreRunWorld(): Promise<void> {
  if (runToml.value !== null) await world.setText(runToml.value, "");
}
