/** Navigation between the home screen and the lab; opening worlds and runs. */

import { signal } from "@preact/signals";
import * as v from "valibot";
import { ask, RequestError } from "../api/client";
import { type GalleryWorld, gallerySchema, tomlSchema } from "../api/types";
import { chooseTool } from "../draw/drawing";
import { notify } from "../state/notices";
import { resetPlayback } from "../state/playback";
import * as run from "../state/run";
import { disconnect, openRun, refresh, type Run, runs } from "../state/runs";
import { screen } from "../state/screen";
import * as view from "../state/view";
import * as world from "../state/world";

export const gallery = signal<readonly GalleryWorld[]>([]);
/** The lesson of the open world, if it is a world of the gallery. */
export const lesson = signal<GalleryWorld | null>(null);

let loading: Promise<void> | null = null;

export function loadGallery(): Promise<void> {
  loading ??= ask(gallerySchema, "GET", "gallery")
    .then((found) => {
      gallery.value = found;
    })
    .catch((error: unknown) => {
      loading = null;
      if (error instanceof RequestError) notify("problem", error.message);
      else throw error;
    });
  return loading;
}

/** Opens a world file in the lab. */
export async function openText(text: string, name: string): Promise<void> {
  disconnect();
  run.clear("none");
  resetPlayback();
  view.userCamera.value = null;
  view.followedParticle.value = null;
  chooseTool("select");
  screen.value = "lab";
  await world.open(text, name);
}

export async function openGallery(name: string): Promise<void> {
  await loadGallery();
  const found = gallery.value.find((item) => item.name === name);
  if (!found) {
    notify("problem", `The gallery has no world called "${name}".`);
    return;
  }
  lesson.value = found;
  await openText(found.toml, found.name);
}

/** World file of an empty channel. */
const EMPTY_CHANNEL = `# An empty channel.
format = 1
title  = "My channel"

[let]
H  = 0.4                    # height of the channel [m]
U  = 1.0                    # speed of the inflow [m/s]
D  = 0.1                    # size of a body [m]
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

export async function openEmptyChannel(): Promise<void> {
  lesson.value = null;
  await openText(EMPTY_CHANNEL, "my_channel");
  chooseTool("circle");
}

/** Opens a world file, or the world inside a picture or video of a run. */
export async function openFile(file: File | undefined): Promise<void> {
  if (!file) return;
  try {
    const text = file.name.endsWith(".toml") ? await file.text() : await worldInside(file);
    lesson.value = null;
    await openText(text, file.name.replace(/\.\w+$/, ""));
  } catch (error) {
    if (error instanceof RequestError) notify("problem", error.message);
    else throw error;
  }
}

async function worldInside(file: File): Promise<string> {
  return (await ask(tomlSchema, "POST", "open", file)).toml;
}

export function goHome(): void {
  disconnect();
  run.clear("none");
  lesson.value = null;
  screen.value = "home";
}

/** Opens a run of the list, with the lesson of its world. */
export async function openListedRun(item: Run): Promise<void> {
  await loadGallery();
  lesson.value = gallery.value.find(({ title }) => title === item.title) ?? null;
  chooseTool("select");
  await openRun(item.id);
}

/** Opens the run named in the address. */
export async function openRunInUrl(): Promise<void> {
  const wanted = v.safeParse(v.pipe(v.string(), v.minLength(1)), new URL(location.href).searchParams.get("run"));
  if (!wanted.success) return;
  await refresh();
  const listed = runs.value.find(({ id }) => id === wanted.output);
  await (listed ? openListedRun(listed) : openRun(wanted.output));
}
