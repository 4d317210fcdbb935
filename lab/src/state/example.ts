/** The stored run on the home screen: one file with the messages of a run. */

import { fromBinary } from "@bufbuild/protobuf";
import { readFrame } from "../stream/frame";
import { type Message, MessageSchema } from "../stream/stream_pb";
import { playing, resetPlayback, following, setFrameFetcher, speed, time } from "./playback";
import { bodies, clear, hello, addFrame, progress, series, timeRange } from "./run";
import { reducedMotion } from "./theme";
import * as view from "./view";

const FILE = "vortex_street.stream";
let messagesPromise: Promise<Message[]> | null = null;

/** Plays the stored run, if it is still wanted once it is loaded. */
export async function playExample(isWanted: () => boolean): Promise<void> {
  messagesPromise ??= readMessages(new URL(FILE, document.baseURI));
  const messages = await messagesPromise;
  if (!isWanted()) return;
  clear("example");
  resetPlayback();
  setFrameFetcher(null);
  for (const { body } of messages) {
    if (body.case === "hello") {
      hello.value = body.value;
      bodies.value = body.value.bodies;
    } else if (body.case === "frame") addFrame(readFrame(body.value));
    else if (body.case === "series") series.append(body.value);
    else if (body.case === "progress") progress.value = body.value;
  }
  view.quantity.value = "vorticity";
  view.style.value = "field";
  following.value = false;
  time.value = timeRange.value[0];
  speed.value = 0.25;
  playing.value = !reducedMotion.value;
}

/** Reads a gzipped sequence of messages, each preceded by its length in bytes (uint32, little-endian). */
async function readMessages(address: URL): Promise<Message[]> {
  const response = await fetch(address);
  if (!response.ok || !response.body) throw new Error(`${FILE}: ${response.status} ${response.statusText}`);
  const bytes = await new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const lengths = new DataView(bytes);
  const messages: Message[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const length = lengths.getUint32(at, true);
    messages.push(fromBinary(MessageSchema, new Uint8Array(bytes, at + 4, length)));
    at += 4 + length;
  }
  return messages;
}
