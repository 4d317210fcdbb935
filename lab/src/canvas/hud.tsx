/** What lies on the canvas: what is shown, in which colours, how near. */

import { computed } from "@preact/signals";
import { useState } from "preact/hooks";
import { Icon } from "../app/icons";
import { Segments } from "../app/segments";
import { gradient } from "../colors/maps";
import { isQuantity, QUANTITIES, QUANTITY_NAMES, type QuantityName } from "../colors/quantities";
import { short, ticks } from "../colors/scale";
import { notify } from "../state/notices";
import { hasSheet } from "../state/room";
import * as run from "../state/run";
import { backToRun, stale } from "../state/runs";
import * as view from "../state/view";
import { water } from "../state/water";
import { zoomAt } from "./camera";
import { record, savePicture } from "./capture";
import { approach, orbit, START } from "./orbit";

/** Before the first picture there is no scale that would hold. */
const hasPicture = computed(() => run.kind.value !== "none" && view.shownFrame.value !== null);

export function Hud() {
  return (
    <>
      {run.kind.value === "run" && !run.isDry.value && <ViewBar />}
      {stale.value && (
        <div class="hud stale-note" role="status">
          <span>The world has changed since this run.</span>
          <button type="button" class="button small" onClick={() => void backToRun()}>
            Back to the run's world
          </button>
        </div>
      )}
      <LinkNote />
      {run.isDry.value && <DryNote />}
      {hasPicture.value && !run.isDry.value && <Legend />}
      {run.kind.value !== "example" && <Zoom />}
    </>
  );
}

function DryNote() {
  return (
    <div class="hud link-note" role="status">
      <span class="chip">No snapshots of this run were kept, so its water cannot be shown. Under [output], snapshots = 12 keeps them.</span>
    </div>
  );
}

function LinkNote() {
  const state = run.link.value;
  if (run.kind.value !== "run" || state === "closed") return null;
  const lost = state === "lost" && "Connection lost. Joining again …";
  const coming = run.hello.value === null ? "Starting the run …" : run.isLive.value && run.newest.value === null && "The first picture is on its way …";
  const words = lost || coming;
  return words ? (
    <div class="hud link-note" role="status">
      <span class={lost ? "chip warn" : "chip"}>{words}</span>
    </div>
  ) : null;
}

function ViewBar() {
  const known = run.available.value.length > 0 ? run.available.value : QUANTITY_NAMES;
  const names = view.style.value === "particles" ? known.filter((name) => run.OF_PARTICLES.includes(name)) : known;
  const flat = !run.isSolid.value;
  return (
    <div class="hud view-bar">
      <Quantities names={names} />
      {flat && (run.isLive.value || run.keepsParticles.value) && (
        <Segments
          label="Drawn as"
          options={[
            { value: "field", text: "Contours" },
            { value: "particles", text: "Particles" },
          ]}
          value={view.style.value}
          choose={(style) => {
            if (style === "particles" && !run.OF_PARTICLES.includes(view.quantity.value)) view.quantity.value = "speed";
            view.style.value = style;
          }}
        />
      )}
      {!flat && (
        <div class="named">
          <span aria-hidden="true">Water</span>
          <Segments
            label="Water"
            options={WATERS}
            value={water.value}
            choose={(way) => {
              water.value = way;
            }}
          />
        </div>
      )}
      {flat && <Toggle of={view.tracers} icon="tracers" label="Tracers" />}
      {flat && <Toggle of={view.streaks} icon="streaks" label="Streaklines: dye that goes with the flow" />}
      {flat && <Toggle of={view.bands} icon="bands" label="Steps of colour" />}
      {flat && <Toggle of={view.lines} icon="lines" label="Contour lines of vorticity and density" />}
    </div>
  );
}

const WATERS = [
  { value: "opaque", text: "Opaque", hint: "Water hides what is in it" },
  { value: "translucent", text: "Translucent", hint: "Bodies are seen through water" },
  { value: "hidden", text: "Hidden", hint: "Bodies without water" },
] as const;

function Quantities({ names }: { names: readonly QuantityName[] }) {
  if (!hasSheet.value) {
    return (
      <Segments
        label="Quantity"
        options={names.map((name) => ({ value: name, text: QUANTITIES[name].label }))}
        value={view.quantity.value}
        choose={(name) => {
          view.quantity.value = name;
        }}
      />
    );
  }
  return (
    <select
      aria-label="Quantity"
      value={view.quantity.value}
      onChange={(event) => {
        const name = event.currentTarget.value;
        if (isQuantity(name)) view.quantity.value = name;
      }}
    >
      {names.map((name) => (
        <option key={name} value={name}>
          {QUANTITIES[name].label}
        </option>
      ))}
    </select>
  );
}

function Toggle({ of, icon, label }: { of: { value: boolean }; icon: Parameters<typeof Icon>[0]["name"]; label: string }) {
  return (
    <button
      type="button"
      class="button icon small"
      aria-pressed={of.value}
      aria-label={label}
      title={label}
      onClick={() => {
        of.value = !of.value;
      }}
    >
      <Icon name={icon} />
    </button>
  );
}

function Legend() {
  const quantity = QUANTITIES[view.quantity.value];
  const scale = view.shownScale.value;
  const place = (value: number): number => (100 * (value - scale.low)) / (scale.high - scale.low);
  return (
    <div class="hud legend">
      <span>
        {quantity.label} <span class="unit">{quantity.unit}</span>
      </span>
      <div class="legend-scale">
        <div class="legend-bar" style={{ background: gradient(quantity.map, "90deg") }} />
        {view.scaleMode.value === "fixed" && run.kind.value === "run" ? (
          <Ends />
        ) : (
          <div class="legend-ticks">
            {ticks(scale, 4).map((value) => (
              <span key={value} style={{ left: `${place(value)}%` }}>
                {short(value)}
              </span>
            ))}
          </div>
        )}
      </div>
      {run.kind.value === "run" && (
        <select
          aria-label="Scale of the colours"
          value={view.scaleMode.value}
          onChange={(event) => {
            const mode = event.currentTarget.value;
            if (mode === "fixed") view.fixedScale.value = scale;
            if (mode === "frame" || mode === "run" || mode === "fixed") view.scaleMode.value = mode;
          }}
        >
          <option value="run">whole run</option>
          <option value="frame">this frame</option>
          <option value="fixed">fixed</option>
        </select>
      )}
    </div>
  );
}

function Ends() {
  const { low, high } = view.fixedScale.value;
  const take = (text: string, end: "low" | "high"): void => {
    const next = { ...view.fixedScale.value, [end]: Number(text) };
    if (Number.isFinite(next[end]) && next.high > next.low) view.fixedScale.value = next;
    else notify("problem", `A scale from ${next.low} to ${next.high} has no room: the second must be greater.`);
  };
  return (
    <div class="legend-ends">
      <input type="text" aria-label="Lowest colour at" value={Number(low.toPrecision(4))} onChange={(e) => take(e.currentTarget.value, "low")} />
      <input type="text" aria-label="Highest colour at" value={Number(high.toPrecision(4))} onChange={(e) => take(e.currentTarget.value, "high")} />
    </div>
  );
}

function Zoom() {
  const [stop, setStop] = useState<(() => void) | null>(null);
  const solid = run.isSolid.value;
  const zoom = (factor: number): void => {
    if (solid) {
      orbit.value = approach(orbit.value, factor);
      return;
    }
    const { width, height } = view.camera.value;
    view.moved.value = zoomAt(view.camera.value, [width / 2, height / 2], factor, view.extent.value);
  };
  const film = (): void => {
    if (stop) {
      stop();
      setStop(null);
      return;
    }
    const end = record();
    if (end) setStop(() => end);
    else notify("problem", "This browser records no films. A finished run has its film under Machine.");
  };
  return (
    <div class="hud zoom">
      {run.kind.value === "run" && (
        <>
          <button type="button" class="button icon small" aria-label="Save picture (PNG)" title="Save picture (PNG)" onClick={() => void savePicture()}>
            <Icon name="picture" />
          </button>
          <button type="button" class="button icon small" aria-pressed={stop !== null} aria-label="Record a film" title={stop ? "End and save the film" : "Record a film"} onClick={film}>
            <Icon name={stop ? "stop" : "film"} />
          </button>
        </>
      )}
      <button type="button" class="button icon small" aria-label="Nearer" title="Nearer" onClick={() => zoom(1.4)}>
        <Icon name="plus" />
      </button>
      <button type="button" class="button icon small" aria-label="Farther" title="Farther" onClick={() => zoom(1 / 1.4)}>
        <Icon name="minus" />
      </button>
      <button
        type="button"
        class="button icon small"
        aria-label="Whole domain"
        title="Whole domain"
        onClick={() => {
          view.moved.value = null;
          orbit.value = START;
        }}
      >
        <Icon name="fit" />
      </button>
    </div>
  );
}
