/** Saves files. Pictures and videos contain the data needed to repeat their run. */

import * as v from "valibot";
import { ask, RequestError } from "../api/client";
import { tomlSchema } from "../api/types";
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

/** Saves a canvas as PNG with the world file, version and fingerprint as metadata. */
export async function savePng(canvas: HTMLCanvasElement, name: string): Promise<void> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob) save(png.withMetadata(new Uint8Array(await blob.arrayBuffer()), await readMetadata()), name);
}

/** Saves a recorded video, MP4 or WebM, with the same metadata. seconds: its duration; name: without extension. */
export async function saveVideo(video: Blob, seconds: number, name: string): Promise<void> {
  const bytes = new Uint8Array(await video.arrayBuffer());
  const metadata = await readMetadata();
  if (video.type.startsWith("video/mp4")) save(mp4.withMetadata(bytes, metadata), `${name}.mp4`);
  else save(webm.withMetadata(bytes, seconds, metadata), `${name}.webm`);
}

/** Metadata as in eddyline/plot/metadata.py; empty if the server does not respond. */
async function readMetadata(): Promise<Record<string, string>> {
  const id = run.runId.value;
  try {
    const [world, version] = await Promise.all([
      id ? ask(tomlSchema, "GET", `runs/${id}/world`) : { toml: "" },
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
    if (error instanceof RequestError) return {};
    throw error;
  }
}
