/** Reynolds number, cost, Run. */

import type { Quality, Regime } from "../api/types";
import { QUALITIES } from "../api/types";
import { short } from "../colors/scale";
import { hasSheet, isSlim, sheetOpen } from "../state/room";
import { present } from "../state/present";
import * as run from "../state/run";
import { starting, start, stale } from "../state/runs";
import { command, refusal } from "../state/steering";
import { theme, toggleTheme } from "../state/theme";
import * as world from "../state/world";
import { Icon, Mark } from "./icons";
import { machineOpen } from "./machine";
import { Count } from "./right";
import { goHome } from "./screens";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { duration } from "./words";

export function Header() {
  return (
    <header class="header">
      <button type="button" class="brand" onClick={goHome} title="To the first screen">
        <Mark size={22} />
        Eddyline
      </button>
      <h1 class="world-title" id="world-title" tabIndex={-1} title={world.check.value?.title}>
        {world.check.value?.title || world.name.value}
      </h1>
      <span class="space" />
      {!hasSheet.value && <Scale />}
      <RunButtons />
      {hasSheet.value && <SetupButton />}
      <button
        type="button"
        class="button icon"
        aria-label="Machine"
        title="Machine"
        aria-expanded={machineOpen.value}
        aria-controls="machine"
        onClick={() => (machineOpen.value = !machineOpen.value)}
      >
        <Icon name="machine" />
      </button>
      <button type="button" class="button bare icon" aria-label={`Change to ${theme.value === "dark" ? "light" : "dark"} colours`} onClick={toggleTheme}>
        <Icon name={theme.value === "dark" ? "sun" : "moon"} />
      </button>
      {hasSheet.value && <Scale />}
    </header>
  );
}

/** How fast, and how fine. */
function Scale() {
  return (
    <div class="scale">
      <Reynolds />
      <Cost />
    </div>
  );
}

/** Opens the sheet of Setup, bodies and file where it is not always there. */
function SetupButton() {
  const count = world.problems.value.length;
  return (
    <button type="button" class="button" aria-expanded={sheetOpen.value} aria-controls="world" onClick={() => (sheetOpen.value = !sheetOpen.value)}>
      <Icon name="setup" /> <span class="word">Setup</span>
      {count > 0 && <Count of={count} />}
    </button>
  );
}

const STEPS = 1000;
/** By what a key multiplies: the next number of two digits, or half as much again. */
const KEYS: Record<string, number> = {
  ArrowRight: 1.06,
  ArrowUp: 1.06,
  ArrowLeft: 1 / 1.06,
  ArrowDown: 1 / 1.06,
  PageUp: 1.5,
  PageDown: 1 / 1.5,
};

function Reynolds() {
  const regime = world.check.value?.regimes.find((item) => item.name === "Re");
  const reynolds = world.summary.value?.reynolds ?? null;
  const steered = steeredReynolds();
  const [pulled, setPulled] = useState<number | null>(null);
  if (!regime) {
    return reynolds === null ? null : (
      <div class="reynolds">
        <Re of={steered ?? reynolds} steered={steered !== null} />
      </div>
    );
  }
  const value = pulled ?? regime.value;
  const place = (v: number): number => Math.log(v / regime.low) / Math.log(regime.high / regime.low);
  const take = (share: number): number => rounded(regime.low * (regime.high / regime.low) ** share, regime);
  const set = (next: number): void => world.editSoon([{ op: "set", path: regime.path, value: next }], "reynolds");
  const share = Math.min(1, Math.max(0, place(value)));
  const onKey = (event: KeyboardEvent): void => {
    const factor = KEYS[event.key];
    if (!factor) return;
    event.preventDefault(); // steps of the slider itself are smaller than the reach of values that attract
    set(Number(Math.min(regime.high, Math.max(regime.low, value * factor)).toPrecision(2)));
  };
  return (
    <div class="reynolds">
      <Re of={pulled ?? steered ?? value} steered={pulled === null && steered !== null} />
      <div class="slider">
        <input
          id="reynolds"
          type="range"
          min={0}
          max={STEPS}
          value={Math.round(share * STEPS)}
          style={{ "--share": `${100 * share}%` }}
          aria-label="Reynolds number"
          aria-valuetext={`Re ${short(value)}`}
          onKeyDown={onKey}
          onInput={(event) => {
            const next = take(Number(event.currentTarget.value) / STEPS);
            setPulled(next);
            set(next);
          }}
          onChange={() => setPulled(null)}
        />
        {regime.marks.map((mark) => (
          <span key={mark.value} class="mark" style={{ left: `calc(8px + (100% - 16px) * ${place(mark.value)})` }} title={`Re ${mark.value}${mark.text ? `: ${mark.text}` : ""}`} />
        ))}
      </div>
    </div>
  );
}

/** Of a run whose viscosity was steered the Reynolds number that it has now; else null. */
function steeredReynolds(): number | null {
  const now = present.value?.reynolds ?? null;
  const before = run.hello.value?.reference?.reynolds ?? 0;
  if (now === null || run.kind.value !== "run" || stale.value || !run.steered.value) return null;
  return Math.abs(now - before) > 1e-3 * before ? now : null;
}

function Re({ of, steered }: { of: number; steered: boolean }) {
  return (
    <output for="reynolds" class={steered ? "steered" : ""} title={steered ? "Of the run, since its viscosity was steered; the slider is that of the file" : undefined}>
      <small>{steered && !isSlim.value ? "now Re" : "Re"}</small> {short(of)}
    </output>
  );
}

/** Two digits; a value that the world states attracts. */
function rounded(value: number, regime: Regime): number {
  for (const mark of regime.marks) if (Math.abs(Math.log(value / mark.value)) < 0.025) return mark.value;
  return Number(value.toPrecision(2));
}

const NAMES: Record<Quality, string> = { preview: "Preview", study: "Study", publish: "Publish" };
const HINTS: Record<Quality, string> = {
  preview: "Spacing times 5/3: a first look",
  study: "Spacing as the world has it",
  publish: "Half the spacing: for numbers that are to be quoted",
};

function Cost() {
  const costs = world.costs.value;
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = QUALITIES[(QUALITIES.indexOf(world.quality.value) + by + 3) % 3] as Quality;
    void world.choose(next);
    (event.currentTarget as HTMLElement).querySelectorAll("button")[QUALITIES.indexOf(next)]?.focus();
  };
  return (
    <div class="cost">
      <div class="segments" role="radiogroup" aria-label="Resolution and its cost" onKeyDown={onKey}>
        {QUALITIES.map((name) => {
          const cost = costs[name];
          return (
            <button
              key={name}
              type="button"
              role="radio"
              title={HINTS[name]}
              aria-checked={world.quality.value === name}
              tabIndex={world.quality.value === name ? 0 : -1}
              onClick={() => void world.choose(name)}
            >
              {NAMES[name]}
              <small>{cost ? `${thousands(cost.particles)} · ${duration(cost.seconds)}` : "…"}</small>
            </button>
          );
        })}
      </div>
    </div>
  );
}

function thousands(count: number): string {
  return count >= 1e6 ? `${short(count / 1e6)} M` : count >= 1e4 ? `${Math.round(count / 1e3)} k` : count.toLocaleString("en");
}

/** A run that goes on can always be paused and stopped; where the drawing differs from it, the drawing can be run. */
function RunButtons() {
  const box = useRef<HTMLDivElement>(null);
  const live = run.isLive.value;
  const had = useRef(false); // the keyboard, until another place had it: a button may have gone with it
  useLayoutEffect(() => {
    if (had.current && document.activeElement === document.body) box.current?.querySelector("button")?.focus();
  }, [live]);
  return (
    <div class="run-buttons" ref={box} onFocusIn={() => (had.current = true)} onFocusOut={(event) => (had.current = event.relatedTarget === null)}>
      {run.isLive.value && <LiveButtons />}
      {(!run.isLive.value || stale.value) && <RunButton />}
    </div>
  );
}

function RunButton() {
  const broken = world.problems.value.length > 0 || !world.summary.value;
  const waits = starting.value || (run.kind.value === "run" && run.hello.value === null && run.link.value !== "closed" && !stale.value);
  const words = waits ? "Starting …" : run.isLive.value ? "Run this" : run.kind.value === "run" ? "Run again" : "Run";
  const hint = run.isLive.value ? "Stops the run that goes on, and runs what is drawn now (Ctrl Enter)" : "Ctrl Enter";
  return (
    <button type="button" class="button primary run" disabled={broken || waits} title={broken ? "Mend the problems first: see Setup" : hint} onClick={() => void start()}>
      <Icon name="play" /> {words}
    </button>
  );
}

function LiveButtons() {
  const paused = run.isPaused.value;
  return (
    <>
      <button
        type="button"
        class={stale.value ? "button" : "button primary"}
        title={refusal("pause")}
        onClick={() => void command(paused ? { case: "resume", value: { $typeName: "eddyline.stream.Resume" } } : { case: "pause", value: { $typeName: "eddyline.stream.Pause" } })}
      >
        <Icon name={paused ? "play" : "pause"} /> {paused ? "Resume" : "Pause"}
      </button>
      {paused && (
        <button
          type="button"
          class="button"
          title="Compute one more step, then pause again"
          onClick={() => void command({ case: "step", value: { $typeName: "eddyline.stream.Step", count: 1 } })}
        >
          <Icon name="stepOn" /> Step
        </button>
      )}
      <button
        type="button"
        class="button"
        onClick={() => void command({ case: "stop", value: { $typeName: "eddyline.stream.Stop" } })}
      >
        <Icon name="stop" /> Stop
      </button>
    </>
  );
}
