import { describe, expect, it } from "vitest";
import * as mp4 from "../src/canvas/mp4";
import * as webm from "../src/canvas/webm";

const letters = (text: string): number[] => [...new TextEncoder().encode(text)];
const box = (kind: string, ...content: number[]): number[] => [0, 0, 0, content.length + 8, ...letters(kind), ...content];
const bytes = async (blob: Blob): Promise<number[]> => [...new Uint8Array(await blob.arrayBuffer())];

describe("metadata in an MP4", () => {
  const film = [...box("ftyp", 1), ...box("moov", ...box("mvhd", 2)), ...box("moof", 3), ...box("mdat", 4), ...box("mfra", 5)];

  it("are added to the header, fragments stay unchanged, and the outdated index is removed", async () => {
    const made = await bytes(mp4.withMetadata(Uint8Array.from(film), { title: "Ströme" }));
    const text = new TextDecoder("latin1").decode(Uint8Array.from(made));
    expect(text).toMatch(/ftyp.*moov.*mvhd.*udta.*meta.*hdlr.*keys.*mdtatitle.*ilst.*data.*moof.*mdat/s);
    expect(text).not.toContain("mfra");
    expect(made.join()).toContain(letters("Ströme").join());
    expect(made.slice(-18)).toEqual([...box("moof", 3), ...box("mdat", 4)]);
  });

  it("are not added to files with absolute positions", async () => {
    const plain = [...box("ftyp", 1), ...box("moov", 2), ...box("mdat", 3)];
    expect(await bytes(mp4.withMetadata(Uint8Array.from(plain), { title: "x" }))).toEqual(plain);
  });
});

describe("duration and metadata in a WebM", () => {
  const header = [0x1a, 0x45, 0xdf, 0xa3, 0x81, 7];
  const scale = [0x2a, 0xd7, 0xb1, 0x83, 0x0f, 0x42, 0x40];
  const cluster = [0x1f, 0x43, 0xb6, 0x75, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3];
  const film = [...header, 0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x15, 0x49, 0xa9, 0x66, 0x87, ...scale, ...cluster];

  it("are added to the header, clusters stay unchanged", async () => {
    const made = await bytes(webm.withMetadata(Uint8Array.from(film), 1.5, { title: "flow" }));
    expect(made.slice(0, 6)).toEqual(header);
    const seconds = new Uint8Array(8);
    new DataView(seconds.buffer).setFloat64(0, 1500);
    expect(made.join()).toContain([...scale, 0x44, 0x89, 1, 0, 0, 0, 0, 0, 0, 8, ...seconds].join());
    expect(made.join()).toContain([0x45, 0xa3, 1, 0, 0, 0, 0, 0, 0, 5, ...letters("title")].join());
    expect(made.slice(-cluster.length)).toEqual(cluster);
    expect(made.slice(10, 18)).toEqual([1, 255, 255, 255, 255, 255, 255, 255]);
  });

  it("are not added to other files", async () => {
    expect(await bytes(webm.withMetadata(Uint8Array.of(1, 2, 3), 1, { title: "x" }))).toEqual([1, 2, 3]);
  });
});
