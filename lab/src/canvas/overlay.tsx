/** The vector drawing on top of the flow: sides, bodies, gaps, observers, handles. */

import { numbersAt, type Gap, type Marker, type Side } from "../api/types";
import { corners, cursor, ghost, guides, isMovedInRun, isSteering, tool } from "../draw/drawing";
import { gridStep } from "../draw/snap";
import { handles, outlineOf, type Sketch, sketchOf } from "../draw/shapes";
import { isAsInFile } from "../state/bodies";
import * as run from "../state/run";
import { showsRun, isStale } from "../state/runs";
import * as view from "../state/view";
import * as world from "../state/world";
import { roundTicks } from "../colors/scale";
import { FileBody, RunBodies } from "./bodies";
import { type Camera, pathOf, type Point, toScreen } from "./camera";
import { Dimensions } from "./dimensions";
import { placeLabel, boundsOf, nearestPoint, type Rectangle } from "./labels";
import { LevelEdges } from "./level_edges";
import { boxEdges } from "./orbit";
import { FollowedParticle, Trails } from "./trails";
import { currentView } from "./view3d";

/** The edges of a 3D domain. */
function DomainBox3d({ camera }: { camera: Camera }) {
  const hello = run.hello.value;
  if (!hello) return null;
  const { width, height } = camera;
  const projection = currentView(camera);
  return (
    <svg class="overlay" width={width} height={height} aria-hidden="true">
      {boxEdges(projection, hello.lower, hello.upper, width, height).map(([a, b], k) => (
        <line key={k} class="edge" x1={a?.[0]} y1={a?.[1]} x2={b?.[0]} y2={b?.[1]} />
      ))}
    </svg>
  );
}

export function Overlay() {
  const camera = view.camera.value;
  if (run.is3d.value && !isStale.value) return <DomainBox3d camera={camera} />;
  const showsRunBodies = showsRun.value;
  const drawing = world.drawing.value;
  const ghostNow = ghost.value;
  const example = run.kind.value === "example";
  return (
    <svg class="overlay" width={camera.width} height={camera.height} role="group" aria-label="Drawing of the world">
      <Patterns />
      {!showsRunBodies && drawing && <WaterBackground camera={camera} />}
      {!example && <DomainSides camera={camera} sides={showsRunBodies ? runSides() : (drawing?.sides ?? [])} />}
      {!example && (drawing || showsRunBodies) && <Ruler camera={camera} />}
      {showsRunBodies && run.hasLevels.value && <LevelEdges camera={camera} />}
      {showsRunBodies && <RunBodies camera={camera} />}
      {drawing && !example && drawing.regions.length > 0 && !showsRunBodies &&
        drawing.regions.map((region) => <FileBody key={region.name} part="regions" shape={region} camera={camera} isTransparent={false} />)}
      {drawing && !example && !(showsRunBodies && run.isLive.value) &&
        drawing.bodies.filter(({ name }) => !showsRunBodies || isAsInFile(name)).map((body) => <FileBody key={body.name} part="bodies" shape={body} camera={camera} isTransparent={showsRunBodies} />)}
      {world.check.value && !example && !showsRunBodies && <Gaps camera={camera} gaps={world.check.value.gaps} />}
      {drawing && !example && drawing.observers.map((place, k) => <ObserverMark key={place.name} marker={place} row={labelRow(drawing.observers, k, camera)} camera={camera} />)}
      {showsRunBodies && !example && <Trails camera={camera} />}
      {ghostNow && <path class="ghost" d={pathOf(camera, outlineOf(ghostNow.sketch))} />}
      <PolygonCorners camera={camera} />
      <Handles camera={camera} />
      <Guides camera={camera} />
      <Dimensions camera={camera} />
      <FollowedParticle camera={camera} />
    </svg>
  );
}

function runSides(): readonly Side[] {
  return run.hello.value?.sides ?? [];
}

function Patterns() {
  return (
    <defs>
      <pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line x1="0" y1="0" x2="0" y2="7" class="hatch-line" />
      </pattern>
      <pattern id="narrow-gap" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect width="6" height="6" class="gap-background" />
        <line x1="0" y1="0" x2="0" y2="6" class="gap-line" />
      </pattern>
      <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
        <path d="M0 1L7 4L0 7" class="arrow-head" />
      </marker>
    </defs>
  );
}

function WaterBackground({ camera }: { camera: Camera }) {
  const drawing = world.drawing.value;
  if (!drawing) return null;
  const { lower, upper } = view.extent.value;
  const [x, y] = toScreen(camera, [lower[0], upper[1]]);
  const [right, bottom] = toScreen(camera, [upper[0], lower[1]]);
  const size = { x, y, width: right - x, height: bottom - y };
  const step = 5 * gridStep(camera.scale) * camera.scale;
  const [left, base] = toScreen(camera, [0, 0]);
  return (
    <g>
      <pattern id="dots" x={left - step / 2} y={base - step / 2} width={step} height={step} patternUnits="userSpaceOnUse">
        <circle class="dot" cx={step / 2} cy={step / 2} r="0.9" />
      </pattern>
      <rect {...size} class={drawing.regions.length > 0 ? "air" : "water"} />
      <rect {...size} fill="url(#dots)" />
    </g>
  );
}

const SMALLEST_LABEL = 25; // CSS pixels from the left edge to the end of a label

/** Rulers in metres along the bottom and the left side. */
function Ruler({ camera }: { camera: Camera }) {
  const { lower, upper } = view.extent.value;
  const most = (axis: 0 | 1): number => Math.max(2, Math.min(9, Math.round(((upper[axis] - lower[axis]) * camera.scale) / 90)));
  const across = roundTicks({ low: lower[0], high: upper[0] }, most(0));
  const up = roundTicks({ low: lower[1], high: upper[1] }, most(1));
  return (
    <g class="ruler" aria-hidden="true">
      {across.map((x, k) => {
        const [px, py] = toScreen(camera, [x, lower[1]]);
        return (
          <g key={x}>
            <line x1={px} x2={px} y1={py + WALL_DEPTH + 2} y2={py + WALL_DEPTH + 7} />
            <text x={px} y={py + WALL_DEPTH + 20} text-anchor="middle">{`${Number(x.toPrecision(4))}${k === across.length - 1 ? " m" : ""}`}</text>
          </g>
        );
      })}
      {up.map((y) => {
        const [px, py] = toScreen(camera, [lower[0], y]);
        return (
          <text key={y} x={Math.max(px - 26, SMALLEST_LABEL)} y={py + 4} text-anchor="end">
            {Number(y.toPrecision(4))}
          </text>
        );
      })}
    </g>
  );
}

const SIDE_GEOMETRY: Record<string, readonly [Point, Point, Point]> = {
  left: [[0, 0], [0, 1], [-1, 0]],
  right: [[1, 0], [1, 1], [1, 0]],
  bottom: [[0, 0], [1, 0], [0, -1]],
  top: [[0, 1], [1, 1], [0, 1]],
};
const WALL_DEPTH = 9;

function DomainSides({ camera, sides }: { camera: Camera; sides: readonly { name: string; type: string; slip: boolean }[] }) {
  const { lower, upper } = view.extent.value;
  const at = ([u, v]: Point): Point =>
    toScreen(camera, [lower[0] + u * (upper[0] - lower[0]), lower[1] + v * (upper[1] - lower[1])]);
  return (
    <g class="sides">
      {sides.map((side) => {
        const ends = SIDE_GEOMETRY[side.name];
        if (!ends) return null;
        const [a, b] = [at(ends[0]), at(ends[1])];
        return <SideLine key={side.name} side={side} a={a} b={b} out={[ends[2][0], -ends[2][1]]} />;
      })}
    </g>
  );
}

function SideLine({ side, a, b, out }: { side: { name: string; type: string; slip: boolean }; a: Point; b: Point; out: Point }) {
  const line = `M${a[0]} ${a[1]}L${b[0]} ${b[1]}`;
  const label = `${side.name}: ${side.type}${side.slip ? " (slip)" : ""}`;
  if (side.type === "wall") {
    const [dx, dy] = [out[0] * WALL_DEPTH, out[1] * WALL_DEPTH];
    return (
      <g>
        <title>{label}</title>
        <path d={`${line}L${b[0] + dx} ${b[1] + dy}L${a[0] + dx} ${a[1] + dy}Z`} fill="url(#hatch)" stroke="none" />
        <path d={line} class={side.slip ? "wall slip" : "wall"} />
      </g>
    );
  }
  const arrows = side.type === "inflow" || side.type === "outflow" ? [0.2, 0.35, 0.5, 0.65, 0.8] : [];
  const inward = side.type === "inflow" ? -1 : 1;
  return (
    <g>
      <title>{label}</title>
      <path d={line} class={`side ${side.type}`} />
      {arrows.map((share) => {
        const [x, y] = [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
        const start = side.type === "inflow" ? 22 : 6;
        const end = side.type === "inflow" ? 5 : 22;
        return (
          <line
            key={share}
            class="arrow"
            x1={x + out[0] * start} y1={y + out[1] * start}
            x2={x + out[0] * end} y2={y + out[1] * end}
            marker-end="url(#arrow)"
            data-direction={inward}
          />
        );
      })}
    </g>
  );
}

function Handles({ camera }: { camera: Camera }) {
  const key = world.selected.value;
  if (!key || tool.value !== "select" || run.kind.value === "example") return null;
  const body = world.drawing.value?.bodies.find((item) => `bodies.${item.name}` === key);
  const region = world.drawing.value?.regions.find((item) => `regions.${item.name}` === key);
  const shape = body ?? region;
  const sketch: Sketch | null = ghost.value?.path === key ? ghost.value.sketch : shape ? sketchOf(shape) : null;
  if (!sketch || isSteering.value || isMovedInRun(key)) return null;
  return (
    <g class="handles" data-path={key}>
      {handles(sketch).map(({ name, at }) => {
        const [x, y] = toScreen(camera, at);
        return (
          <g key={name} data-handle={name}>
            <circle class="hit-area" cx={x} cy={y} r="13" />
            <circle class="handle" cx={x} cy={y} r="5" />
          </g>
        );
      })}
    </g>
  );
}

function PolygonCorners({ camera }: { camera: Camera }) {
  const list = corners.value;
  const at = cursor.value;
  if (tool.value === "select" || tool.value === "pan") return null;
  const cursorPosition = at && toScreen(camera, at);
  const open = list.length > 0 && at ? [...list, at] : list;
  return (
    <g>
      {open.length > 1 && <path class="ghost open" d={pathOf(camera, open, false)} />}
      {list.map((point, k) => {
        const [x, y] = toScreen(camera, point);
        return <circle key={k} class={k === 0 && list.length >= 3 ? "handle first" : "handle"} cx={x} cy={y} r={k === 0 ? 6 : 4} />;
      })}
      {cursorPosition && <path class="cross" d={`M${cursorPosition[0] - 7} ${cursorPosition[1]}h14M${cursorPosition[0]} ${cursorPosition[1] - 7}v14`} />}
    </g>
  );
}

function Guides({ camera }: { camera: Camera }) {
  return (
    <g>
      {guides.value.map(({ axis, at }) => {
        const [x, y] = toScreen(camera, axis === 0 ? [at, 0] : [0, at]);
        return axis === 0 ? (
          <line key={`x${at}`} class="guide" x1={x} x2={x} y1={0} y2={camera.height} />
        ) : (
          <line key={`y${at}`} class="guide" x1={0} x2={camera.width} y1={y} y2={y} />
        );
      })}
    </g>
  );
}

const LABEL = { width: 240, line: 16, letters: 36, padding: 12 }; // CSS pixels; letters per line

/** Gaps that are too narrow for particles: hatched, with labels that cover neither bodies nor each other. */
function Gaps({ gaps, camera }: { gaps: readonly Gap[]; camera: Camera }) {
  const drawing = world.drawing.value;
  const occupied = [...(drawing?.bodies ?? []), ...(drawing?.regions ?? [])]
    .filter(({ outlines }) => outlines.length > 0)
    .map(({ outlines }) => boundsOf(outlines.flat().map((point) => toScreen(camera, pair(point)))));
  const { lower, upper } = view.extent.value;
  const [left, bottom] = toScreen(camera, lower);
  occupied.push({ x: left, y: bottom, width: (upper[0] - lower[0]) * camera.scale, height: WALL_DEPTH + 24 }); // the ruler
  const bounds = { x: 8, y: 8, width: camera.width - 16, height: camera.height - 60 };
  const placed = gaps.flatMap((gap) => {
    const [a, b] = gap.ends.map((end) => toScreen(camera, pair(end)));
    if (!a || !b) return [];
    const lines = Math.ceil(gap.reason.length / LABEL.letters);
    const label = placeLabel([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], [LABEL.width, lines * LABEL.line + LABEL.padding], occupied, bounds);
    occupied.push(label);
    return [{ reason: gap.reason, a, b, label }];
  });
  return (
    <>
      {placed.map((each) => (
        <NarrowGap key={each.reason} {...each} />
      ))}
      {placed.map(({ reason, label }) => (
        <foreignObject key={reason} x={label.x} y={label.y} width={label.width} height={label.height}>
          <p class="gap-reason">{reason}</p>
        </foreignObject>
      ))}
    </>
  );
}

function NarrowGap({ reason, a, b, label }: { reason: string; a: Point; b: Point; label: Rectangle }) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.max(1, Math.hypot(dx, dy));
  const half = Math.max(14, length);
  const [nx, ny] = [(-dy / length) * half, (dx / length) * half];
  const at: Point = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const [x, y] = nearestPoint(label, at);
  return (
    <g class="gap">
      <title>{reason}</title>
      <path
        fill="url(#narrow-gap)"
        d={`M${a[0] - nx} ${a[1] - ny}L${b[0] - nx} ${b[1] - ny}L${b[0] + nx} ${b[1] + ny}L${a[0] + nx} ${a[1] + ny}Z`}
      />
      <line class="gap-leader" x1={at[0]} y1={at[1]} x2={x} y2={y} />
    </g>
  );
}

const OBSERVER_LABEL = { width: 60, line: 13 }; // CSS pixels

/** The line above its place in which an observer has its label: one for each observer before it that is close. */
function labelRow(observers: readonly Marker[], k: number, camera: Camera): number {
  const placeOf = (marker: Marker | undefined): readonly [number, number] | null => {
    const at = marker && numbersAt(marker.numbers, "position");
    return at ? toScreen(camera, pair(at)) : null;
  };
  const own = placeOf(observers[k]);
  return observers.slice(0, k).filter((each) => {
    const other = placeOf(each);
    return own && other && Math.abs(own[0] - other[0]) < OBSERVER_LABEL.width && Math.abs(own[1] - other[1]) < OBSERVER_LABEL.line;
  }).length;
}

/** row: the line of the label, from the place upwards. */
function ObserverMark({ marker, row, camera }: { marker: Marker; row: number; camera: Camera }) {
  const key = `observe.${marker.name}`;
  const isSelected = world.selected.value === key;
  const at = numbersAt(marker.numbers, "position");
  const [from, to] = [numbersAt(marker.numbers, "from"), numbersAt(marker.numbers, "to")];
  if (from && to) {
    const [a, b] = [toScreen(camera, pair(from)), toScreen(camera, pair(to))];
    return (
      <g class={`observer${isSelected ? " selected" : ""}`}>
        <title>{`${marker.name}: ${marker.type.replace("_", " ")}`}</title>
        <line x1={a[0]} y1={a[1]} x2={b[0]} y2={b[1]} />
        <circle cx={a[0]} cy={a[1]} r="2.5" />
        <circle cx={b[0]} cy={b[1]} r="2.5" />
      </g>
    );
  }
  if (!at) return null;
  const [x, y] = toScreen(camera, pair(at));
  return (
    <g
      class={`observer${isSelected ? " selected" : ""}`}
      data-path={key}
      tabindex={0}
      role="button"
      aria-pressed={isSelected}
      aria-label={`${marker.type} ${marker.name}`}
      onFocus={() => {
        world.selected.value = key;
      }}
    >
      <circle class="hit-area" cx={x} cy={y} r="12" />
      <circle cx={x} cy={y} r="5" />
      <path d={`M${x - 9} ${y}h18M${x} ${y - 9}v18`} />
      <text x={x + 9} y={y - 8 - OBSERVER_LABEL.line * row}>
        {marker.name}
      </text>
    </g>
  );
}

function pair(list: readonly number[]): Point {
  return [list[0] ?? 0, list[1] ?? 0];
}

