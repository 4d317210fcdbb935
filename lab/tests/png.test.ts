import { describe, expect, it } from "vitest";
import { crc32, withMetadata } from "../src/canvas/png";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

describe("metadata in a PNG", () => {
  it("have checksums as in the standard", () => {
    expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
    expect(crc32(new TextEncoder().encode("IEND"))).toBe(0xae426082);
  });

  it("are added after the header, one chunk each, and the rest stays unchanged", async () => {
    const png = Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0));
    const made = new Uint8Array(await withMetadata(png, { Title: "Ströme" }).arrayBuffer());
    const view = new DataView(made.buffer);
    expect(made.subarray(0, 33)).toEqual(png.subarray(0, 33));
    const length = view.getUint32(33);
    const content = made.subarray(37, 37 + 4 + length);
    expect(new TextDecoder().decode(content)).toBe("iTXtTitle\0\0\0\0\0Ströme");
    expect(view.getUint32(37 + 4 + length)).toBe(crc32(content));
    expect(made.subarray(41 + 4 + length)).toEqual(png.subarray(33));
  });
});
