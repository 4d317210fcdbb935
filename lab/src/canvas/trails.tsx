/** Paths of tracked particles over the picture, from the series of the run, and the card of a particle. */

import { formatNumber } from "../colors/scale";
import { isSteering } from "../draw/drawing";
import { track, untrack } from "../draw/track";
import { linkProblem } from "../state/link";
import { shownMotion } from "../state/motion";
import * as run from "../state/run";
import { refusalOf } from "../state/steering";
import { trackedNames } from "../state/tracked";
import * as view from "../state/view";
import { type Camera, type Point, toScreen } from "./camera";
import { locateParticle } from "./pick";
import { pathAlong, trail } from "./trail";

/** The trails of all tracked particles up to the time of the picture, each with a ring at its end. */
export function Trails({ camera }: { camera: Camera }) {
  run.series.version.value;
  const time = view.shownTime.value;
  const { lower, upper } = view.extent.value;
  const half: Point = [(upper[0] - lower[0]) / 2, (upper[1] - lower[1]) / 2];
  return (
    <g class="trails" aria-hidden="true">
      {[...run.series.all].map(([name, series]) => {
        const places = trail(series, time);
        const last = places[places.length - 1];
        if (!last) return null;
        const [x, y] = toScreen(camera, last);
        return (
          <g key={name} data-trail={name}>
            <path d={pathAlong(places, camera, half)} />
            <circle cx={x} cy={y} r="5" />
            <text x={x + 8} y={y + 14}>{name}</text>
          </g>
        );
      })}
    </g>
  );
}


const WIDTH = 264; // CSS pixels
const HEIGHT = 66;

/** The particle that was clicked: a ring, its id and value, and a button that tracks it. */
export function FollowedParticle({ camera }: { camera: Camera }) {
  const id = view.followedParticle.value;
  if (id === null || view.style.value !== "particles") return null;
  const found = locateParticle(shownMotion(), id);
  if (!found) return null;
  const [x, y] = toScreen(camera, found.at);
  const left = x < camera.width - WIDTH - 20 ? x + 14 : x - WIDTH - 14;
  return (
    <g class="followed">
      <circle cx={x} cy={y} r="9" />
      <foreignObject x={left} y={Math.max(4, y - 40)} width={WIDTH} height={HEIGHT}>
        <div class="particle-card">
          <span>{`particle ${id}`}</span>
          <span>{`${found.quantity} ${formatNumber(found.value)} ${found.unit}`}</span>
          <TrackButton id={id} />
        </div>
      </foreignObject>
    </g>
  );
}

function TrackButton({ id }: { id: bigint }) {
  const name = trackedNames.value.get(String(id));
  const refusal = isSteering.value ? refusalOf("track") || linkProblem.value : "";
  if (!isSteering.value && name) return null;
  return name ? (
    <button type="button" class="button small" onClick={() => void untrack(name)} disabled={linkProblem.value !== ""} title={linkProblem.value || "Ends its series"}>
      Stop tracking
    </button>
  ) : (
    <button type="button" class="button small" onClick={() => void track(id)} disabled={refusal !== ""} title={refusal || (isSteering.value ? "Records a series of its values" : "Adds it to the world file, for the next run")}>
      Track
    </button>
  );
}
