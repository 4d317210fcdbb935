import { describe, expect, it } from "vitest";
import { CASES } from "../src/stream/isosurface/cases";
import { decodeSurface } from "../src/stream/isosurface/decode";
import { meshOf, vertexNormals } from "../src/stream/isosurface/mesh";
import { encoded } from "./encoder";
import { cutLattice, noise, sphere } from "./lattices";

/** The number of uses of each directed edge that no neighbour uses the other way round. */
function openEdges(triangles: Uint32Array): [number, number][] {
  const uses = new Map<string, number>();
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [triangles[t + k], triangles[t + ((k + 1) % 3)]] as [number, number];
      uses.set(`${a} ${b}`, (uses.get(`${a} ${b}`) ?? 0) + 1);
    }
  }
  return [...uses].filter(([key, count]) => uses.get(key.split(" ").reverse().join(" ")) !== count).map(([key]) => key.split(" ").map(Number) as [number, number]);
}

function volume(positions: Float32Array, triangles: Uint32Array): number {
  const at = (k: number): number[] => [...positions.subarray(3 * (triangles[k] as number), 3 * (triangles[k] as number) + 3)];
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = [at(t), at(t + 1), at(t + 2)] as [number[], number[], number[]] as never as [[number, number, number], [number, number, number], [number, number, number]];
    sum += (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6;
  }
  return sum;
}

describe("cases of a lattice cell", () => {
  it("use every cut edge of the cell and no other", () => {
    for (let signs = 0; signs < 256; signs++) {
      const cut = new Set<number>();
      for (let a = 0; a < 8; a++) {
        for (const axis of [0, 1, 2]) {
          const b = a ^ (1 << axis);
          if (a > b || ((signs >> a) & 1) === ((signs >> b) & 1)) continue;
          const others = [0, 1, 2].filter((other) => other !== axis) as [number, number];
          cut.add(4 * axis + ((a >> others[0]) & 1) + 2 * ((a >> others[1]) & 1));
        }
      }
      expect([...new Set(CASES[signs])].sort()).toEqual([...cut].sort());
    }
  });
});

describe("the mesh of a lattice", () => {
  it("is closed, faces outwards and has the volume of a sphere", () => {
    const { positions, triangles } = meshOf(cutLattice([40, 37, 35], sphere([19.2, 18.1, 17.3], 14)));
    expect(openEdges(triangles)).toEqual([]);
    expect(volume(positions, triangles) / ((4 / 3) * Math.PI * 14 ** 3)).toBeCloseTo(1, 2);
  });

  it("has normals that point outwards", () => {
    const mesh = meshOf(cutLattice([40, 37, 35], sphere([19.2, 18.1, 17.3], 14)));
    const normals = vertexNormals(mesh);
    let worst = 1;
    for (let v = 0; v < mesh.positions.length / 3; v++) {
      const radius = [19.2, 18.1, 17.3].map((center, axis) => (mesh.positions[3 * v + axis] as number) - center);
      const cosine = radius.reduce((sum, r, axis) => sum + (r * (normals[4 * v + axis] as number)) / 32767, 0) / Math.hypot(...radius);
      worst = Math.min(worst, cosine);
    }
    expect(worst).toBeGreaterThan(0.99);
  });

  it("of noise has no crack and no edge twice, except at the ends of the lattice", () => {
    const size = [35, 9, 7] as const;
    const { positions, triangles } = meshOf(cutLattice(size, noise));
    const isAtEnd = (v: number): boolean => size.some((n, axis) => [0, n - 1].includes(positions[3 * v + axis] as number));
    expect(triangles.length).toBeGreaterThan(3000);
    expect(openEdges(triangles).filter(([a, b]) => !(isAtEnd(a) && isAtEnd(b)))).toEqual([]);
  });

  it("needs as many codes as there are cut edges", () => {
    const lattice = cutLattice([12, 12, 12], sphere([6, 6, 6], 4));
    expect(() => meshOf({ ...lattice, cuts: lattice.cuts.subarray(1) })).toThrow("more than");
    expect(() => meshOf({ ...lattice, cuts: new Uint8Array([...lattice.cuts, 0]) })).toThrow("codes");
  });
});

interface Expected {
  readonly vertices: number;
  readonly triangles: number;
  readonly colour_codes_sum: number;
  readonly first_triangle: readonly number[];
  readonly last_triangle: readonly number[];
  readonly last_vertex: readonly number[];
  readonly volume: number;
}

/** Surfaces that the core has encoded, and what they contain. */
const samples = import.meta.glob<string>("../../tests/data/surfaces/*.eiso", { query: "?inline", import: "default", eager: true });
const contents = import.meta.glob<Expected>("../../tests/data/surfaces/*.json", { import: "default", eager: true });

describe("surfaces of the core", () => {
  it.each(Object.keys(samples))("%s is decoded", async (name) => {
    const bytes = new Uint8Array(await (await fetch(samples[name] as string)).arrayBuffer());
    const expected = contents[name.replace(".eiso", ".json")] as Expected;
    const { positions, triangles, colors } = await decodeSurface(bytes);
    expect(positions.length).toBe(3 * expected.vertices);
    expect(triangles.length).toBe(3 * expected.triangles);
    expect([...triangles.subarray(0, 3)]).toEqual(expected.first_triangle);
    expect([...triangles.subarray(-3)]).toEqual(expected.last_triangle);
    expect(Array.from(colors ?? []).reduce((sum, color) => sum + color, 0)).toBe(expected.colour_codes_sum);
    [...positions.subarray(-3)].forEach((value, axis) => expect(value).toBeCloseTo(expected.last_vertex[axis] as number, 6));
    expect(openEdges(triangles)).toEqual([]);
    expect(volume(positions, triangles)).toBeCloseTo(expected.volume, 5);
  });
});

describe("a surface in the stream", () => {
  const ball = cutLattice([40, 21, 19], sphere([19.2, 10.1, 9.3], 8));

  it("is decoded as it was cut", async () => {
    for (const lattice of [ball, cutLattice([35, 9, 7], noise)]) {
      const { positions, triangles } = meshOf(lattice);
      const surface = await decodeSurface(await encoded(lattice, { origin: [1, 2, 3], spacing: [0.5, 0.25, 2] }));
      expect(surface.triangles).toEqual(triangles);
      expect(surface.positions).toEqual(positions.map((value, k) => [1, 2, 3][k % 3]! + [0.5, 0.25, 2][k % 3]! * value));
      expect(surface.colors).toBeNull();
    }
  });

  it("has the colours of its vertices", async () => {
    for (const lattice of [ball, cutLattice([35, 9, 7], noise)]) {
      const colors = Array.from(lattice.cuts, (cut, k) => (7 * k + cut) & 255);
      const surface = await decodeSurface(await encoded(lattice, { colors }));
      expect(Array.from(surface.colors ?? [])).toEqual(colors);
      expect([surface.lowestColor, surface.highestColor]).toEqual([-1, 4]);
    }
  });

  it("may end cleanly at the sides of the domain", async () => {
    const inside = cutLattice([12, 12, 12], sphere([6, 6, 6], 4));
    const domain = { lower: [0.5, 0.5, 0.5], upper: [10.5, 7.5, 6.5] };
    expect((await decodeSurface(await encoded(inside), { ...domain, upper: [10.5, 10.5, 10.5] })).triangles).toEqual(meshOf(inside).triangles);
    const half = cutLattice([12, 9, 8], (x) => 5.3 - x); // a plane, closed at five sides
    const { positions, triangles } = await decodeSurface(await encoded(half), domain);
    expect(triangles.length).toBe(3 * 2 * 6 * 5);
    for (const v of triangles) expect(positions[3 * v]).toBeCloseTo(5.3, 2);
  });

  it("is not cut where the lattice ends within the domain", async () => {
    const layer = cutLattice([12, 3, 8], (_, y) => (y === 0 ? -1 : 1.4 - y)); // over the bottom, thinner than two points
    const domain = { lower: [1.25, 2.125, 4], upper: [6.25, 9, 16] };
    const { positions, triangles } = await decodeSurface(await encoded(layer, { origin: [1, 2, 3], spacing: [0.5, 0.25, 2] }), domain);
    expect(triangles.length).toBe(3 * 2 * 9 * 5);
    for (const v of triangles) expect(positions[3 * v + 1]).toBeCloseTo(2 + 1.4 * 0.25, 2);
    const ball = await encoded(cutLattice([7, 7, 7], sphere([3, 3, 3], 2.5)));
    expect((await decodeSurface(ball, { lower: [-9, -9, -9], upper: [9, 9, 9] })).triangles).toEqual((await decodeSurface(ball)).triangles);
  });

  it("may be empty", async () => {
    const nothing = { size: [0, 0, 0] as const, signs: new Uint32Array(0), cuts: new Uint8Array(0) };
    expect((await decodeSurface(await encoded(nothing))).triangles).toHaveLength(0);
  });

  it("is refused if it is damaged or of another version", async () => {
    const bytes = await encoded(ball);
    const changed = (change: (copy: Uint8Array) => Uint8Array | void): Promise<unknown> => {
      const copy = bytes.slice();
      return decodeSurface(change(copy) ?? copy);
    };
    await expect(changed((copy) => copy.subarray(0, 100))).rejects.toThrow("a surface of 100 bytes");
    await expect(decodeSurface(await encoded(ball, { version: 2 }))).rejects.toThrow("format 2; this page reads format 1");
    await expect(changed((copy) => copy.subarray(0, copy.length - 40))).rejects.toThrow();
    await expect(changed((copy) => { copy[120]! ^= 1; })).rejects.toThrow(/the data of a surface (are longer|have)/);
    await expect(changed((copy) => { copy[124]! ^= 1; })).rejects.toThrow("triangles, expected");
    await expect(changed((copy) => { copy.fill(255, 28, 40); })).rejects.toThrow("too large for this page");
    await expect(changed((copy) => { copy[300]! ^= 64; })).rejects.toThrow();
  });
});
