/** Files that the page saves; pictures carry what repeats their run. */

import * as v from "valibot";
import { ask, Refused } from "../api/client";
import { textSchema } from "../api/types";
import * as run from "../state/run";
import * as mp4 from "./mp4";
import * as png from "./png";
import * as webm from "./webm";

const versionSchema = v.object({ eddyline: v.string() });

export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Saves a canvas as PNG, with the world file as run, version and fingerprint inside. */
export async function savePng(canvas: HTMLCanvasElement, name: string): Promise<void> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob) save(png.withTexts(new Uint8Array(await blob.arrayBuffer()), await texts()), name);
}

/** Saves a film of the recorder, MP4 or WebM and so many seconds long, with the same inside. `name`: without its end. */
export async function saveFilm(film: Blob, seconds: number, name: string): Promise<void> {
  const bytes = new Uint8Array(await film.arrayBuffer());
  const inside = await texts();
  if (film.type.startsWith("video/mp4")) save(mp4.withTexts(bytes, inside), `${name}.mp4`);
  else save(webm.withTexts(bytes, seconds, inside), `${name}.webm`);
}

/** As eddyline/plot/metadata.py has them; none if the server does not answer. */
async function texts(): Promise<Record<string, string>> {
  const id = run.runId.value;
  try {
    const [world, version] = await Promise.all([
      id ? ask(textSchema, "GET", `runs/${id}/world`) : { toml: "" },
      ask(versionSchema, "GET", "version"),
    ]);
    return {
      Title: run.hello.value?.title ?? "",
      Software: `Eddyline ${version.eddyline}`,
      eddyline_version: version.eddyline,
      eddyline_fingerprint: run.ended.value?.fingerprint ?? "",
      eddyline_options: "",
      eddyline_world: world.toml,
    };
  } catch (error) {
    if (error instanceof Refused) return {};
    throw error;
  }
}
