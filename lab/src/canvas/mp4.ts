/** Texts inside an MP4 of the recorder, as the films of the command line have them (ISO 14496-12; keys as QuickTime's). */

import { type Bytes, joined } from "./bytes";

const encoder = new TextEncoder();
const UTF8 = 1; // kind of a value

function word(value: number): Bytes {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** Length, kind, content. `kind`: four letters, or a number. */
function box(kind: string | number, ...content: Uint8Array[]): Bytes {
  const inside = joined(content);
  return joined([word(inside.length + 8), typeof kind === "string" ? encoder.encode(kind) : word(kind), inside]);
}

function metadata(texts: Readonly<Record<string, string>>): Bytes {
  const items = Object.entries(texts);
  const handler = box("hdlr", new Uint8Array(8), encoder.encode("mdta"), new Uint8Array(13));
  const keys = box("keys", word(0), word(items.length), ...items.map(([key]) => box("mdta", encoder.encode(key))));
  const values = items.map(([, text], k) => box(k + 1, box("data", word(UTF8), word(0), encoder.encode(text))));
  return box("udta", box("meta", word(0), handler, keys, box("ilst", ...values)));
}

interface Part {
  readonly kind: string;
  readonly begin: number;
  readonly end: number;
}

function parts(mp4: Bytes): Part[] {
  const view = new DataView(mp4.buffer, mp4.byteOffset, mp4.length);
  const found: Part[] = [];
  for (let at = 0; at + 8 <= mp4.length; ) {
    const length = view.getUint32(at);
    if (length < 8 || at + length > mp4.length) return [];
    found.push({ kind: String.fromCharCode(...mp4.subarray(at + 4, at + 8)), begin: at, end: at + length });
    at += length;
  }
  return found;
}

/** The film with texts by key. One whose parts are not moved as easily as those of a recorder stays as it is: its
 * fragments are found from where they themselves begin, but for an index at the end (mfra), which is left out. */
export function withTexts(mp4: Bytes, texts: Readonly<Record<string, string>>): Blob {
  const found = parts(mp4);
  const whole = (items: readonly Uint8Array[]): Blob => new Blob([joined(items)], { type: "video/mp4" });
  if (!found.some(({ kind }) => kind === "moof")) return whole([mp4]);
  return whole(
    found
      .filter(({ kind }) => kind !== "mfra")
      .map(({ kind, begin, end }) => (kind === "moov" ? box("moov", mp4.subarray(begin + 8, end), metadata(texts)) : mp4.subarray(begin, end))),
  );
}
