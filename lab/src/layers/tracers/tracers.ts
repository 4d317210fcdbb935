/** Tracers: weightless points that go with the flow, each with the way it has come. */

import type { Camera } from "../../canvas/camera";
import { INK_FLOATS, InkProgram } from "../ink";
import { readVelocity, type Velocity } from "../velocity";

const TRAIL = 14;
const LIFE = 4; // seconds on the screen, at most
const RATE = 45; // steps for a second on the screen, each a piece of the trail
const MOST_STEPS = 6; // at a time: a slow browser gets shorter ways, not longer waits

export class TracerLayer {
  private readonly ink: InkProgram;
  /** (count x TRAIL x 2) float32: places [m], newest first. */
  private readonly places: Float32Array;
  /** (count) float32: seconds on the screen since birth. */
  private readonly ages: Float32Array;
  /** (count x (TRAIL - 1) x 2 x 3) float32: line pieces. */
  private readonly vertices: Float32Array;
  private due = 0;
  private flow = 0;

  constructor(
    gl: WebGL2RenderingContext,
    private readonly count = 900,
  ) {
    this.ink = new InkProgram(gl);
    this.places = new Float32Array(count * TRAIL * 2);
    this.ages = new Float32Array(count).fill(LIFE + 1);
    this.vertices = new Float32Array(count * (TRAIL - 1) * 2 * INK_FLOATS);
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
      if (age <= LIFE && readVelocity(velocity, x, y, speeds)) {
        const [halfX, halfY] = [x + 0.5 * flow * speeds.x, y + 0.5 * flow * speeds.y];
        if (readVelocity(velocity, halfX, halfY, speeds)) {
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
    const { vertices, places } = this;
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
    this.ink.draw(camera, ink, vertices, end / INK_FLOATS, "lines");
  }
}
