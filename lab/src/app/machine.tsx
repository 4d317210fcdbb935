/** The drawer "Machine": what computes, how fast, and what it waits for. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as v from "valibot";
import { addressOf, ask, Refused } from "../api/client";
import { notify } from "../state/notices";
import * as run from "../state/run";
import { refresh, type Run, runs } from "../state/runs";
import { Icon } from "./icons";
import { close, closesOnEscape, useOpening } from "./opening";
import { showRun } from "./screens";
import { big, bytes, duration, moment, numberOf } from "./words";

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
const testing = signal(false);

async function load(method: "GET" | "POST", path: string): Promise<void> {
  try {
    machine.value = await ask(machineSchema, method, path);
  } catch (error) {
    if (error instanceof Refused) notify("problem", error.message);
    else throw error;
  }
}

export function Machine() {
  const box = useRef<HTMLElement>(null);
  const open = machineOpen.value;
  useOpening(open, box, "button");
  useEffect(() => {
    if (!open) return;
    void load("GET", "machine");
    void refresh();
  }, [open]);
  if (!open) return null;
  return (
    <aside class="drawer" id="machine" aria-label="Machine" ref={box} onKeyDown={closesOnEscape(machineOpen, "machine")}>
      <header>
        <h2>Machine</h2>
        <button type="button" class="button bare icon" aria-label="Close" onClick={() => close(machineOpen, "machine")}>
          <Icon name="close" />
        </button>
      </header>
      <div class="setup scroll">
        <ThisMachine />
        <Running />
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

function ThisMachine() {
  const found = machine.value;
  const limit = found?.pairs_per_second_limit["2"];
  const test = async (): Promise<void> => {
    testing.value = true;
    await load("POST", "machine/test");
    testing.value = false;
  };
  return (
    <div class="group">
      <h2>{found ? `${found.host}: ${found.processor}` : "This machine"}</h2>
      <div class="figures">
        <Figure value={String(found?.cores ?? "–")} name="cores" />
        <Figure value={found?.memory_free_bytes ? bytes(found.memory_free_bytes) : "–"} name={`free of ${found?.memory_bytes ? bytes(found.memory_bytes) : "–"}`} />
        <Figure value={limit ? `${big(limit)}/s` : "–"} name="pairs that a core can sum" />
      </div>
      <div class="row">
        <button type="button" class="button small" disabled={testing.value} onClick={() => void test()}>
          {testing.value ? "Testing …" : "Test its speed"}
        </button>
      </div>
      {found && (
        <p class="note">
          {found.instructions.at(-1)}. Runs start through {found.executor}, {found.runs_at_once} at a time, {found.cores_of_a_run}{" "}
          {found.cores_of_a_run === 1 ? "core" : "cores"} each.
        </p>
      )}
    </div>
  );
}

function Running() {
  const now = run.progress.value;
  const ended = run.ended.value;
  if (!now) return null;
  return (
    <div class="group">
      <h2>This run</h2>
      <div class="figures">
        <Figure value={big(now.stepsPerSecond)} name="steps a second" />
        <Figure value={`${big(now.updatesPerSecond)}/s`} name="particles times steps" />
        {ended ? <Figure value={duration(now.wallSeconds)} name="taken" /> : <Figure value={now.secondsLeft >= 0 ? duration(now.secondsLeft) : "–"} name="left" />}
        <Figure value={Number(now.particles).toLocaleString("en")} name="particles" />
        <Figure value={`${now.timeStep.toExponential(2)} s`} name="time step" />
        {ended ? <Figure value={ended.outcome} name="outcome" /> : <Figure value={now.phase || "–"} name="phase" />}
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
            <th>particles</th>
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
              <td>{big(Number(rank.particles))}</td>
              <td>{big(rank.updatesPerSecond)}/s</td>
              <td>
                <div class="shares" aria-hidden="true">
                  <i style={{ width: percent(rank.compute) }} />
                  <i style={{ width: percent(rank.exchange) }} />
                </div>
                {percent(rank.compute)}, {percent(rank.exchange)}, {percent(rank.idle)}
              </td>
              <td>{bytes(Number(rank.bytes))}</td>
              <td>{bytes(Number(rank.memory))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What a finished run has made. */
function Files() {
  const id = run.runId.value;
  if (!id || !run.ended.value) return null;
  return (
    <div class="group">
      <h2>Files of this run</h2>
      <div class="row">
        {(["report", "movie", "picture", "journal"] as const).map((name) => (
          <a key={name} class="button small" href={addressOf(`runs/${id}/${name}`).href} target="_blank" rel="noreferrer">
            {name}
          </a>
        ))}
      </div>
      <p class="note">
        {run.hello.value?.folder} {run.ended.value.fingerprint && `Fingerprint ${run.ended.value.fingerprint}`}
      </p>
    </div>
  );
}

/** "Dam break 3, 14:05": runs of one world are told apart by their number and by when they began. */
export function RunName({ of }: { of: Run }) {
  const apart = [numberOf(of.folder), moment(of.created, new Date())].filter((words) => words !== "").join(", ");
  return (
    <>
      {of.title || of.world || of.id} <span class="note">{apart}</span>
    </>
  );
}

function RunList() {
  if (runs.value.length === 0) return null;
  return (
    <div class="group">
      <h2>Runs</h2>
      <ul class="list">
        {runs.value.map((item) => (
          <li key={item.id}>
            <button type="button" class="item" aria-current={item.id === run.runId.value} onClick={() => void showRun(item)}>
              <span style={{ flex: 1 }}>
                <RunName of={item} />
                {item.state === "failed" && item.message && <small>{item.message}</small>}
              </span>
              <span class="note">{item.state}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
