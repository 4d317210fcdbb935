/** Adds duration and metadata to a recorded WebM (RFC 9559); browsers write neither. */

import { type Bytes, joined } from "./bytes";

const UNKNOWN_LENGTH = Uint8Array.of(1, 255, 255, 255, 255, 255, 255, 255);
const encoder = new TextEncoder();
const [HEADER, SEGMENT, INFO] = [0x1a45dfa3, 0x18538067, 0x1549a966];
const [DURATION, TAGS, TAG, TARGETS, SIMPLE, NAME, TEXT] = [0x4489, 0x1254c367, 0x7373, 0x63c0, 0x67c8, 0x45a3, 0x4487];

/** The bytes of a number, without leading zeros. */
function minimalBytes(value: number): number[] {
  return value < 256 ? [value] : [...minimalBytes(Math.floor(value / 256)), value % 256];
}

/** An element: id, length in eight bytes, content. */
function element(kind: number, ...content: Uint8Array[]): Bytes {
  const inside = joined(content);
  const length = new Uint8Array(8);
  new DataView(length.buffer).setUint32(4, inside.length);
  length[0] = 1;
  return joined([Uint8Array.from(minimalBytes(kind)), length, inside]);
}

interface Element {
  readonly kind: number;
  readonly begin: number;
  /** Offset of the content. */
  readonly content: number;
  /** Offset of the length. */
  readonly length: number;
  readonly end: number;
}

/** The element at offset `at`; one of unknown length extends to the end of the file. */
function elementAt(bytes: Bytes, at: number): Element | null {
  const first = bytes[at] ?? 0;
  const idWidth = Math.clz32(first) - 23;
  const length = at + idWidth;
  const lengthWidth = Math.clz32(bytes[length] ?? 0) - 23;
  if (idWidth > 4 || lengthWidth > 8 || length + lengthWidth > bytes.length) return null;
  let kind = 0;
  for (let k = at; k < length; k++) kind = 256 * kind + (bytes[k] as number);
  let size = (bytes[length] as number) & (0xff >> lengthWidth);
  let unknown = size === 0xff >> lengthWidth;
  for (let k = length + 1; k < length + lengthWidth; k++) {
    unknown &&= bytes[k] === 0xff;
    size = 256 * size + (bytes[k] as number);
  }
  const content = length + lengthWidth;
  return { kind, begin: at, content, length, end: unknown ? bytes.length : content + size };
}

function tagsElement(texts: Readonly<Record<string, string>>): Bytes {
  const each = Object.entries(texts).map(([name, text]) => element(SIMPLE, element(NAME, encoder.encode(name)), element(TEXT, encoder.encode(text))));
  return element(TAGS, element(TAG, element(TARGETS), ...each));
}

/** The video with its duration [s] and metadata; a file with another structure than recorders write stays unchanged. */
export function withMetadata(webm: Bytes, seconds: number, texts: Readonly<Record<string, string>>): Blob {
  const same = new Blob([webm], { type: "video/webm" });
  const header = elementAt(webm, 0);
  const segment = header?.kind === HEADER ? elementAt(webm, header.end) : null;
  if (segment?.kind !== SEGMENT) return same;
  const inside: Uint8Array[] = [];
  for (let at = segment.content; at < segment.end; ) {
    const item = elementAt(webm, at);
    if (!item) return same;
    if (item.kind !== INFO) {
      inside.push(webm.subarray(at, item.end));
      at = item.end;
      continue;
    }
    const rows: Uint8Array[] = [];
    for (let k = item.content; k < item.end; ) {
      const row = elementAt(webm, k);
      if (!row) return same;
      if (row.kind !== DURATION) rows.push(webm.subarray(k, row.end));
      k = row.end;
    }
    const duration = new Uint8Array(8);
    new DataView(duration.buffer).setFloat64(0, 1000 * seconds); // in milliseconds, the unit of the recorder
    inside.push(element(INFO, ...rows, element(DURATION, duration)), tagsElement(texts));
    at = item.end;
  }
  // the length of the segment stays unknown, because clusters of unknown length are only allowed in such a segment
  return new Blob([joined([webm.subarray(0, segment.length), UNKNOWN_LENGTH, ...inside])], { type: "video/webm" });
}
