/** Saves pictures and videos of the canvas. */

import { colorTable, type Theme } from "../colors/maps";
import { quantityOf } from "../colors/quantities";
import { formatNumber, roundTicks } from "../colors/scale";
import { BODY, INK } from "../colors/tokens";
import { shownBodies } from "../state/bodies";
import { timeText } from "../state/playback";
import * as run from "../state/run";
import { theme } from "../state/theme";
import * as view from "../state/view";
import { type Camera, toScreen } from "./camera";
import { saveVideo, savePng } from "./save";

/** The canvas of the flow and a function that redraws it; set by the stage. */
export const flowCanvas: { canvas: HTMLCanvasElement | null; redraw: (() => void) | null } = { canvas: null, redraw: null };

const BACKGROUND: Record<Theme, string> = { dark: "#070b0f", light: "#ffffff" };
const CAPTION_HEIGHT = 64; // CSS pixels, legend and caption
const LEGEND_LENGTH = 260; // CSS pixels
const NARROW_WIDTH = 620; // CSS pixels; a narrower picture has its caption on a separate line
const MARGIN = 26; // CSS pixels around the domain
const MIN_WIDTH = 420; // CSS pixels
const NO_SLIP_LINE = 2.5; // CSS pixels, line width of a wall
const SLIP_LINE = 1;

/** The captured part of the stage [CSS pixels]. */
interface CaptureArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The visible part of the domain with a margin; in 3D the whole stage. */
function captureArea(camera: Camera): CaptureArea {
  const { width, height } = camera;
  if (run.is3d.value) return { x: 0, y: 0, width, height };
  const { lower, upper } = view.extent.value;
  const [left, bottom] = toScreen(camera, lower);
  const [right, top] = toScreen(camera, upper);
  const wanted = [Math.max(0, left - MARGIN), Math.min(width, right + MARGIN)] as const;
  const missing = Math.max(0, Math.min(width, MIN_WIDTH) - (wanted[1] - wanted[0]));
  const x = Math.min(Math.max(0, wanted[0] - missing / 2), Math.max(0, width - MIN_WIDTH));
  const y = Math.max(0, top - MARGIN);
  return { x, y, width: Math.max(2, wanted[1] - wanted[0] + missing), height: Math.max(2, Math.min(height, bottom + MARGIN) - y) };
}

/** Redraws the flow at once. */
function repaint(): void {
  view.redraw.value++;
  flowCanvas.redraw?.();
}

/** Draws the flow, bodies, walls, legend and caption into `target`. In 3D the canvas of the flow already contains the bodies. */
function composePicture(target: HTMLCanvasElement, ratio: number, area: CaptureArea): void {
  const { canvas } = flowCanvas;
  if (!canvas) return;
  const camera = view.camera.value;
  const captionHeight = area.width < NARROW_WIDTH ? CAPTION_HEIGHT + 22 : CAPTION_HEIGHT;
  const size = [area.width * ratio, (area.height + captionHeight) * ratio].map((length) => 2 * Math.round(length / 2)); // video encoders need even sizes
  const [width = 2, height = 2] = size;
  if (target.width !== width || target.height !== height) {
    target.width = width;
    target.height = height;
  }
  const context = target.getContext("2d");
  if (!context) return;
  const mode = theme.value;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = BACKGROUND[mode];
  context.fillRect(0, 0, width, height);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.save();
  context.beginPath();
  context.rect(0, 0, area.width, area.height);
  context.clip();
  context.translate(-area.x, -area.y);
  context.drawImage(canvas, 0, 0, camera.width, camera.height);
  context.fillStyle = BODY[mode];
  for (const body of shownBodies.value) {
    for (const { points } of body.outlines) {
      context.beginPath();
      for (let k = 0; k + 1 < points.length; k += 2) {
        const [x, y] = toScreen(camera, [points[k] as number, points[k + 1] as number]);
        if (k === 0) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
      context.fill();
    }
  }
  if (!run.is3d.value) drawSides(context, camera, mode);
  context.restore();
  drawLegend(context, area.height + 18, mode);
  const caption = `${run.hello.value?.title ?? ""}   t = ${timeText(view.shownTime.value)}`;
  context.fillStyle = INK[mode];
  context.font = "600 13px Inter, sans-serif";
  context.textAlign = area.width < NARROW_WIDTH ? "left" : "right";
  context.fillText(caption, area.width < NARROW_WIDTH ? 16 : area.width - 16, area.height + captionHeight - 32 + (area.width < NARROW_WIDTH ? 20 : 0));
}

/** Draws the sides of the domain as in pictures of the command line: walls thick, slip walls thin, others dotted. */
function drawSides(context: CanvasRenderingContext2D, camera: Camera, mode: Theme): void {
  const { lower, upper } = view.extent.value;
  const [left, bottom] = toScreen(camera, lower);
  const [right, top] = toScreen(camera, upper);
  const lines: Record<string, [number, number, number, number]> = {
    left: [left, bottom, left, top],
    right: [right, bottom, right, top],
    bottom: [left, bottom, right, bottom],
    top: [left, top, right, top],
  };
  context.strokeStyle = INK[mode];
  for (const { name, type, slip } of run.hello.value?.sides ?? []) {
    const line = lines[name];
    if (!line || type === "open") continue;
    context.lineWidth = type === "wall" && !slip ? NO_SLIP_LINE : SLIP_LINE;
    context.setLineDash(type === "wall" ? [] : [1.5, 3]);
    context.beginPath();
    context.moveTo(line[0], line[1]);
    context.lineTo(line[2], line[3]);
    context.stroke();
  }
  context.setLineDash([]);
}

function drawLegend(context: CanvasRenderingContext2D, top: number, mode: Theme): void {
  const quantity = quantityOf(view.quantity.value);
  const scale = view.shownScale.value;
  const table = colorTable(quantity.map);
  const left = 16;
  for (let k = 0; k < LEGEND_LENGTH; k++) {
    const n = 3 * Math.min(255, Math.floor((256 * k) / LEGEND_LENGTH));
    context.fillStyle = `rgb(${table[n]} ${table[n + 1]} ${table[n + 2]})`;
    context.fillRect(left + k, top, 1.5, 10);
  }
  context.fillStyle = INK[mode];
  context.font = "11px Inter, sans-serif";
  context.textAlign = "center";
  for (const value of roundTicks(scale, 4)) {
    context.fillText(formatNumber(value), left + (LEGEND_LENGTH * (value - scale.low)) / (scale.high - scale.low), top + 24);
  }
  context.textAlign = "left";
  context.fillText(`${quantity.label} [${quantity.unit}]`, left + LEGEND_LENGTH + 14, top + 10);
}

export async function savePicture(): Promise<void> {
  const canvas = document.createElement("canvas");
  repaint();
  composePicture(canvas, 2, captureArea(view.camera.value));
  await savePng(canvas, `${fileName()}-t${view.shownTime.value.toFixed(3)}.png`);
}

function fileName(): string {
  return (run.hello.value?.title || "eddyline").toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

const VIDEO_FRAME_RATE = 30;
const VIDEO_PIXEL_RATIO = 1.5; // video pixels per CSS pixel
/** Preferred video formats. MP4 comes first: it is seekable, widely supported, and can be opened in the lab again. */
const VIDEO_TYPES = ["video/mp4;codecs=avc1.640028", "video/mp4;codecs=avc1.42E01E", "video/webm;codecs=vp9", "video/webm"];

/** Records the canvas until the returned function is called, which saves the video; null if the browser cannot record.
 * Playback of a finished run waits for frames that are still loading; the video then shows a still picture as well. */
export function startRecording(): (() => void) | null {
  const type = VIDEO_TYPES.find((type) => MediaRecorder.isTypeSupported(type));
  if (!type) return null;
  const canvas = document.createElement("canvas");
  const area = captureArea(view.camera.value);
  repaint();
  composePicture(canvas, VIDEO_PIXEL_RATIO, area);
  const recorder = new MediaRecorder(canvas.captureStream(VIDEO_FRAME_RATE), { mimeType: type, videoBitsPerSecond: 12e6 });
  const parts: Blob[] = [];
  const startedAt = performance.now();
  recorder.ondataavailable = (event) => parts.push(event.data);
  recorder.onstop = () => void saveVideo(new Blob(parts, { type: type }), (performance.now() - startedAt) / 1000, fileName());
  view.isRecording.value = true;
  const timer = setInterval(() => {
    repaint();
    composePicture(canvas, VIDEO_PIXEL_RATIO, area);
  }, 1000 / VIDEO_FRAME_RATE);
  recorder.start(1000);
  return () => {
    clearInterval(timer);
    view.isRecording.value = false;
    recorder.stop();
  };
}
