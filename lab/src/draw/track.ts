/** Tracked particles: commands that begin and end their series. */

import { notify } from "../state/notices";
import * as run from "../state/run";
import { sendCommand } from "../state/steering";
import * as world from "../state/world";
import { isSteering } from "./drawing";

/** Records a particle: in a live run from the next step on, else in the world file, for its next run. */
export async function track(id: bigint): Promise<void> {
  if (isSteering.value) {
    const name = unusedName();
    await sendCommand({ case: "track", value: { $typeName: "eddyline.stream.Track", name, id } });
  } else if (id > BigInt(Number.MAX_SAFE_INTEGER)) notify("problem", "This particle entered during the run. Track it while a run computes.");
  else await world.edit([{ op: "add", path: ["observe", world.unusedName("observe", "particle")], value: { type: "particle", id: Number(id) } }]);
}

export async function untrack(name: string): Promise<void> {
  await sendCommand({ case: "untrack", value: { $typeName: "eddyline.stream.Untrack", name } });
}

/** A name that no series of the run has or had. */
function unusedName(): string {
  for (let k = 1; ; k++) {
    const name = k === 1 ? "particle" : `particle_${k}`;
    if (!run.series.all.has(name) && !run.marks.value.some((mark) => mark.observer === name)) return name;
  }
}
