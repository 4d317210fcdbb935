/** Pictures and films of what the canvas shows. */

import { colorTable, type Theme } from "../colors/maps";
import { QUANTITIES } from "../colors/quantities";
import { short, ticks } from "../colors/scale";
import { BODY, INK } from "../colors/tokens";
import { shownBodies } from "../state/bodies";
import * as run from "../state/run";
import { theme } from "../state/theme";
import * as view from "../state/view";
import { type Camera, toScreen } from "./camera";
import { saveFilm, savePng } from "./keep";

/** Set by the stage: the canvas of the flow, and how to paint it now. */
export const canvasOf: { flow: HTMLCanvasElement | null; painter: (() => void) | null } = { flow: null, painter: null };

const PAPER: Record<Theme, string> = { dark: "#070b0f", light: "#ffffff" };
const FOOT = 64; // CSS pixels for legend and caption
const LEGEND = 260; // CSS pixels long
const NARROW = 620; // CSS pixels, below which the caption has a line of its own
const AROUND = 26; // CSS pixels left around the domain
const LEAST = 420; // CSS pixels across
const NO_SLIP = 2.5; // CSS pixels, of a wall's line
const SLIP = 1;

/** The part of the stage that a picture shows [CSS pixels]. */
interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What is seen of the domain, and a little around it; in three dimensions the whole stage. */
function frameOf(camera: Camera): Frame {
  const { width, height } = camera;
  if (run.isSolid.value) return { x: 0, y: 0, width, height };
  const { lower, upper } = view.extent.value;
  const [left, bottom] = toScreen(camera, lower);
  const [right, top] = toScreen(camera, upper);
  const wish = [Math.max(0, left - AROUND), Math.min(width, right + AROUND)] as const;
  const lack = Math.max(0, Math.min(width, LEAST) - (wish[1] - wish[0]));
  const x = Math.min(Math.max(0, wish[0] - lack / 2), Math.max(0, width - LEAST));
  const y = Math.max(0, top - AROUND);
  return { x, y, width: Math.max(2, wish[1] - wish[0] + lack), height: Math.max(2, Math.min(height, bottom + AROUND) - y) };
}

/** Paints the flow as it is now. */
function repaint(): void {
  view.redraw.value++;
  canvasOf.painter?.();
}

/** Draws flow, exact bodies (in three dimensions they are painted with it), walls, legend and caption into a canvas of its own. */
function compose(target: HTMLCanvasElement, ratio: number, frame: Frame): void {
  const { flow } = canvasOf;
  if (!flow) return;
  const camera = view.camera.value;
  const foot = frame.width < NARROW ? FOOT + 22 : FOOT;
  const size = [frame.width * ratio, (frame.height + foot) * ratio].map((length) => 2 * Math.round(length / 2)); // films want even ones
  const [width = 2, height = 2] = size;
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
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.save();
  pen.beginPath();
  pen.rect(0, 0, frame.width, frame.height);
  pen.clip();
  pen.translate(-frame.x, -frame.y);
  pen.drawImage(flow, 0, 0, camera.width, camera.height);
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
  if (!run.isSolid.value) sides(pen, camera, mode);
  pen.restore();
  legend(pen, frame.height + 18, mode);
  const words = `${run.hello.value?.title ?? ""}   t = ${view.shownTime.value.toFixed(3)} s`;
  pen.fillStyle = INK[mode];
  pen.font = "600 13px Inter, sans-serif";
  pen.textAlign = frame.width < NARROW ? "left" : "right";
  pen.fillText(words, frame.width < NARROW ? 16 : frame.width - 16, frame.height + foot - 32 + (frame.width < NARROW ? 20 : 0));
}

/** The sides of the domain, as the pictures of the command line have them: walls thick, slip walls thin, others dotted. */
function sides(pen: CanvasRenderingContext2D, camera: Camera, mode: Theme): void {
  const { lower, upper } = view.extent.value;
  const [left, bottom] = toScreen(camera, lower);
  const [right, top] = toScreen(camera, upper);
  const lines: Record<string, [number, number, number, number]> = {
    left: [left, bottom, left, top],
    right: [right, bottom, right, top],
    bottom: [left, bottom, right, bottom],
    top: [left, top, right, top],
  };
  pen.strokeStyle = INK[mode];
  for (const { name, type, slip } of run.hello.value?.sides ?? []) {
    const line = lines[name];
    if (!line || type === "open") continue;
    pen.lineWidth = type === "wall" && !slip ? NO_SLIP : SLIP;
    pen.setLineDash(type === "wall" ? [] : [1.5, 3]);
    pen.beginPath();
    pen.moveTo(line[0], line[1]);
    pen.lineTo(line[2], line[3]);
    pen.stroke();
  }
  pen.setLineDash([]);
}

function legend(pen: CanvasRenderingContext2D, top: number, mode: Theme): void {
  const quantity = QUANTITIES[view.quantity.value];
  const scale = view.shownScale.value;
  const table = colorTable(quantity.map);
  const left = 16;
  for (let k = 0; k < LEGEND; k++) {
    const n = 3 * Math.min(255, Math.floor((256 * k) / LEGEND));
    pen.fillStyle = `rgb(${table[n]} ${table[n + 1]} ${table[n + 2]})`;
    pen.fillRect(left + k, top, 1.5, 10);
  }
  pen.fillStyle = INK[mode];
  pen.font = "11px Inter, sans-serif";
  pen.textAlign = "center";
  for (const value of ticks(scale, 4)) {
    pen.fillText(short(value), left + (LEGEND * (value - scale.low)) / (scale.high - scale.low), top + 24);
  }
  pen.textAlign = "left";
  pen.fillText(`${quantity.label} [${quantity.unit}]`, left + LEGEND + 14, top + 10);
}

export async function savePicture(): Promise<void> {
  const canvas = document.createElement("canvas");
  repaint();
  compose(canvas, 2, frameOf(view.camera.value));
  await savePng(canvas, `${fileName()}-t${view.shownTime.value.toFixed(3)}.png`);
}

function fileName(): string {
  return (run.hello.value?.title || "eddyline").toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

const FILM_RATE = 30;
const FILM_RATIO = 1.5; // pixels of a film for a CSS pixel
/** MP4 first: it can be wound to any place, opened here again, and sent to anybody. */
const KINDS = ["video/mp4;codecs=avc1.640028", "video/mp4;codecs=avc1.42E01E", "video/webm;codecs=vp9", "video/webm"];

/** Records what the canvas shows until the returned function is called, which saves it. Of a run that has been, time
 * waits for frames that have not come yet: the film then stands still as the canvas does. */
export function record(): (() => void) | null {
  const kind = KINDS.find((type) => MediaRecorder.isTypeSupported(type));
  if (!kind) return null;
  const canvas = document.createElement("canvas");
  const frame = frameOf(view.camera.value);
  repaint();
  compose(canvas, FILM_RATIO, frame);
  const recorder = new MediaRecorder(canvas.captureStream(FILM_RATE), { mimeType: kind, videoBitsPerSecond: 12e6 });
  const parts: Blob[] = [];
  const began = performance.now();
  recorder.ondataavailable = (event) => parts.push(event.data);
  recorder.onstop = () => void saveFilm(new Blob(parts, { type: kind }), (performance.now() - began) / 1000, fileName());
  view.filming.value = true;
  const timer = setInterval(() => {
    repaint();
    compose(canvas, FILM_RATIO, frame);
  }, 1000 / FILM_RATE);
  recorder.start(1000);
  return () => {
    clearInterval(timer);
    view.filming.value = false;
    recorder.stop();
  };
}
