/** Streaklines: dye released at fixed points and carried by the flow, as in a water channel. */

import type { Camera } from "../../canvas/camera";
import { VERTEX_FLOATS, FlatColorProgram } from "../flat";
import { sampleVelocity, type VelocityField } from "../velocity";

const MAX_POINTS = 420; // points per line
const RELATIVE_SPACING = 1 / 160; // distance of points over the width of the domain; stretched lines get new points
const MAX_GAP = 12; // point spacings; a longer gap breaks the line
const WIDTH = 1.7; // CSS pixels
const FADE_LENGTH = 0.35; // share of a line, at its old end, over which it fades out
const MAX_STEPS = 8; // steps per picture

/** Points of a line [m]: x and y alternate, newest first. */
export type Line = number[];

/** Advects the points of a line by `seconds`; points that leave the fluid are removed. */
export function advected(line: Line, velocity: VelocityField, seconds: number, pointSpacing: number): Line {
  const next: Line = [];
  const speed = { x: 0, y: 0 };
  for (let k = 0; k < line.length; k += 2) {
    const [x, y] = [line[k] as number, line[k + 1] as number];
    if (!sampleVelocity(velocity, x, y, speed)) continue;
    if (!sampleVelocity(velocity, x + 0.5 * seconds * speed.x, y + 0.5 * seconds * speed.y, speed)) continue;
    const [toX, toY] = [x + seconds * speed.x, y + seconds * speed.y];
    const n = next.length;
    if (n > 0) {
      const [lastX, lastY] = [next[n - 2] as number, next[n - 1] as number];
      const distance = Math.hypot(toX - lastX, toY - lastY);
      if (distance > 1.6 * pointSpacing && distance < MAX_GAP * pointSpacing) next.push((toX + lastX) / 2, (toY + lastY) / 2);
    }
    next.push(toX, toY);
  }
  return next.slice(0, 2 * MAX_POINTS);
}

export class StreaklineLayer {
  private readonly program: FlatColorProgram;
  private lines: Line[] = [];
  private seeds: readonly (readonly [number, number])[] = [];
  private pointSpacing = 0;
  private vertices = new Float32Array(0);

  constructor(gl: WebGL2RenderingContext) {
    this.program = new FlatColorProgram(gl);
  }

  /** Advances by `seconds` of the flow; going back in time removes all dye. */
  move(velocity: VelocityField, seconds: number, seeds: readonly (readonly [number, number])[]): void {
    if (seconds < 0 || seeds !== this.seeds) {
      this.clear();
      this.seeds = seeds;
    }
    if (seconds <= 0) return;
    const { lower, upper } = velocity.x;
    this.pointSpacing = RELATIVE_SPACING * (upper[0] - lower[0]);
    const speed = { x: 0, y: 0 };
    let fastest = 0;
    for (const [x, y] of seeds) if (sampleVelocity(velocity, x, y, speed)) fastest = Math.max(fastest, Math.hypot(speed.x, speed.y));
    const steps = Math.min(MAX_STEPS, Math.max(1, Math.ceil((fastest * seconds) / this.pointSpacing)));
    for (let k = 0; k < steps; k++) this.step(velocity, seconds / steps);
  }

  private step(velocity: VelocityField, seconds: number): void {
    this.lines = this.seeds.map(([x, y], k) => {
      const line = advected(this.lines[k] ?? [], velocity, seconds, this.pointSpacing);
      const distance = line.length > 0 ? Math.hypot((line[0] as number) - x, (line[1] as number) - y) : this.pointSpacing;
      if (distance >= this.pointSpacing) line.unshift(x, y);
      return line;
    });
  }

  clear(): void {
    this.lines = [];
  }

  draw(camera: Camera, color: readonly [number, number, number, number]): void {
    const points = this.lines.reduce((sum, line) => sum + line.length / 2, 0);
    if (this.vertices.length < points * 6 * VERTEX_FLOATS) this.vertices = new Float32Array(2 * points * 6 * VERTEX_FLOATS);
    const half = (0.5 * WIDTH) / camera.scale;
    let end = 0;
    for (const line of this.lines) end = this.ribbon(line, half, end);
    this.program.draw(camera, color, this.vertices, end / VERTEX_FLOATS, "triangles");
  }

  /** Writes two triangles per line segment; returns the number of values written so far. */
  private ribbon(line: Line, half: number, start: number): number {
    const { vertices } = this;
    let end = start;
    for (let k = 0; k + 3 < line.length; k += 2) {
      const [x0, y0, x1, y1] = line.slice(k, k + 4) as [number, number, number, number];
      const length = Math.hypot(x1 - x0, y1 - y0);
      if (length === 0 || length > MAX_GAP * this.pointSpacing) continue;
      const [nx, ny] = [(-(y1 - y0) * half) / length, ((x1 - x0) * half) / length];
      const fade = (at: number): number => Math.min(1, (1 - at / (2 * MAX_POINTS)) / FADE_LENGTH);
      const [s0, s1] = [fade(k), fade(k + 2)];
      const corners = [
        [x0 + nx, y0 + ny, s0], [x0 - nx, y0 - ny, s0], [x1 + nx, y1 + ny, s1],
        [x1 + nx, y1 + ny, s1], [x0 - nx, y0 - ny, s0], [x1 - nx, y1 - ny, s1],
      ] as const;
      for (const corner of corners) {
        vertices.set(corner, end);
        end += VERTEX_FLOATS;
      }
    }
    return end;
  }
}
