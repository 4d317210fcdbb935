/** Bodies as they are drawn: those of a run, and those of the file. */

import { numberAt, numbersAt, type Shape } from "../api/types";
import { ghost, isElsewhere, steers } from "../draw/drawing";
import { shownBodies, showsNow } from "../state/bodies";
import * as world from "../state/world";
import type { Body as BodyNow } from "../stream/stream_pb";
import { type Camera, pathOf, type Point, toScreen } from "./camera";

/** Apart from the rest of the drawing, since it changes with every picture where bodies move. */
export function RunBodies({ camera }: { camera: Camera }) {
  return (
    <>
      {shownBodies.value.map((body) => (
        <RunBody key={body.name} body={body} camera={camera} />
      ))}
    </>
  );
}

/** A body of the run where it is; where it is now, while the run goes on, it can be pulled to another place. */
function RunBody({ body, camera }: { body: BodyNow; camera: Camera }) {
  const d = body.outlines.map((line) => pathOf(camera, pairs(line.points))).join("");
  const key = `bodies.${body.name}`;
  const chosen = world.selected.value === key;
  if (!steers.value || !showsNow.value) return <path class={`body${chosen && isElsewhere(key) ? " chosen" : ""}`} d={d} data-name={body.name} />;
  return (
    <path
      class={`body${chosen ? " chosen" : ""}`}
      d={d}
      data-path={key}
      tabindex={0}
      role="button"
      aria-pressed={chosen}
      aria-label={`Body ${body.name}, to be moved while the flow is computed`}
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

export function Body({ part, shape, camera, bare }: { part: "bodies" | "regions"; shape: Shape; camera: Camera; bare: boolean }) {
  const key = `${part}.${shape.name}`;
  const chosen = world.selected.value === key;
  const pulledAway = ghost.value?.path === key;
  const center = numbersAt(shape.numbers, "center");
  const diameter = numberAt(shape.numbers, "diameter");
  const label = `${part === "bodies" ? "Body" : "Water"} ${shape.name}, ${shape.shape}${shape.drawn ? "" : ", to be mended"}`;
  if (!shape.drawn && shape.outlines.length === 0) return null;
  const shared = {
    class: `${part === "bodies" ? "body" : "region"}${chosen ? " chosen" : ""}${bare ? " bare" : ""}${pulledAway ? " away" : ""}${shape.drawn ? "" : " wrong"}`,
    "data-path": key,
    tabindex: 0,
    role: "button" as const,
    "aria-pressed": chosen,
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
