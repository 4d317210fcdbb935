/** From the first screen to the instrument and back. */

import { signal } from "@preact/signals";
import * as v from "valibot";
import { ask, Refused } from "../api/client";
import { type GalleryWorld, gallerySchema, textSchema } from "../api/types";
import { choose } from "../draw/drawing";
import { notify } from "../state/notices";
import { restart } from "../state/playback";
import * as run from "../state/run";
import { leave, openRun, refresh, type Run, runs } from "../state/runs";
import { screen } from "../state/screen";
import * as view from "../state/view";
import * as world from "../state/world";

export const gallery = signal<readonly GalleryWorld[]>([]);
/** The lesson that the open world is, if it is one of the gallery. */
export const lesson = signal<GalleryWorld | null>(null);

let loading: Promise<void> | null = null;

export function loadGallery(): Promise<void> {
  loading ??= ask(gallerySchema, "GET", "gallery")
    .then((found) => {
      gallery.value = found;
    })
    .catch((error: unknown) => {
      loading = null;
      if (error instanceof Refused) notify("problem", error.message);
      else throw error;
    });
  return loading;
}

/** Opens a text in the instrument. */
export async function openText(text: string, name: string): Promise<void> {
  leave();
  run.clear("none");
  restart();
  view.moved.value = null;
  view.followed.value = null;
  choose("select");
  screen.value = "lab";
  await world.open(text, name);
}

export async function openGallery(name: string): Promise<void> {
  await loadGallery();
  const found = gallery.value.find((item) => item.name === name);
  if (!found) {
    notify("problem", `The gallery has no world "${name}".`);
    return;
  }
  lesson.value = found;
  await openText(found.toml, found.name);
}

/** An empty channel with a stream through it, and the pen in hand. */
const EMPTY = `# A channel to put things into.
format = 1
title  = "My channel"

[let]
H  = 0.4                    # height of the channel [m]
U  = 1.0                    # speed of the stream [m/s]
D  = 0.1                    # size of what stands in it [m]
Re = 100

[reference]
velocity = "U"
length   = "D"

[domain]
size    = [1.6, "H"]
spacing = "D/16"

[fluid]
density = 1.0
kinematic_viscosity = "U*D/Re"

[start]
velocity = ["U", 0]

[boundaries]
left   = { type = "inflow", velocity = "U" }
right  = { type = "outflow" }
bottom = { type = "wall", slip = true }
top    = { type = "wall", slip = true }

[time]
end = 4.0
`;

export async function drawYourOwn(): Promise<void> {
  lesson.value = null;
  await openText(EMPTY, "my_channel");
  choose("circle");
}

/** A world file, or a picture or film of a run, which has its world inside. */
export async function openFile(file: File | undefined): Promise<void> {
  if (!file) return;
  try {
    const text = file.name.endsWith(".toml") ? await file.text() : await worldOf(file);
    lesson.value = null;
    await openText(text, file.name.replace(/\.\w+$/, ""));
  } catch (error) {
    if (error instanceof Refused) notify("problem", error.message);
    else throw error;
  }
}

async function worldOf(file: File): Promise<string> {
  return (await ask(textSchema, "POST", "open", file)).toml;
}

export function goHome(): void {
  leave();
  run.clear("none");
  lesson.value = null;
  screen.value = "welcome";
}

/** A run of the list, with the lesson that its world is. */
export async function showRun(item: Run): Promise<void> {
  await loadGallery();
  lesson.value = gallery.value.find(({ title }) => title === item.title) ?? null;
  choose("select");
  await openRun(item.id);
}

/** What the address names: a run. */
export async function openAddress(): Promise<void> {
  const wanted = v.safeParse(v.pipe(v.string(), v.minLength(1)), new URL(location.href).searchParams.get("run"));
  if (!wanted.success) return;
  await refresh();
  const listed = runs.value.find(({ id }) => id === wanted.output);
  await (listed ? showRun(listed) : openRun(wanted.output));
}
