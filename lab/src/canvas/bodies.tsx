/** Draws bodies of a run and of the file. */

import { numberAt, numbersAt, type Shape } from "../api/types";
import { ghost, isMovedInRun, isSteering } from "../draw/drawing";
import { shownBodies, showsPresent } from "../state/bodies";
import * as world from "../state/world";
import type { Body as BodyNow } from "../stream/stream_pb";
import { type Camera, pathOf, type Point, toScreen } from "./camera";

/** All bodies of the run. This is a separate component because moving bodies change with every picture. */
export function RunBodies({ camera }: { camera: Camera }) {
  return (
    <>
      {shownBodies.value.map((body) => (
        <RunBody key={body.name} body={body} camera={camera} />
      ))}
    </>
  );
}

/** A body of the run; in the live view of a run it can be dragged to another place. */
function RunBody({ body, camera }: { body: BodyNow; camera: Camera }) {
  const d = body.outlines.map((line) => pathOf(camera, pairs(line.points))).join("");
  const key = `bodies.${body.name}`;
  const isSelected = world.selected.value === key;
  if (!isSteering.value || !showsPresent.value) return <path class={`body${isSelected && isMovedInRun(key) ? " selected" : ""}`} d={d} data-name={body.name} />;
  return (
    <path
      class={`body${isSelected ? " selected" : ""}`}
      d={d}
      data-path={key}
      tabindex={0}
      role="button"
      aria-pressed={isSelected}
      aria-label={`Body ${body.name}, can be moved while the run continues`}
      onFocus={() => {
        world.selected.value = key;
      }}
    />
  );
}

function pairs(points: readonly number[]): Point[] {
  const list: Point[] = [];
  for (let k = 0; k + 1 < points.length; k += 2) list.push([points[k] as number, points[k + 1] as number]);
  return list;
}

export function FileBody({ part, shape, camera, isTransparent }: { part: "bodies" | "regions"; shape: Shape; camera: Camera; isTransparent: boolean }) {
  const key = `${part}.${shape.name}`;
  const isSelected = world.selected.value === key;
  const isDragged = ghost.value?.path === key;
  const center = numbersAt(shape.numbers, "center");
  const diameter = numberAt(shape.numbers, "diameter");
  const label = `${part === "bodies" ? "Body" : "Fluid"} ${shape.name}, ${shape.shape}${shape.drawn ? "" : ", invalid"}`;
  if (!shape.drawn && shape.outlines.length === 0) return null;
  const shared = {
    class: `${part === "bodies" ? "body" : "region"}${isSelected ? " selected" : ""}${isTransparent ? " bare" : ""}${isDragged ? " dragged" : ""}${shape.drawn ? "" : " invalid"}`,
    "data-path": key,
    tabindex: 0,
    role: "button" as const,
    "aria-pressed": isSelected,
    "aria-label": label,
    onFocus: () => {
      world.selected.value = key;
    },
  };
  if (shape.shape === "circle" && center && diameter !== null) {
    const [cx, cy] = toScreen(camera, [center[0] as number, center[1] as number]);
    return <circle {...shared} cx={cx} cy={cy} r={(diameter / 2) * camera.scale} />;
  }
  return <path {...shared} d={shape.outlines.map((line) => pathOf(camera, line)).join("")} />;
}
