/** Controls on the canvas: quantity, display options, colour scale, zoom, pictures and videos. */

import { computed } from "@preact/signals";
import { useState } from "preact/hooks";
import { Icon } from "../app/icons";
import { LinkState } from "../app/link_state";
import { Segments } from "../app/segments";
import { gradient } from "../colors/maps";
import { isQuantity, QUANTITY_NAMES, type QuantityName, quantityOf } from "../colors/quantities";
import { formatNumber, roundTicks } from "../colors/scale";
import { notify } from "../state/notices";
import { hasSheet } from "../state/layout";
import * as run from "../state/run";
import * as view from "../state/view";
import { addFirst, offersSurfaces, panelOpen, showsColors } from "../state/surfaces";
import { offersWaterSurface, shownWaterMode, waterMode } from "../state/water";
import { zoomAt } from "./camera";
import { startRecording, savePicture } from "./capture";
import { Notes } from "./notes";
import { INITIAL_ORBIT, orbit, zoomOrbit } from "./orbit";
import { SurfacePanel } from "./surface_panel";

/** True if a picture is shown; without one there is no colour scale. */
const hasPicture = computed(() => run.kind.value !== "none" && view.shownFrame.value !== null);

/** True if the picture shows the displayed quantity by colours. */
const usesColors = computed(() => !run.is3d.value || (run.hasPoints.value && ["opaque", "translucent"].includes(shownWaterMode.value)) || showsColors.value);

export function CanvasControls() {
  return (
    <>
      {run.kind.value === "run" && !run.lacksFluid.value && <ViewControls />}
      <Notes />
      {hasSheet.value && <LinkState />}
      {hasPicture.value && !run.lacksFluid.value && usesColors.value && <Legend />}
      {run.kind.value === "run" && run.is3d.value && offersSurfaces.value && panelOpen.value && <SurfacePanel />}
      {run.kind.value !== "example" && <ZoomAndCapture />}
    </>
  );
}

function ViewControls() {
  const available = run.availableQuantities.value.length > 0 ? run.availableQuantities.value : QUANTITY_NAMES;
  const names = view.style.value === "particles" ? available.filter((name) => run.PARTICLE_QUANTITIES.includes(name)) : available;
  const is2d = !run.is3d.value;
  return (
    <div class="hud view-bar">
      <QuantityChoice names={names} />
      {is2d && run.hasPoints.value && (run.isLive.value || run.hasStoredParticles.value) && (
        <Segments
          label="Display"
          options={[
            { value: "field", text: "Contours" },
            { value: "particles", text: "Particles" },
          ]}
          value={view.style.value}
          choose={(style) => {
            if (style === "particles" && !run.PARTICLE_QUANTITIES.includes(view.quantity.value)) view.quantity.value = "speed";
            view.style.value = style;
          }}
        />
      )}
      {!run.hasPoints.value && offersSurfaces.value && (
        <Segments
          label="Display"
          options={[
            { value: "field", text: "Plane", hint: "Contours on the middle plane" },
            { value: "surfaces", text: "Surfaces" },
          ]}
          value={view.style.value}
          choose={(style) => {
            view.style.value = style;
            if (style === "surfaces") addFirst();
          }}
        />
      )}
      {!is2d && run.hasPoints.value && (
        <div class="named">
          <span aria-hidden="true">Water</span>
          <Segments
            label="Water"
            options={offersWaterSurface.value ? [SURFACE_OPTION, ...PARTICLE_OPTIONS] : PARTICLE_OPTIONS}
            value={shownWaterMode.value}
            choose={(mode) => {
              waterMode.value = mode;
            }}
          />
        </div>
      )}
      {!is2d && offersSurfaces.value && <Toggle of={panelOpen} icon="surfaces" label="Surfaces and cut" />}
      {is2d && run.hasVelocity.value && <Toggle of={view.tracers} icon="tracers" label="Tracers" />}
      {is2d && run.hasVelocity.value && <Toggle of={view.streaklines} icon="streaks" label="Streaklines: dye carried by the flow" />}
      {is2d && <Toggle of={view.colorSteps} icon="bands" label="Filled contours" />}
      {is2d && <Toggle of={view.contourLines} icon="lines" label="Contour lines (vorticity, density)" />}
      {run.isLive.value && <Toggle of={view.smooth} icon="film" label="More frames a second: up to 2 % of the run's computing time" />}
    </div>
  );
}

const SURFACE_OPTION = { value: "surface", text: "Surface", hint: "The surface of the water, which refracts what is behind it" } as const;
const PARTICLE_OPTIONS = [
  { value: "opaque", text: "Opaque", hint: "Particles; they hide bodies behind them" },
  { value: "translucent", text: "Translucent", hint: "Particles; bodies are visible through them" },
  { value: "hidden", text: "Hidden", hint: "Only bodies are shown" },
] as const;

const BUTTON_PADDING = 24; // CSS pixels of a button besides its text
const [CHARACTER_WIDTH, SHARE_OF_WIDTH] = [6.6, 0.52]; // CSS pixels; of the canvas, for the quantities

/** True if a button for each quantity leaves room for the other controls in the same row. */
function fitsAsButtons(names: readonly QuantityName[]): boolean {
  const width = names.reduce((sum, name) => sum + BUTTON_PADDING + CHARACTER_WIDTH * quantityOf(name).label.length, 0);
  return !hasSheet.value && width <= SHARE_OF_WIDTH * view.size.value[0];
}

function QuantityChoice({ names }: { names: readonly QuantityName[] }) {
  if (fitsAsButtons(names)) {
    return (
      <Segments
        label="Quantity"
        options={names.map((name) => ({ value: name, text: quantityOf(name).label }))}
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
          {quantityOf(name).label}
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
  const quantity = quantityOf(view.quantity.value);
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
          <FixedScaleInputs />
        ) : (
          <div class="legend-ticks">
            {roundTicks(scale, 4).map((value) => (
              <span key={value} style={{ left: `${place(value)}%` }}>
                {formatNumber(value)}
              </span>
            ))}
          </div>
        )}
      </div>
      {run.kind.value === "run" && (
        <select
          aria-label="Colour scale"
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

function FixedScaleInputs() {
  const { low, high } = view.fixedScale.value;
  const take = (text: string, end: "low" | "high"): void => {
    const next = { ...view.fixedScale.value, [end]: Number(text) };
    if (Number.isFinite(next[end]) && next.high > next.low) view.fixedScale.value = next;
    else notify("problem", `Invalid colour scale from ${next.low} to ${next.high}: the upper limit must be greater than the lower one.`);
  };
  return (
    <div class="legend-ends">
      <input type="text" aria-label="Lower limit of the colour scale" value={Number(low.toPrecision(4))} onChange={(e) => take(e.currentTarget.value, "low")} />
      <input type="text" aria-label="Upper limit of the colour scale" value={Number(high.toPrecision(4))} onChange={(e) => take(e.currentTarget.value, "high")} />
    </div>
  );
}

function ZoomAndCapture() {
  const [stopRecording, setStopRecording] = useState<(() => void) | null>(null);
  const is3d = run.is3d.value;
  const zoom = (factor: number): void => {
    if (is3d) {
      orbit.value = zoomOrbit(orbit.value, factor);
      return;
    }
    const { width, height } = view.camera.value;
    view.userCamera.value = zoomAt(view.camera.value, [width / 2, height / 2], factor, view.extent.value);
  };
  const toggleRecording = (): void => {
    if (stopRecording) {
      stopRecording();
      setStopRecording(null);
      return;
    }
    const end = startRecording();
    if (end) setStopRecording(() => end);
    else notify("problem", "This browser cannot record videos. The video of a finished run is under Machine.");
  };
  return (
    <div class="hud zoom">
      {run.kind.value === "run" && (
        <>
          <button type="button" class="button icon small" aria-label="Save picture (PNG)" title="Save picture (PNG)" onClick={() => void savePicture()}>
            <Icon name="picture" />
          </button>
          <button type="button" class="button icon small" aria-pressed={stopRecording !== null} aria-label="Record a video" title={stopRecording ? "Stop and save the video" : "Record a video"} onClick={toggleRecording}>
            <Icon name={stopRecording ? "stop" : "film"} />
          </button>
        </>
      )}
      <button type="button" class="button icon small" aria-label="Zoom in" title="Zoom in" onClick={() => zoom(1.4)}>
        <Icon name="plus" />
      </button>
      <button type="button" class="button icon small" aria-label="Zoom out" title="Zoom out" onClick={() => zoom(1 / 1.4)}>
        <Icon name="minus" />
      </button>
      <button
        type="button"
        class="button icon small"
        aria-label="Show the whole domain"
        title="Show the whole domain"
        onClick={() => {
          view.userCamera.value = null;
          orbit.value = INITIAL_ORBIT;
        }}
      >
        <Icon name="fit" />
      </button>
    </div>
  );
}
