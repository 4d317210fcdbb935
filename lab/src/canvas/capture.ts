/** Pictures and films of what the canvas shows. */

import { colorTable, type Theme } from "../colors/maps";
import { QUANTITIES } from "../colors/quantities";
import { short, ticks } from "../colors/scale";
import { shownBodies } from "../state/bodies";
import { time } from "../state/playback";
import * as run from "../state/run";
import { theme } from "../state/theme";
import * as view from "../state/view";
import { toScreen } from "./camera";
import { save, savePng } from "./keep";

/** Set by the stage: the canvas of the flow, and how to paint it now. */
export const canvasOf: { flow: HTMLCanvasElement | null; painter: (() => void) | null } = { flow: null, painter: null };

const PAPER: Record<Theme, string> = { dark: "#070b0f", light: "#ffffff" };
const INK: Record<Theme, string> = { dark: "#e8eff4", light: "#13202a" };
const BODY: Record<Theme, string> = { dark: "#8b99a5", light: "#71808c" };
const FOOT = 64; // CSS pixels for legend and caption

/** Draws flow, exact bodies, legend and caption into a canvas of its own. */
export function compose(target: HTMLCanvasElement, ratio: number): void {
  const { flow } = canvasOf;
  if (!flow) return;
  view.redraw.value++;
  canvasOf.painter?.();
  const camera = view.camera.value;
  const [width, height] = [Math.round(camera.width * ratio), Math.round((camera.height + FOOT) * ratio)];
  if (target.width !== width || target.height !== height) {
    target.width = width;
    target.height = height;
  }
  const pen = target.getContext("2d");
  if (!pen) return;
  const mode = theme.value;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = PAPER[mode];
  pen.fillRect(0, 0, width, height);
  pen.drawImage(flow, 0, 0, width, Math.round(camera.height * ratio));
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = BODY[mode];
  for (const body of shownBodies.value) {
    for (const { points } of body.outlines) {
      pen.beginPath();
      for (let k = 0; k + 1 < points.length; k += 2) {
        const [x, y] = toScreen(camera, [points[k] as number, points[k + 1] as number]);
        if (k === 0) pen.moveTo(x, y);
        else pen.lineTo(x, y);
      }
      pen.fill();
    }
  }
  legend(pen, camera.height + 18, mode);
  const words = `${run.hello.value?.title ?? ""}   t = ${time.value.toFixed(3)} s`;
  pen.fillStyle = INK[mode];
  pen.font = "600 13px Inter, sans-serif";
  pen.textAlign = "right";
  pen.fillText(words, camera.width - 16, camera.height + 32);
}

function legend(pen: CanvasRenderingContext2D, top: number, mode: Theme): void {
  const quantity = QUANTITIES[view.quantity.value];
  const scale = view.shownScale.value;
  const table = colorTable(quantity.map);
  const [left, length] = [16, 260];
  for (let k = 0; k < length; k++) {
    const n = 3 * Math.min(255, Math.floor((256 * k) / length));
    pen.fillStyle = `rgb(${table[n]} ${table[n + 1]} ${table[n + 2]})`;
    pen.fillRect(left + k, top, 1.5, 10);
  }
  pen.fillStyle = INK[mode];
  pen.font = "11px Inter, sans-serif";
  pen.textAlign = "center";
  for (const value of ticks(scale, 4)) {
    pen.fillText(short(value), left + (length * (value - scale.low)) / (scale.high - scale.low), top + 24);
  }
  pen.textAlign = "left";
  pen.fillText(`${quantity.label} [${quantity.unit}]`, left + length + 14, top + 10);
}

export async function savePicture(): Promise<void> {
  const canvas = document.createElement("canvas");
  compose(canvas, 2);
  await savePng(canvas, `${fileName()}-t${time.value.toFixed(3)}.png`);
}

function fileName(): string {
  return (run.hello.value?.title || "eddyline").toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

const FILM_RATE = 30;

/** Records what the canvas shows until the returned function is called, which saves it. */
export function record(): (() => void) | null {
  const kind = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find((type) => MediaRecorder.isTypeSupported(type));
  if (!kind) return null;
  const canvas = document.createElement("canvas");
  compose(canvas, 1);
  const recorder = new MediaRecorder(canvas.captureStream(FILM_RATE), { mimeType: kind, videoBitsPerSecond: 12e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  recorder.onstop = () => save(new Blob(parts, { type: kind }), `${fileName()}.${kind.includes("mp4") ? "mp4" : "webm"}`);
  const timer = setInterval(() => compose(canvas, 1), 1000 / FILM_RATE);
  recorder.start(1000);
  return () => {
    clearInterval(timer);
    recorder.stop();
  };
}

