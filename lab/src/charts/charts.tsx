/** The row of charts, and which of them are shown. */

import { computed, signal } from "@preact/signals";
import { Icon } from "../app/icons";
import { short } from "../colors/scale";
import * as run from "../state/run";
import { Chart } from "./chart";
import { saveChart, saveCsv } from "./csv";
import { Results } from "./results";
import { type ChartSpec, chartSpecs } from "./specs";
import { averaging } from "./window";

const MOST = 3;
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
  const shown = wanted && wanted.length > 0 ? wanted : all.slice(0, 2).map((spec) => spec.name);
  const toggle = (name: string): void => {
    const next = shown.includes(name) ? shown.filter((each) => each !== name) : [...shown, name].slice(-MOST);
    chosen.value = next;
  };
  const visible = all.filter((spec) => shown.includes(spec.name));
  return (
    <section class="charts" aria-label="Charts">
      <div class="bar">
        {all.map((spec) => (
          <button key={spec.name} type="button" class="button small" aria-pressed={shown.includes(spec.name)} onClick={() => toggle(spec.name)}>
            {spec.title.split(":")[0]}
          </button>
        ))}
        <span class="space" />
        {averaging.value && (
          <button type="button" class="button small" onClick={() => (averaging.value = null)} title="Forget the window">
            window {short(averaging.value.from)}–{short(averaging.value.to)} s <Icon name="close" size={12} />
          </button>
        )}
        <Results />
        <button type="button" class="button icon small" title="Save numbers (CSV)" aria-label="Save numbers (CSV)" onClick={() => visible.forEach(saveCsv)}>
          <Icon name="table" />
        </button>
        <button type="button" class="button icon small" title="Save charts (PNG)" aria-label="Save charts (PNG)" onClick={() => visible.forEach((spec) => void saveChart(spec))}>
          <Icon name="picture" />
        </button>
      </div>
      <div class="row">
        {visible.map((spec) => (
          <Chart key={spec.name} spec={spec} />
        ))}
      </div>
    </section>
  );
}
