/** The stored run of the first screen: one file of messages, as a run sends them. */

import { fromBinary } from "@bufbuild/protobuf";
import { readFrame } from "../stream/frame";
import { type Message, MessageSchema } from "../stream/stream_pb";
import { playing, restart, following, setFetcher, speed, time } from "./playback";
import { bodies, clear, hello, keep, progress, series, span } from "./run";
import { calm } from "./theme";
import * as view from "./view";

const FILE = "vortex_street.stream";
let file: Promise<Message[]> | null = null;

/** Plays the stored run, if it is still wanted when it has come. */
export async function playExample(wanted: () => boolean): Promise<void> {
  file ??= read(new URL(FILE, document.baseURI));
  const messages = await file;
  if (!wanted()) return;
  clear("example");
  restart();
  setFetcher(null);
  for (const { body } of messages) {
    if (body.case === "hello") {
      hello.value = body.value;
      bodies.value = body.value.bodies;
    } else if (body.case === "frame") keep(readFrame(body.value));
    else if (body.case === "series") series.take(body.value);
    else if (body.case === "progress") progress.value = body.value;
  }
  view.quantity.value = "vorticity";
  view.style.value = "field";
  following.value = false;
  time.value = span.value[0];
  speed.value = 0.25;
  playing.value = !calm.value;
}

/** Messages one after the other, each after its length in bytes (uint32, little-endian), all gzipped. */
async function read(address: URL): Promise<Message[]> {
  const answer = await fetch(address);
  if (!answer.ok || !answer.body) throw new Error(`${FILE}: ${answer.status} ${answer.statusText}`);
  const bytes = await new Response(answer.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const lengths = new DataView(bytes);
  const messages: Message[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const length = lengths.getUint32(at, true);
    messages.push(fromBinary(MessageSchema, new Uint8Array(bytes, at + 4, length)));
    at += 4 + length;
  }
  return messages;
}
