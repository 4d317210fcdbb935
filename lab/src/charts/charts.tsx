/** The charts and the buttons that select them. */

import { computed, signal } from "@preact/signals";
import { Icon } from "../app/icons";
import { formatNumber } from "../colors/scale";
import { isPhone } from "../state/layout";
import * as run from "../state/run";
import { Chart } from "./chart";
import { saveChart, saveCsv } from "./csv";
import { RunStatus } from "./status";
import { type ChartSpec, chartSpecs } from "./specs";
import { averagingWindow } from "./window";

const MAX_CHARTS = 3;
const LOW_WINDOW = 560; // CSS pixels
/** True if the charts are shown or only their buttons; in a low window they are hidden at first. */
const isOpen = signal(innerHeight >= LOW_WINDOW);
const chosenCharts = signal<readonly string[] | null>(null);

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
  const wanted = chosenCharts.value?.filter((name) => all.some((spec) => spec.name === name));
  const most = isPhone.value ? 1 : MAX_CHARTS;
  const shown = (wanted && wanted.length > 0 ? wanted : all.slice(0, Math.min(2, most)).map((spec) => spec.name)).slice(-most);
  const toggle = (name: string): void => {
    const isShown = isOpen.value && shown.includes(name);
    isOpen.value = true;
    chosenCharts.value = isShown ? shown.filter((each) => each !== name) : [...shown.filter((each) => each !== name), name].slice(-most);
  };
  const visible = all.filter((spec) => shown.includes(spec.name));
  return (
    <section class="charts" aria-label="Charts">
      <div class="bar">
        <button
          type="button"
          class="button bare icon small"
          aria-label={isOpen.value ? "Hide charts" : "Show charts"}
          title={isOpen.value ? "Hide charts" : "Show charts"}
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <Icon name={isOpen.value ? "down" : "up"} />
        </button>
        {isPhone.value && (
          <select
            aria-label="Chart"
            value={visible[0]?.name}
            onChange={(event) => {
              isOpen.value = true;
              chosenCharts.value = [event.currentTarget.value];
            }}
          >
            {all.map((spec) => (
              <option key={spec.name} value={spec.name}>
                {spec.title}
              </option>
            ))}
          </select>
        )}
        {!isPhone.value && (
          <div class="choices">
            {all.map((spec) => (
              <button key={spec.name} type="button" class="button small" aria-pressed={isOpen.value && shown.includes(spec.name)} onClick={() => toggle(spec.name)}>
                {shortTitle(spec, all)}
              </button>
            ))}
          </div>
        )}
        {averagingWindow.value && (
          <button type="button" class="button small" onClick={() => (averagingWindow.value = null)} title="Clear the averaging window">
            average {formatNumber(averagingWindow.value.from)}–{formatNumber(averagingWindow.value.to)} {run.timeUnit.value} <Icon name="close" size={12} />
          </button>
        )}
        {!isPhone.value && <RunStatus />}
        <span class="together">
          <button type="button" class="button icon small" title="Save data (CSV)" aria-label="Save data (CSV)" onClick={() => visible.forEach(saveCsv)}>
            <Icon name="table" />
          </button>
          <button type="button" class="button icon small" title="Save charts (PNG)" aria-label="Save charts (PNG)" onClick={() => visible.forEach((spec) => void saveChart(spec))}>
            <Icon name="picture" />
          </button>
        </span>
        {isPhone.value && <RunStatus />}
      </div>
      {isOpen.value && (
        <div class="row">
          {visible.map((spec) => (
            <Chart key={spec.name} spec={spec} />
          ))}
        </div>
      )}
    </section>
  );
}

/** The part of a title before its colon, if no other chart begins alike. */
function shortTitle(spec: ChartSpec, all: readonly ChartSpec[]): string {
  const head = ({ title }: ChartSpec): string => title.split(":")[0] ?? title;
  return all.filter((other) => head(other) === head(spec)).length > 1 ? spec.title : head(spec);
}
