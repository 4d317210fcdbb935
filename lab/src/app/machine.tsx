/** The drawer "Machine": hardware, progress of the run, ranks, files and the list of runs. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as v from "valibot";
import { urlWithToken, ask, RequestError } from "../api/client";
import { isPhone } from "../state/layout";
import { notify } from "../state/notices";
import { outcome, unfinished } from "../state/outcome";
import * as run from "../state/run";
import { refresh, type Run, runs } from "../state/runs";
import { Icon } from "./icons";
import { close, closeOnEscape, useFocusOnOpen } from "./disclosure";
import { openListedRun } from "./navigation";
import { formatCount, formatBytes, formatDuration, formatDate, runNumber } from "./format";

export const machineOpen = signal(false);

const machineSchema = v.object({
  host: v.string(),
  processor: v.string(),
  cores: v.number(),
  memory_bytes: v.nullable(v.number()),
  memory_free_bytes: v.nullable(v.number()),
  instructions: v.array(v.string()),
  pairs_per_second_limit: v.record(v.string(), v.number()),
  executor: v.string(),
  runs_at_once: v.number(),
  cores_of_a_run: v.number(),
});
const machine = signal<v.InferOutput<typeof machineSchema> | null>(null);
const isTesting = signal(false);

async function loadMachine(method: "GET" | "POST", path: string): Promise<void> {
  try {
    machine.value = await ask(machineSchema, method, path);
  } catch (error) {
    if (error instanceof RequestError) notify("problem", error.message);
    else throw error;
  }
}

export function Machine() {
  const box = useRef<HTMLElement>(null);
  const open = machineOpen.value;
  useFocusOnOpen(open, box, "button");
  useEffect(() => {
    if (!open) return;
    void loadMachine("GET", "machine");
    void refresh();
  }, [open]);
  if (!open) return null;
  return (
    <aside class="drawer" id="machine" aria-label="Machine" ref={box} onKeyDown={closeOnEscape(machineOpen, "machine")}>
      <header>
        <h2>Machine</h2>
        <button type="button" class="button bare icon" aria-label="Close" onClick={() => close(machineOpen, "machine")}>
          <Icon name="close" />
        </button>
      </header>
      <div class="setup scroll">
        <MachineSummary />
        <RunProgress />
        <Ranks />
        <Files />
        <RunList />
      </div>
    </aside>
  );
}

function Figure({ value, name }: { value: string; name: string }) {
  return (
    <div class="figure">
      <b>{value}</b>
      <span>{name}</span>
    </div>
  );
}

function MachineSummary() {
  const found = machine.value;
  const limit = found?.pairs_per_second_limit["2"];
  const runSpeedTest = async (): Promise<void> => {
    isTesting.value = true;
    await loadMachine("POST", "machine/test");
    isTesting.value = false;
  };
  return (
    <div class="group">
      <h2>{found ? `${found.host}: ${found.processor}` : "This machine"}</h2>
      <div class="figures">
        <Figure value={String(found?.cores ?? "–")} name="cores" />
        <Figure value={found?.memory_free_bytes ? formatBytes(found.memory_free_bytes) : "–"} name={`free of ${found?.memory_bytes ? formatBytes(found.memory_bytes) : "–"}`} />
        <Figure value={limit ? `${formatCount(limit)}/s` : "–"} name="particle pairs per core" />
      </div>
      <div class="row">
        <button type="button" class="button small" disabled={isTesting.value} onClick={() => void runSpeedTest()}>
          {isTesting.value ? "Measuring …" : "Measure speed"}
        </button>
      </div>
      {found && (
        <p class="note">
          Instructions: {found.instructions.at(-1)}. Executor: {found.executor}, {found.runs_at_once} {found.runs_at_once === 1 ? "run" : "runs"} at a time,{" "}
          {found.cores_of_a_run} {found.cores_of_a_run === 1 ? "core" : "cores"} each.
        </p>
      )}
    </div>
  );
}

function RunProgress() {
  const progress = run.progress.value;
  const ended = outcome.value;
  if (!progress) return null;
  return (
    <div class="group">
      <h2>This run</h2>
      <div class="figures">
        <Figure value={formatCount(progress.stepsPerSecond)} name="steps per second" />
        <Figure value={`${formatCount(progress.updatesPerSecond)}/s`} name={progress.workUnit || "particle updates"} />
        {ended ? <Figure value={formatDuration(progress.wallSeconds)} name="run time" /> : <Figure value={progress.secondsLeft >= 0 ? formatDuration(progress.secondsLeft) : "–"} name="remaining" />}
        <Figure value={Number(progress.particles).toLocaleString("en")} name={run.members.value} />
        <Figure value={`${progress.timeStep.toExponential(2)} s`} name="time step" />
        {ended ? <Figure value={ended.name} name="outcome" /> : <Figure value={progress.phase || "–"} name="phase" />}
      </div>
    </div>
  );
}

function Ranks() {
  const ranks = run.progress.value?.ranks ?? [];
  if (ranks.length === 0) return null;
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  return (
    <div class="group">
      <h2>Ranks</h2>
      <table>
        <thead>
          <tr>
            <th>rank, host</th>
            <th>{run.members.value}</th>
            <th>speed</th>
            <th>compute, exchange, idle</th>
            <th>sent</th>
            <th>memory</th>
          </tr>
        </thead>
        <tbody>
          {ranks.map((rank) => (
            <tr key={rank.rank}>
              <td>
                {rank.rank} {rank.host}
              </td>
              <td>{formatCount(Number(rank.particles))}</td>
              <td>{formatCount(rank.updatesPerSecond)}/s</td>
              <td>
                <div class="shares" aria-hidden="true">
                  <i style={{ width: `${100 * rank.compute}%` }} />
                  <i style={{ width: `${100 * rank.exchange}%` }} />
                </div>
                {percent(rank.compute)}, {percent(rank.exchange)}, {percent(rank.idle)}
              </td>
              <td>{formatBytes(Number(rank.bytes))}</td>
              <td>{formatBytes(Number(rank.memory))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const FILES = [["report", "Report"], ["movie", "Video"], ["picture", "Picture"], ["journal", "Journal"]] as const;

/** Links to the files of a finished run. */
function Files() {
  const id = run.runId.value;
  if (!id || !run.ended.value) return null;
  return (
    <div class="group">
      <h2>Files of this run</h2>
      <div class="row">
        {FILES.map(([name, label]) => (
          <a key={name} class="button small" href={urlWithToken(`runs/${id}/${name}`).href} target="_blank" rel="noreferrer">
            {label}
          </a>
        ))}
      </div>
      <p class="note">
        {run.hello.value?.folder} {run.ended.value.fingerprint && `Fingerprint ${run.ended.value.fingerprint}`}
      </p>
    </div>
  );
}

/** The name of a run with its number and start time, e.g. "Dam break 3, 14:05". */
export function RunName({ of }: { of: Run }) {
  const details = [runNumber(of.folder), formatDate(of.created, new Date())].filter((words) => words !== "").join(", ");
  return (
    <>
      {of.title || of.world || of.id} <span class="note">{details}</span>
    </>
  );
}

function StateLabel({ state }: { state: string }) {
  const shown = unfinished(state);
  return <span class={shown ? `chip ${shown.chip}` : "note"}>{state}</span>;
}

/** Opens a run. On a phone, the drawer would hide it. */
function open(item: Run): void {
  if (isPhone.value) machineOpen.value = false;
  void openListedRun(item);
}

/** The reason why a run did not finish. */
function Reason({ of }: { of: Run }) {
  const shown = unfinished(of.state);
  return shown && <small class={shown.chip}>{of.message}</small>;
}

function RunList() {
  if (runs.value.length === 0) return null;
  return (
    <div class="group">
      <h2>Runs</h2>
      <ul class="list">
        {runs.value.map((item) => (
          <li key={item.id}>
            <button type="button" class="item" aria-current={item.id === run.runId.value} onClick={() => open(item)}>
              <span style={{ flex: 1 }}>
                <RunName of={item} />
                {item.message && <Reason of={item} />}
              </span>
              <StateLabel state={item.state} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
