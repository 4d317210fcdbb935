/** Tracers: massless points carried by the flow, drawn with a trail. */

import type { Camera } from "../../canvas/camera";
import { VERTEX_FLOATS, FlatColorProgram } from "../flat";
import { sampleVelocity, type VelocityField } from "../velocity";

const TRAIL_POINTS = 14;
const LIFETIME = 4; // seconds on the screen
const STEPS_PER_SECOND = 45; // steps per second on the screen; each adds a segment to the trail
const MAX_STEPS = 6; // steps per picture, so that a slow browser gets shorter trails instead of longer pictures

export class TracerLayer {
  private readonly program: FlatColorProgram;
  /** Positions (count x TRAIL_POINTS x 2) float32 [m], newest first. */
  private readonly positions: Float32Array;
  /** Ages (count) float32: seconds on the screen. */
  private readonly ages: Float32Array;
  /** Line segments (count x (TRAIL_POINTS - 1) x 2 x 3) float32. */
  private readonly vertices: Float32Array;
  private pendingSteps = 0;
  private pendingTime = 0;

  constructor(
    gl: WebGL2RenderingContext,
    private readonly count = 900,
  ) {
    this.program = new FlatColorProgram(gl);
    this.positions = new Float32Array(count * TRAIL_POINTS * 2);
    this.ages = new Float32Array(count).fill(LIFETIME + 1);
    this.vertices = new Float32Array(count * (TRAIL_POINTS - 1) * 2 * VERTEX_FLOATS);
  }

  /** Advances all tracers. flow: seconds of the flow; screen: seconds on the screen. */
  move(velocity: VelocityField, flow: number, screen: number): void {
    this.pendingSteps = Math.min(MAX_STEPS, this.pendingSteps + screen * STEPS_PER_SECOND);
    const steps = Math.floor(this.pendingSteps);
    this.pendingSteps -= steps;
    this.pendingTime += flow;
    if (steps === 0) return;
    for (let k = 0; k < steps; k++) this.step(velocity, this.pendingTime / steps, 1 / STEPS_PER_SECOND);
    this.pendingTime = 0;
  }

  private step(velocity: VelocityField, flow: number, screen: number): void {
    const { lower, upper } = velocity.x;
    const speeds = { x: 0, y: 0 };
    for (let k = 0; k < this.count; k++) {
      const at = k * TRAIL_POINTS * 2;
      let x = this.positions[at] as number;
      let y = this.positions[at + 1] as number;
      const age = (this.ages[k] as number) + screen;
      this.ages[k] = age;
      if (age <= LIFETIME && sampleVelocity(velocity, x, y, speeds)) {
        const [halfX, halfY] = [x + 0.5 * flow * speeds.x, y + 0.5 * flow * speeds.y];
        if (sampleVelocity(velocity, halfX, halfY, speeds)) {
          x += flow * speeds.x;
          y += flow * speeds.y;
          this.positions.copyWithin(at + 2, at, at + 2 * (TRAIL_POINTS - 1));
          this.positions[at] = x;
          this.positions[at + 1] = y;
          continue;
        }
      }
      x = lower[0] + Math.random() * (upper[0] - lower[0]);
      y = lower[1] + Math.random() * (upper[1] - lower[1]);
      for (let n = 0; n < TRAIL_POINTS; n++) {
        this.positions[at + 2 * n] = x;
        this.positions[at + 2 * n + 1] = y;
      }
      this.ages[k] = age > LIFETIME + 0.5 ? Math.random() * LIFETIME : 0;
    }
  }

  /** Restarts all tracers, for another run or after a jump in time. */
  reset(): void {
    this.ages.fill(LIFETIME + 1);
  }

  draw(camera: Camera, color: readonly [number, number, number, number]): void {
    const { vertices, positions } = this;
    let end = 0;
    for (let k = 0; k < this.count; k++) {
      const fade = Math.min(1, (this.ages[k] as number) / 0.4, (LIFETIME - (this.ages[k] as number)) / 0.4);
      const at = k * TRAIL_POINTS * 2;
      for (let n = 0; n < TRAIL_POINTS - 1; n++) {
        for (const m of [n, n + 1]) {
          vertices[end++] = positions[at + 2 * m] as number;
          vertices[end++] = positions[at + 2 * m + 1] as number;
          vertices[end++] = Math.max(0, fade) * (1 - m / (TRAIL_POINTS - 1)) ** 1.5;
        }
      }
    }
    this.program.draw(camera, color, vertices, end / VERTEX_FLOATS, "lines");
  }
}
