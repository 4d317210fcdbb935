import { describe, expect, it } from "vitest";
import type { Drawing, Shape } from "../src/api/types";
import { tableNames, withLastOutlines } from "../src/state/draft";

const disk = (name: string, drawn: boolean, outlines: number[][][] = []): Shape => ({
  name, shape: "circle", written: { diameter: drawn ? 0.1 : -0.1 }, numbers: {}, in_reference: {}, outlines, moves: false, slip: false, drawn,
});
const drawing = (...bodies: Shape[]): Drawing => ({
  dimensions: 2, origin: [0, 0], size: [1, 1], spacing: 0.1, sides: [], bodies, regions: [], openings: [], observers: [],
});

describe("a world with errors", () => {
  it("keeps the last outlines of invalid shapes", () => {
    const line = [[[0, 0], [1, 0], [0, 1]]];
    const found = withLastOutlines(drawing(disk("post", false), disk("new", false)), drawing(disk("post", true, line)));
    expect(found.bodies.map(({ outlines }) => outlines)).toEqual([line, []]);
  });

  it("counts names of invalid tables as used", () => {
    const text = "[domain]\nsize = [1, 1]\n[bodies.circle]\n  [ bodies . \"circle_2\" ]\n[bodies.circle.motion]\n# [bodies.no]\n[observe.probe]\n";
    expect([...tableNames(text, "bodies")]).toEqual(["circle", "circle_2"]);
  });
});
