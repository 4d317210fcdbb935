/** The row of charts, and which of them are shown. */

import { computed, signal } from "@preact/signals";
import { Icon } from "../app/icons";
import { short } from "../colors/scale";
import { isSlim } from "../state/room";
import * as run from "../state/run";
import { Chart } from "./chart";
import { saveChart, saveCsv } from "./csv";
import { Results } from "./results";
import { type ChartSpec, chartSpecs } from "./specs";
import { averaging } from "./window";

const MOST = 3;
const LOW = 560; // CSS pixels
/** Whether charts are seen, or their buttons only: where the window is low these at first. */
const open = signal(innerHeight >= LOW);
const chosen = signal<readonly string[] | null>(null);

const names = computed(() => {
  run.series.version.value;
  return [...run.series.all.keys()].join();
});

const specs = computed<readonly ChartSpec[]>(() => {
  names.value;
  return chartSpecs(run.series, run.hello.value);
});

export function Charts() {
  const all = specs.value;
  if (run.kind.value !== "run" || all.length === 0) return null;
  const wanted = chosen.value?.filter((name) => all.some((spec) => spec.name === name));
  const most = isSlim.value ? 1 : MOST;
  const shown = (wanted && wanted.length > 0 ? wanted : all.slice(0, Math.min(2, most)).map((spec) => spec.name)).slice(-most);
  const toggle = (name: string): void => {
    const isShown = open.value && shown.includes(name);
    open.value = true;
    chosen.value = isShown ? shown.filter((each) => each !== name) : [...shown.filter((each) => each !== name), name].slice(-most);
  };
  const visible = all.filter((spec) => shown.includes(spec.name));
  return (
    <section class="charts" aria-label="Charts">
      <div class="bar">
        <button
          type="button"
          class="button bare icon small"
          aria-label={open.value ? "Hide the charts" : "Show the charts"}
          title={open.value ? "Hide the charts" : "Show the charts"}
          aria-expanded={open.value}
          onClick={() => (open.value = !open.value)}
        >
          <Icon name={open.value ? "down" : "up"} />
        </button>
        {isSlim.value && (
          <select
            aria-label="Chart"
            value={visible[0]?.name}
            onChange={(event) => {
              open.value = true;
              chosen.value = [event.currentTarget.value];
            }}
          >
            {all.map((spec) => (
              <option key={spec.name} value={spec.name}>
                {spec.title}
              </option>
            ))}
          </select>
        )}
        {!isSlim.value && all.map((spec) => (
          <button key={spec.name} type="button" class="button small" aria-pressed={open.value && shown.includes(spec.name)} onClick={() => toggle(spec.name)}>
            {spec.title.split(":")[0]}
          </button>
        ))}
        {!isSlim.value && <span class="space" />}
        {averaging.value && (
          <button type="button" class="button small" onClick={() => (averaging.value = null)} title="Forget the window">
            window {short(averaging.value.from)}–{short(averaging.value.to)} s <Icon name="close" size={12} />
          </button>
        )}
        {!isSlim.value && <Results />}
        <span class="together">
          <button type="button" class="button icon small" title="Save numbers (CSV)" aria-label="Save numbers (CSV)" onClick={() => visible.forEach(saveCsv)}>
            <Icon name="table" />
          </button>
          <button type="button" class="button icon small" title="Save charts (PNG)" aria-label="Save charts (PNG)" onClick={() => visible.forEach((spec) => void saveChart(spec))}>
            <Icon name="picture" />
          </button>
        </span>
        {isSlim.value && <Results />}
      </div>
      {open.value && (
        <div class="row">
          {visible.map((spec) => (
            <Chart key={spec.name} spec={spec} />
          ))}
        </div>
      )}
    </section>
  );
}
