/** Draws the inner sides of the walls of the domain that face the camera, with tiles. Water refracts them. */

import type { View } from "../../canvas/orbit";
import { roundTicks } from "../../colors/scale";
import { compile, uniforms } from "../gl";
import { ROOM_FRAGMENT, ROOM_VERTEX } from "./shader";

type Three = readonly [number, number, number];

export interface RoomColors {
  /** Colour behind everything, and of tiles: red, green, blue, 0 to 1. */
  readonly ground: Three;
  readonly tile: Three;
  readonly line: Three;
}

const NAMES = ["view", "lower", "upper", "eye", "groundColor", "lineColor", "tile"] as const;
const TILES = 4; // along the shortest edge of the domain, about

export class Room {
  private readonly program: WebGLProgram;
  private readonly at: Record<(typeof NAMES)[number], WebGLUniformLocation | null>;
  private readonly array: WebGLVertexArrayObject;
  private readonly count: number;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = compile(gl, "walls", ROOM_VERTEX, ROOM_FRAGMENT);
    this.at = uniforms(gl, this.program, NAMES);
    this.array = gl.createVertexArray();
    const corners = Float32Array.from([0, 1, 2].flatMap((axis) => [0, 1].flatMap((side) => wall(axis, side))));
    this.count = corners.length / 6;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
    for (const attribute of [0, 1]) {
      gl.enableVertexAttribArray(attribute);
      gl.vertexAttribPointer(attribute, 3, gl.FLOAT, false, 24, 12 * attribute);
    }
    gl.bindVertexArray(null);
  }

  draw(view: View, lower: readonly number[], upper: readonly number[], { tile, line }: RoomColors): void {
    const { gl, at } = this;
    const [low, high] = [lower, upper].map(([x = 0, y = 0, z = 0]) => [x, y, z] as Three) as [Three, Three];
    const shortest = Math.min(...high.map((value, axis) => value - (low[axis] as number)));
    const ticks = roundTicks({ low: 0, high: shortest }, TILES);
    gl.useProgram(this.program);
    gl.uniformMatrix4fv(at.view, false, view.matrix);
    gl.uniform3f(at.lower, ...low);
    gl.uniform3f(at.upper, ...high);
    gl.uniform3f(at.eye, ...view.eye);
    gl.uniform3f(at.groundColor, ...tile);
    gl.uniform3f(at.lineColor, ...line);
    gl.uniform1f(at.tile, (ticks[1] ?? shortest) - (ticks[0] ?? 0));
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.TRIANGLES, 0, this.count);
    gl.bindVertexArray(null);
  }
}

/** Two triangles: corners from 0 to 1, and the normal that points into the domain. */
function wall(axis: number, side: number): number[] {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const normal = [0, 1, 2].map((each) => (each === axis ? 1 - 2 * side : 0));
  return [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]].flatMap(([a = 0, b = 0]) => {
    const corner = [side, side, side];
    corner[u] = a;
    corner[v] = b;
    return [...corner, ...normal];
  });
}
