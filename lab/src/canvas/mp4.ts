/** Adds metadata to a recorded MP4, as in videos of the command line (ISO 14496-12; keys as in QuickTime). */

import { type Bytes, joined } from "./bytes";

const encoder = new TextEncoder();
const UTF8 = 1; // type code of a value

function uint32(value: number): Bytes {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** A box: length, type, content. `kind`: four letters or a number. */
function box(kind: string | number, ...content: Uint8Array[]): Bytes {
  const inside = joined(content);
  return joined([uint32(inside.length + 8), typeof kind === "string" ? encoder.encode(kind) : uint32(kind), inside]);
}

function metadataBox(texts: Readonly<Record<string, string>>): Bytes {
  const items = Object.entries(texts);
  const handler = box("hdlr", new Uint8Array(8), encoder.encode("mdta"), new Uint8Array(13));
  const keys = box("keys", uint32(0), uint32(items.length), ...items.map(([key]) => box("mdta", encoder.encode(key))));
  const values = items.map(([, text], k) => box(k + 1, box("data", uint32(UTF8), uint32(0), encoder.encode(text))));
  return box("udta", box("meta", uint32(0), handler, keys, box("ilst", ...values)));
}

interface Box {
  readonly kind: string;
  readonly begin: number;
  readonly end: number;
}

function topLevelBoxes(mp4: Bytes): Box[] {
  const view = new DataView(mp4.buffer, mp4.byteOffset, mp4.length);
  const found: Box[] = [];
  for (let at = 0; at + 8 <= mp4.length; ) {
    const length = view.getUint32(at);
    if (length < 8 || at + length > mp4.length) return [];
    found.push({ kind: String.fromCharCode(...mp4.subarray(at + 4, at + 8)), begin: at, end: at + length });
    at += length;
  }
  return found;
}

/** The video with metadata. Only fragmented files, as written by browsers, are changed: their fragments have relative
 * positions. The index at the end (mfra) has absolute ones and is removed. */
export function withMetadata(mp4: Bytes, texts: Readonly<Record<string, string>>): Blob {
  const found = topLevelBoxes(mp4);
  const whole = (items: readonly Uint8Array[]): Blob => new Blob([joined(items)], { type: "video/mp4" });
  if (!found.some(({ kind }) => kind === "moof")) return whole([mp4]);
  return whole(
    found
      .filter(({ kind }) => kind !== "mfra")
      .map(({ kind, begin, end }) => (kind === "moov" ? box("moov", mp4.subarray(begin + 8, end), metadataBox(texts)) : mp4.subarray(begin, end))),
  );
}
