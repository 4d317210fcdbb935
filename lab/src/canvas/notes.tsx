/** Notes on the canvas: what it shows, or why it shows nothing. */

import { computed } from "@preact/signals";
import * as run from "../state/run";
import { isStale, isWaiting, restoreRunWorld } from "../state/runs";
import * as world from "../state/world";

/** True if the text of the world has problems that leave nothing to draw. */
const cannotBeDrawn = computed(() => run.kind.value === "none" && world.drawing.value === null && world.problems.value.length > 0);

export function Notes() {
  return (
    <>
      {isStale.value && <ChangedNote />}
      <ConnectionNote />
      {cannotBeDrawn.value && <Note>This world cannot be drawn. Fix the problems listed under Setup.</Note>}
      {run.lacksFluid.value && <Note>This run has no snapshots, so its fluid cannot be shown. Set snapshots = 12 under [output] to store them.</Note>}
    </>
  );
}

function Note({ warns = false, children }: { warns?: boolean; children: preact.ComponentChildren }) {
  return (
    <div class="hud connection-note" role="status">
      <span class={warns ? "chip warn" : "chip"}>{children}</span>
    </div>
  );
}

function ChangedNote() {
  return (
    <div class="hud changed-note" role="status">
      <span>The world has changed since this run was started.</span>
      <button type="button" class="button small" onClick={() => void restoreRunWorld()}>
        Restore the world of the run
      </button>
    </div>
  );
}

function ConnectionNote() {
  if (run.kind.value !== "run") return null;
  const state = run.connectionState.value;
  const problem = state === "closed" ? run.connectionReason.value : state === "lost" ? "Connection lost. Reconnecting …" : "";
  const text = problem || (state === "closed" ? "" : progressOfStart());
  return text ? <Note warns={problem !== ""}>{text}</Note> : null;
}

/** The thing that a run without a picture waits for; empty if it shows one. */
function progressOfStart(): string {
  if (isWaiting.value) return "Another run is computing; this one waits for its end. Both are listed under Machine.";
  if (run.hello.value === null) return "Starting the run …";
  return run.isLive.value && run.latestFrame.value === null ? "Waiting for the first picture …" : "";
}
