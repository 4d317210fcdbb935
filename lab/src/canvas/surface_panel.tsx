/** The panel of isosurfaces: quantity, level over a histogram, colours, opacity, and a plane that cuts them. */

import { Icon } from "../app/icons";
import { Segments } from "../app/segments";
import { quantityOf } from "../colors/quantities";
import { formatNumber } from "../colors/scale";
import * as run from "../state/run";
import * as surfaces from "../state/surfaces";
import * as view from "../state/view";
import { shownWaterMode } from "../state/water";
import type { Histogram } from "../stream/frame";

/** Names of quantities that only surfaces have. */
const LABELS: Record<string, string> = { q: "Q criterion", velocity_x: "Velocity x", velocity_y: "Velocity y", velocity_z: "Velocity z" };

function labelOf(quantity: string): string {
  return LABELS[quantity] ?? quantityOf(quantity).label;
}

export function SurfacePanel() {
  const list = surfaces.settings.value;
  const canAdd = surfaces.surfaceQuantities.value.length > 0 && list.length < surfaces.MAX_SURFACES;
  return (
    <section class="hud surface-panel" aria-label="Surfaces">
      {shownWaterMode.value === "surface" && (
        <div class="surface-card">
          <div class="surface-head">
            <b>Water</b>
            <ColorToggle isOn={surfaces.isWaterColored.value} set={(isOn) => (surfaces.isWaterColored.value = isOn)} />
          </div>
        </div>
      )}
      {list.map((setting) => (
        <SurfaceCard key={setting.id} setting={setting} />
      ))}
      {surfaces.surfaceQuantities.value.length > 0 && (
        <button type="button" class="button small" disabled={!canAdd} title={canAdd ? "" : `At most ${surfaces.MAX_SURFACES} surfaces beside water`} onClick={() => surfaces.addSurface()}>
          <Icon name="plus" size={14} /> Add surface
        </button>
      )}
      <CutControls />
    </section>
  );
}

function ColorToggle({ isOn, set }: { isOn: boolean; set: (isOn: boolean) => void }) {
  const { label } = quantityOf(view.quantity.value);
  const canColor = surfaces.canColor.value;
  return (
    <label class="surface-colored" title={canColor ? `Colours show the ${label.toLowerCase()}` : `${label} is not available on surfaces`}>
      <input type="checkbox" checked={isOn && canColor} disabled={!canColor} onChange={(event) => set(event.currentTarget.checked)} /> Colour by {label.toLowerCase()}
    </label>
  );
}

function SurfaceCard({ setting }: { setting: surfaces.SurfaceSetting }) {
  const { id, quantity, opacity, isColored } = setting;
  const label = labelOf(quantity);
  const refusal = run.latestFrame.value?.refusedSurfaces.find((each) => each.quantity === quantity)?.reason;
  return (
    <div class="surface-card" role="group" aria-label={`Surface of ${label.toLowerCase()}`}>
      <div class="surface-head">
        <select
          aria-label="Quantity of the surface"
          value={quantity}
          onChange={(event) => surfaces.changeSurface(id, { quantity: event.currentTarget.value, level: null, isChosen: false })}
        >
          {surfaces.surfaceQuantities.value.map(({ name }) => (
            <option key={name} value={name}>
              {labelOf(name)}
            </option>
          ))}
        </select>
        <button type="button" class="button bare icon small" aria-label={`Remove the surface of ${label.toLowerCase()}`} title="Remove" onClick={() => surfaces.removeSurface(id)}>
          <Icon name="close" size={14} />
        </button>
      </div>
      <Level setting={setting} label={label} />
      {refusal && <p class="note wide">{refusal}</p>}
      <div class="surface-row">
        <label for={`opacity-${id}`}>Opacity</label>
        <input
          id={`opacity-${id}`}
          type="range"
          min={0.1}
          max={1}
          step={0.05}
          value={opacity}
          style={{ "--share": `${(100 * (opacity - 0.1)) / 0.9}%` }}
          onInput={(event) => surfaces.changeSurface(id, { opacity: Number(event.currentTarget.value) })}
        />
      </div>
      <ColorToggle isOn={isColored} set={(next) => surfaces.changeSurface(id, { isColored: next })} />
    </div>
  );
}

const LEVEL_STEPS = 500;

function Level({ setting: { id, quantity, level }, label }: { setting: surfaces.SurfaceSetting; label: string }) {
  const histogram = surfaces.histogramOf(run.latestFrame.value, quantity);
  const unit = (surfaces.surfaceQuantities.value.find(({ name }) => name === quantity)?.unit ?? "").replace("^2", "²").replace("^3", "³");
  if (!run.isLive.value) return <StoredLevels id={id} quantity={quantity} label={label} unit={unit} level={level} />;
  if (!histogram || level === null) return <p class="note">Waiting for the values of the run …</p>;
  const [low, high] = [Math.min(histogram.low, level), Math.max(histogram.high, level)];
  const share = high > low ? (level - low) / (high - low) : 0;
  const set = (next: number): void => surfaces.changeSurface(id, { level: Number(next.toPrecision(4)), isChosen: true });
  return (
    <div class="surface-level">
      <HistogramPicture histogram={histogram} low={low} high={high} share={share} />
      <input
        type="range"
        aria-label={`Level of ${label.toLowerCase()}`}
        aria-valuetext={`${formatNumber(level)} ${unit}`}
        min={0}
        max={LEVEL_STEPS}
        value={Math.round(LEVEL_STEPS * share)}
        style={{ "--share": `${100 * share}%` }}
        onInput={(event) => set(low + ((high - low) * Number(event.currentTarget.value)) / LEVEL_STEPS)}
      />
      <output>
        {formatNumber(level)} <span class="unit">{unit}</span>
      </output>
    </div>
  );
}

/** The levels at which surfaces are stored. */
function StoredLevels({ id, quantity, label, unit, level }: { id: number; quantity: string; label: string; unit: string; level: number | null }) {
  const stored = view.shownFrame.value?.surfaces.filter((surface) => surface.quantity === quantity) ?? [];
  const levels = [...new Set(stored.map((surface) => surface.level))];
  if (levels.length === 0) return <p class="note">No surface is stored at this time.</p>;
  return (
    <div class="surface-row">
      <span aria-hidden="true">Level</span>
      <select aria-label={`Level of ${label.toLowerCase()}`} value={level !== null && levels.includes(level) ? level : levels[0]} onChange={(event) => surfaces.changeSurface(id, { level: Number(event.currentTarget.value), isChosen: true })}>
        {levels.map((value) => (
          <option key={value} value={value}>
            {formatNumber(value)} {unit}
          </option>
        ))}
      </select>
    </div>
  );
}

const HEIGHT = 28;

/** Bars of the square roots of counts, so that rare values stay visible. */
function HistogramPicture({ histogram, low, high, share }: { histogram: Histogram; low: number; high: number; share: number }) {
  const { counts } = histogram;
  const most = Math.sqrt(Math.max(1, ...counts));
  const place = (value: number): number => (high > low ? (100 * (value - low)) / (high - low) : 0);
  const width = (place(histogram.high) - place(histogram.low)) / counts.length;
  return (
    <svg class="histogram" viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {counts.map((count, bin) => {
        const height = (HEIGHT * Math.sqrt(count)) / most;
        const x = place(histogram.low) + bin * width;
        return <rect key={bin} class={x + width / 2 >= 100 * share ? "inside" : ""} x={x} y={HEIGHT - height} width={width} height={height} />;
      })}
    </svg>
  );
}

const AXES = ["none", "x", "y", "z"] as const;

function CutControls() {
  const cut = surfaces.cut.value;
  return (
    <div class="surface-card">
      <div class="surface-head">
        <b>Cut</b>
        <Segments
          label="Cut across"
          options={AXES.map((axis) => ({ value: axis, text: axis === "none" ? "None" : axis }))}
          value={cut ? (["x", "y", "z"] as const)[cut.axis] : "none"}
          choose={(axis) => {
            const k = AXES.indexOf(axis) - 1;
            surfaces.cut.value = k < 0 ? null : { place: 0.5, removesLower: false, ...cut, axis: k as 0 | 1 | 2 };
          }}
        />
      </div>
      {cut && (
        <div class="surface-row">
          <input
            type="range"
            aria-label="Place of the cut"
            min={0}
            max={1}
            step={0.005}
            value={cut.place}
            style={{ "--share": `${100 * cut.place}%` }}
            onInput={(event) => (surfaces.cut.value = { ...cut, place: Number(event.currentTarget.value) })}
          />
          <button type="button" class="button small" aria-pressed={cut.removesLower} title="Remove the other side" onClick={() => (surfaces.cut.value = { ...cut, removesLower: !cut.removesLower })}>
            Flip
          </button>
        </div>
      )}
    </div>
  );
}
