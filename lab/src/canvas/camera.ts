/** The 2D camera. World coordinates: metres, y up. Screen coordinates: CSS pixels, y down. */

export type Point = readonly [x: number, y: number];

export interface Box {
  readonly lower: Point;
  readonly upper: Point;
}

export interface Camera {
  /** World point at the centre of the canvas [m]. */
  readonly center: Point;
  /** CSS pixels per metre. */
  readonly scale: number;
  /** Size of the canvas [CSS pixels]. */
  readonly width: number;
  readonly height: number;
}

export function toScreen(camera: Camera, [x, y]: Point): Point {
  return [
    camera.width / 2 + (x - camera.center[0]) * camera.scale,
    camera.height / 2 - (y - camera.center[1]) * camera.scale,
  ];
}

export function toWorld(camera: Camera, [x, y]: Point): Point {
  return [
    camera.center[0] + (x - camera.width / 2) / camera.scale,
    camera.center[1] - (y - camera.height / 2) / camera.scale,
  ];
}

/** Margins [CSS pixels]. */
export interface Insets {
  readonly side: number;
  readonly top: number;
  readonly bottom: number;
}

/** Shows the whole box, centred inside the margins; a number is the margin on all sides. */
export function fit(box: Box, width: number, height: number, margin: number | Insets): Camera {
  const { side, top, bottom } = typeof margin === "number" ? { side: margin, top: margin, bottom: margin } : margin;
  const boxWidth = box.upper[0] - box.lower[0];
  const boxHeight = box.upper[1] - box.lower[1];
  const wanted = Math.min((width - 2 * side) / boxWidth, (height - top - bottom) / boxHeight);
  const scale = wanted > 0 && Number.isFinite(wanted) ? wanted : 1;
  return {
    center: [(box.lower[0] + box.upper[0]) / 2, (box.lower[1] + box.upper[1]) / 2 + (top - bottom) / 2 / scale],
    scale,
    width,
    height,
  };
}

/** Fills the canvas with the box, aligned at its left side; the rest is cropped. */
export function fill(box: Box, width: number, height: number): Camera {
  const whole = fit(box, width, height, 0);
  const scale = Math.max(width / (box.upper[0] - box.lower[0]), height / (box.upper[1] - box.lower[1]));
  return { ...whole, scale, center: [box.lower[0] + width / scale / 2, whole.center[1]] };
}

/** Zooms by `factor` about the screen point `at`. */
export function zoomAt(camera: Camera, at: Point, factor: number, box: Box): Camera {
  const minScale = 0.25 * fit(box, camera.width, camera.height, 0).scale;
  const scale = Math.min(400 * minScale, Math.max(minScale, camera.scale * factor));
  const [x, y] = toWorld(camera, at);
  return {
    ...camera,
    scale,
    center: [x - (at[0] - camera.width / 2) / scale, y + (at[1] - camera.height / 2) / scale],
  };
}

/** Pans by (dx, dy) CSS pixels. */
export function pan(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, center: [camera.center[0] - dx / camera.scale, camera.center[1] + dy / camera.scale] };
}

/** An SVG path [CSS pixels] through points [m]. */
export function pathOf(camera: Camera, points: readonly (readonly number[])[], close = true): string {
  const steps = points.map(([x, y], k) => {
    const at = toScreen(camera, [x ?? 0, y ?? 0]);
    return `${k === 0 ? "M" : "L"}${at[0].toFixed(2)} ${at[1].toFixed(2)}`;
  });
  return steps.join("") + (close ? "Z" : "");
}
