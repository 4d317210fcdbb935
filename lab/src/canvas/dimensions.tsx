/** Dimensions of the dragged or selected object, in metres and in reference lengths. */

import { formatNumber } from "../colors/scale";
import { ghost, sketchAt, isSteering, tool } from "../draw/drawing";
import { centerOf, outlineOf, type Sketch, sketchOf } from "../draw/shapes";
import { showsPresent } from "../state/bodies";
import * as run from "../state/run";
import * as view from "../state/view";
import * as world from "../state/world";
import { type Camera, toScreen } from "./camera";

export function Dimensions({ camera }: { camera: Camera }) {
  const key = ghost.value?.path ?? world.selected.value;
  const sketch = ghost.value?.sketch ?? (key && tool.value === "select" ? sketchAt(key) : null);
  if (!sketch || run.kind.value === "example") return null;
  if (isSteering.value && !showsPresent.value) return null; // the displayed picture shows the body at another place
  const points = outlineOf(sketch).map((p) => toScreen(camera, p));
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const lines = labelLines(key, sketch);
  const below = bottom + 26 + 16 * lines.length < camera.height;
  const y = below ? bottom + 22 : top - 10 - 16 * (lines.length - 1);
  const x = Math.min(camera.width - 90, Math.max(90, (left + right) / 2));
  return (
    <g class="dimensions" aria-hidden="true">
      {ghost.value && <Distances sketch={sketch} camera={camera} />}
      {lines.map((line, k) => (
        <text key={k} x={x} y={y + 16 * k} text-anchor="middle" class={k < lines.length - 1 ? "size" : "place"}>
          {line}
        </text>
      ))}
    </g>
  );
}

/** A length in metres and in reference lengths, e.g. "0.1 m = 1 D". */
function length(value: number): string {
  const unit = world.check.value?.reference;
  return `${formatNumber(value, 4)} m${unit ? ` = ${formatNumber(value / unit.length)} ${unit.name}` : ""}`;
}

/** Dimensions as text. Of a body in a live run only the outline is known; its size is taken from the file if it is there. */
function labelLines(key: string | null, sketch: Sketch): string[] {
  if (!isSteering.value || !key?.startsWith("bodies.")) return dimensionsOf(sketch);
  const body = world.drawing.value?.bodies.find(({ name }) => key === `bodies.${name}`);
  const written = body && sketchOf(body);
  return [...(written ? dimensionsOf(written).slice(0, 1) : []), ...dimensionsOf(sketch).slice(1)];
}

function dimensionsOf(sketch: Sketch): string[] {
  const [x, y] = centerOf(sketch);
  const place = `at (${formatNumber(x, 4)}, ${formatNumber(y, 4)}) m`;
  switch (sketch.shape) {
    case "circle":
      return [`⌀ ${length(sketch.diameter)}`, place];
    case "rectangle":
      return [`${length(sketch.max[0] - sketch.min[0])}  ×  ${length(sketch.max[1] - sketch.min[1])}`, place];
    case "rotated":
      return [`${length(sketch.size[0])}  ×  ${length(sketch.size[1])}`, place];
    case "polygon":
      return [`${sketch.points.length} corners`, place];
    case "line":
      return [length(Math.hypot(sketch.to[0] - sketch.from[0], sketch.to[1] - sketch.from[1])), place];
  }
}

/** Distances to the bottom and the top of the domain. */
function Distances({ sketch, camera }: { sketch: Sketch; camera: Camera }) {
  const { lower, upper } = view.extent.value;
  const ys = outlineOf(sketch).map((p) => p[1]);
  const [x] = centerOf(sketch);
  const parts: [number, number][] = [
    [lower[1], Math.min(...ys)],
    [Math.max(...ys), upper[1]],
  ];
  return (
    <g>
      {parts.map(([from, to], k) => {
        const [px, a] = toScreen(camera, [x, from]);
        const [, b] = toScreen(camera, [x, to]);
        if (to <= from || a - b < 24) return null;
        return (
          <g key={k}>
            <line class="distance" x1={px} x2={px} y1={a} y2={b} />
            <text class="place" x={px + 66} y={(a + b) / 2 + 4}>{`${formatNumber(to - from, 3)} m`}</text>
          </g>
        );
      })}
    </g>
  );
}
