/** Tracers: weightless points that go with the flow, each with the way it has come. */

import type { Camera } from "../../canvas/camera";
import { type Raster, valueAt } from "../../stream/frame";
import { compile, uniforms } from "../gl";

const TRAIL = 14;
const LIFE = 4; // seconds on the screen, at most
const FLOATS = 3; // x, y, strength
const RATE = 45; // steps for a second on the screen, each a piece of the trail
const MOST_STEPS = 6; // at a time: a slow browser gets shorter ways, not longer waits

const VERTEX = `
layout(location = 0) in vec3 vertex;   // x, y [m], strength 0 to 1
uniform vec4 map;                      // clip = map.xy + map.zw * position
out float strength;
void main() {
  strength = vertex.z;
  gl_Position = vec4(map.xy + map.zw * vertex.xy, 0.0, 1.0);
}`;

const FRAGMENT = `
uniform vec4 ink;
in float strength;
out vec4 color;
void main() {
  float cover = ink.a * strength;
  color = vec4(ink.rgb * cover, cover);
}`;

export interface Velocity {
  readonly x: Raster;
  readonly y: Raster;
}

export class TracerLayer {
  private readonly program: WebGLProgram;
  private readonly at: Record<"map" | "ink", WebGLUniformLocation | null>;
  private readonly array: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;
  /** (count x TRAIL x 2) float32: places [m], newest first. */
  private readonly places: Float32Array;
  /** (count) float32: seconds on the screen since birth. */
  private readonly ages: Float32Array;
  /** (count x (TRAIL - 1) x 2 x 3) float32: line pieces. */
  private readonly vertices: Float32Array;
  private due = 0;
  private flow = 0;

  constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly count = 900,
  ) {
    this.program = compile(gl, "tracers", VERTEX, FRAGMENT);
    this.at = uniforms(gl, this.program, ["map", "ink"]);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.places = new Float32Array(count * TRAIL * 2);
    this.ages = new Float32Array(count).fill(LIFE + 1);
    this.vertices = new Float32Array(count * (TRAIL - 1) * 2 * FLOATS);
  }

  /** Moves all by `flow` seconds of the flow; `screen`: seconds that passed for the one who watches. */
  move(velocity: Velocity, flow: number, screen: number): void {
    this.due = Math.min(MOST_STEPS, this.due + screen * RATE);
    const steps = Math.floor(this.due);
    this.due -= steps;
    this.flow += flow;
    if (steps === 0) return;
    for (let k = 0; k < steps; k++) this.step(velocity, this.flow / steps, 1 / RATE);
    this.flow = 0;
  }

  private step(velocity: Velocity, flow: number, screen: number): void {
    const { lower, upper } = velocity.x;
    const speeds = { x: 0, y: 0 };
    for (let k = 0; k < this.count; k++) {
      const at = k * TRAIL * 2;
      let x = this.places[at] as number;
      let y = this.places[at + 1] as number;
      const age = (this.ages[k] as number) + screen;
      this.ages[k] = age;
      if (age <= LIFE && read(velocity, x, y, speeds)) {
        const [halfX, halfY] = [x + 0.5 * flow * speeds.x, y + 0.5 * flow * speeds.y];
        if (read(velocity, halfX, halfY, speeds)) {
          x += flow * speeds.x;
          y += flow * speeds.y;
          this.places.copyWithin(at + 2, at, at + 2 * (TRAIL - 1));
          this.places[at] = x;
          this.places[at + 1] = y;
          continue;
        }
      }
      x = lower[0] + Math.random() * (upper[0] - lower[0]);
      y = lower[1] + Math.random() * (upper[1] - lower[1]);
      for (let n = 0; n < TRAIL; n++) {
        this.places[at + 2 * n] = x;
        this.places[at + 2 * n + 1] = y;
      }
      this.ages[k] = age > LIFE + 0.5 ? Math.random() * LIFE : 0;
    }
  }

  /** Forgets all: another run, or another moment. */
  scatter(): void {
    this.ages.fill(LIFE + 1);
  }

  draw(camera: Camera, ink: readonly [number, number, number, number]): void {
    const { gl, vertices, places } = this;
    let end = 0;
    for (let k = 0; k < this.count; k++) {
      const young = Math.min(1, (this.ages[k] as number) / 0.4, (LIFE - (this.ages[k] as number)) / 0.4);
      const at = k * TRAIL * 2;
      for (let n = 0; n < TRAIL - 1; n++) {
        for (const m of [n, n + 1]) {
          vertices[end++] = places[at + 2 * m] as number;
          vertices[end++] = places[at + 2 * m + 1] as number;
          vertices[end++] = Math.max(0, young) * (1 - m / (TRAIL - 1)) ** 1.5;
        }
      }
    }
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STREAM_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, FLOATS, gl.FLOAT, false, 0, 0);
    const [sx, sy] = [(2 * camera.scale) / camera.width, (2 * camera.scale) / camera.height];
    gl.uniform4f(this.at.map, -camera.center[0] * sx, -camera.center[1] * sy, sx, sy);
    gl.uniform4f(this.at.ink, ...ink);
    gl.drawArrays(gl.LINES, 0, end / FLOATS);
    gl.bindVertexArray(null);
  }
}

function read(velocity: Velocity, x: number, y: number, into: { x: number; y: number }): boolean {
  into.x = valueAt(velocity.x, x, y);
  into.y = valueAt(velocity.y, x, y);
  return !Number.isNaN(into.x) && !Number.isNaN(into.y);
}
