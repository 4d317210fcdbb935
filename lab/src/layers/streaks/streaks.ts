/** Streaklines: dye that leaves fixed places and goes with the flow, as in a water channel. */

import type { Camera } from "../../canvas/camera";
import { INK_FLOATS, InkProgram } from "../ink";
import { readVelocity, type Velocity } from "../velocity";

const MOST = 420; // points of a line
const PITCH = 1 / 160; // of the domain's width: distance of points, so that a line stays smooth where it is stretched
const TORN = 12; // pitches between two points that are no line any more
const WIDTH = 1.7; // CSS pixels
const FADES = 0.35; // share of a line, at its old end, over which it fades
const MOST_STEPS = 8; // of a picture

/** Points of a line [m], x and y in turn, the newest first. */
export type Line = number[];

/** Moves the points of a line by `flow` seconds; those that leave the fluid end it there. */
export function carried(line: Line, velocity: Velocity, flow: number, pitch: number): Line {
  const next: Line = [];
  const speed = { x: 0, y: 0 };
  for (let k = 0; k < line.length; k += 2) {
    const [x, y] = [line[k] as number, line[k + 1] as number];
    if (!readVelocity(velocity, x, y, speed)) continue;
    if (!readVelocity(velocity, x + 0.5 * flow * speed.x, y + 0.5 * flow * speed.y, speed)) continue;
    const [toX, toY] = [x + flow * speed.x, y + flow * speed.y];
    const n = next.length;
    if (n > 0) {
      const [lastX, lastY] = [next[n - 2] as number, next[n - 1] as number];
      const away = Math.hypot(toX - lastX, toY - lastY);
      if (away > 1.6 * pitch && away < TORN * pitch) next.push((toX + lastX) / 2, (toY + lastY) / 2);
    }
    next.push(toX, toY);
  }
  return next.slice(0, 2 * MOST);
}

export class StreakLayer {
  private readonly ink: InkProgram;
  private lines: Line[] = [];
  private sources: readonly (readonly [number, number])[] = [];
  private pitch = 0;
  private vertices = new Float32Array(0);

  constructor(gl: WebGL2RenderingContext) {
    this.ink = new InkProgram(gl);
  }

  /** `flow` seconds go by; back in time there is no dye. */
  move(velocity: Velocity, flow: number, sources: readonly (readonly [number, number])[]): void {
    if (flow < 0 || sources !== this.sources) {
      this.clear();
      this.sources = sources;
    }
    if (flow <= 0) return;
    const { lower, upper } = velocity.x;
    this.pitch = PITCH * (upper[0] - lower[0]);
    const speed = { x: 0, y: 0 };
    let fastest = 0;
    for (const [x, y] of sources) if (readVelocity(velocity, x, y, speed)) fastest = Math.max(fastest, Math.hypot(speed.x, speed.y));
    const steps = Math.min(MOST_STEPS, Math.max(1, Math.ceil((fastest * flow) / this.pitch)));
    for (let k = 0; k < steps; k++) this.step(velocity, flow / steps);
  }

  private step(velocity: Velocity, flow: number): void {
    this.lines = this.sources.map(([x, y], k) => {
      const line = carried(this.lines[k] ?? [], velocity, flow, this.pitch);
      const away = line.length > 0 ? Math.hypot((line[0] as number) - x, (line[1] as number) - y) : this.pitch;
      if (away >= this.pitch) line.unshift(x, y);
      return line;
    });
  }

  clear(): void {
    this.lines = [];
  }

  draw(camera: Camera, ink: readonly [number, number, number, number]): void {
    const points = this.lines.reduce((sum, line) => sum + line.length / 2, 0);
    if (this.vertices.length < points * 6 * INK_FLOATS) this.vertices = new Float32Array(2 * points * 6 * INK_FLOATS);
    const half = (0.5 * WIDTH) / camera.scale;
    let end = 0;
    for (const line of this.lines) end = this.ribbon(line, half, end);
    this.ink.draw(camera, ink, this.vertices, end / INK_FLOATS, "triangles");
  }

  /** Two triangles for each piece of a line; gives the number of values written so far. */
  private ribbon(line: Line, half: number, start: number): number {
    const { vertices } = this;
    let end = start;
    for (let k = 0; k + 3 < line.length; k += 2) {
      const [x0, y0, x1, y1] = line.slice(k, k + 4) as [number, number, number, number];
      const length = Math.hypot(x1 - x0, y1 - y0);
      if (length === 0 || length > TORN * this.pitch) continue;
      const [nx, ny] = [(-(y1 - y0) * half) / length, ((x1 - x0) * half) / length];
      const fade = (at: number): number => Math.min(1, (1 - at / (2 * MOST)) / FADES);
      const [s0, s1] = [fade(k), fade(k + 2)];
      const corners = [
        [x0 + nx, y0 + ny, s0], [x0 - nx, y0 - ny, s0], [x1 + nx, y1 + ny, s1],
        [x1 + nx, y1 + ny, s1], [x0 - nx, y0 - ny, s0], [x1 - nx, y1 - ny, s1],
      ] as const;
      for (const corner of corners) {
        vertices.set(corner, end);
        end += INK_FLOATS;
      }
    }
    return end;
  }
}
