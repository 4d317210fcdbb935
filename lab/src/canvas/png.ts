/** Adds metadata to a PNG, as in pictures of the command line. */

const SIGNATURE = 8; // bytes
const encoder = new TextEncoder();

let table: Uint32Array | null = null;

/** CRC-32 as defined for PNG (ISO 3309). */
export function crc32(bytes: Uint8Array): number {
  table ??= Uint32Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** An iTXt chunk: keyword, no compression, no language, text as UTF-8. */
function textChunk(keyword: string, text: string): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array([...encoder.encode("iTXt"), ...encoder.encode(keyword), 0, 0, 0, 0, 0, ...encoder.encode(text)]);
  const chunk = new Uint8Array(content.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, content.length - 4);
  chunk.set(content, 4);
  view.setUint32(content.length + 4, crc32(content));
  return chunk;
}

/** The picture with text chunks after its header. */
export function withMetadata(png: Uint8Array<ArrayBuffer>, texts: Readonly<Record<string, string>>): Blob {
  const header = SIGNATURE + 12 + new DataView(png.buffer, png.byteOffset).getUint32(SIGNATURE);
  const chunks = Object.entries(texts).map(([keyword, text]) => textChunk(keyword, text));
  return new Blob([png.subarray(0, header), ...chunks, png.subarray(header)], { type: "image/png" });
}
