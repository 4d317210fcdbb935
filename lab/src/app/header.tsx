/** The header: Reynolds number, resolution and cost, run buttons. */

import type { Quality, Regime } from "../api/types";
import { QUALITIES } from "../api/types";
import { formatNumber } from "../colors/scale";
import { hasSheet, isPhone, sheetOpen } from "../state/layout";
import { currentValues } from "../state/current";
import { linkProblem } from "../state/link";
import * as run from "../state/run";
import { isStale, isWaiting, start, starting } from "../state/runs";
import { sendCommand, refusalOf } from "../state/steering";
import { theme, toggleTheme } from "../state/theme";
import * as world from "../state/world";
import { Icon, Mark } from "./icons";
import { LinkState } from "./link_state";
import { machineOpen } from "./machine";
import { ProblemCount } from "./sidebar";
import { goHome } from "./navigation";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatDuration } from "./format";

export function Header() {
  return (
    <header class="header">
      <button type="button" class="brand" onClick={goHome} title="Home">
        <Mark size={22} />
        Eddyline
      </button>
      <h1 class="world-title" id="world-title" tabIndex={-1} title={world.check.value?.title}>
        {world.check.value?.title || world.name.value}
      </h1>
      <span class="space" />
      {!hasSheet.value && <LinkState />}
      {!hasSheet.value && <RunSettings />}
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
      <button type="button" class="button bare icon" aria-label={`Switch to ${theme.value === "dark" ? "light" : "dark"} theme`} onClick={toggleTheme}>
        <Icon name={theme.value === "dark" ? "sun" : "moon"} />
      </button>
      {hasSheet.value && <RunSettings />}
    </header>
  );
}

function RunSettings() {
  return (
    <div class="scale">
      <Reynolds />
      <Resolution />
    </div>
  );
}

/** Opens and closes the sheet with Setup, Bodies and File. */
function SetupButton() {
  const count = world.problems.value.length;
  return (
    <button type="button" class="button" aria-expanded={sheetOpen.value} aria-controls="world" onClick={() => (sheetOpen.value = !sheetOpen.value)}>
      <Icon name="setup" /> <span class="word">Setup</span>
      {count > 0 && <ProblemCount of={count} />}
    </button>
  );
}

const SLIDER_STEPS = 1000;
/** Factors by which keys change the Reynolds number. */
const KEY_FACTORS: Record<string, number> = {
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
  const [dragged, setDragged] = useState<number | null>(null);
  if (!regime) {
    return reynolds === null ? null : (
      <div class="reynolds">
        <ReynoldsValue of={steered ?? reynolds} steered={steered !== null} />
      </div>
    );
  }
  const value = dragged ?? regime.value;
  const shareOf = (v: number): number => Math.log(v / regime.low) / Math.log(regime.high / regime.low);
  const valueAt = (share: number): number => roundedReynolds(regime.low * (regime.high / regime.low) ** share, regime);
  const set = (next: number): void => world.editLatest([{ op: "set", path: regime.path, value: next }], "reynolds");
  const share = Math.min(1, Math.max(0, shareOf(value)));
  const onKey = (event: KeyboardEvent): void => {
    const factor = KEY_FACTORS[event.key];
    if (!factor) return;
    event.preventDefault(); // the native step is too small to leave a marked value, to which the slider snaps
    set(Number(Math.min(regime.high, Math.max(regime.low, value * factor)).toPrecision(2)));
  };
  return (
    <div class="reynolds">
      <ReynoldsValue of={dragged ?? steered ?? value} steered={dragged === null && steered !== null} />
      <div class="slider">
        <input
          id="reynolds"
          type="range"
          min={0}
          max={SLIDER_STEPS}
          value={Math.round(share * SLIDER_STEPS)}
          style={{ "--share": `${100 * share}%` }}
          aria-label="Reynolds number"
          aria-valuetext={`Re ${formatNumber(value)}`}
          onKeyDown={onKey}
          onInput={(event) => {
            const next = valueAt(Number(event.currentTarget.value) / SLIDER_STEPS);
            setDragged(next);
            set(next);
          }}
          onChange={() => setDragged(null)}
        />
        {regime.marks.map((mark) => (
          <span key={mark.value} class="mark" style={{ left: `calc(8px + (100% - 16px) * ${shareOf(mark.value)})` }} title={`Re ${mark.value}${mark.text ? `: ${mark.text}` : ""}`} />
        ))}
      </div>
    </div>
  );
}

/** The current Reynolds number of a run whose viscosity was steered, else null. */
function steeredReynolds(): number | null {
  const now = currentValues.value?.reynolds ?? null;
  const before = run.hello.value?.reference?.reynolds ?? 0;
  if (now === null || run.kind.value !== "run" || isStale.value || !run.firstSteering.value) return null;
  return Math.abs(now - before) > 1e-3 * before ? now : null;
}

function ReynoldsValue({ of, steered }: { of: number; steered: boolean }) {
  return (
    <output for="reynolds" class={steered ? "steered" : ""} title={steered ? "Current value of the run after its viscosity was changed; the slider shows the value of the file" : undefined}>
      <small>{steered && !isPhone.value ? "current Re" : "Re"}</small> {formatNumber(of)}
    </output>
  );
}

/** Rounds to two digits and snaps to values marked in the world. */
function roundedReynolds(value: number, regime: Regime): number {
  for (const mark of regime.marks) if (Math.abs(Math.log(value / mark.value)) < 0.025) return mark.value;
  return Number(value.toPrecision(2));
}

const NAMES: Record<Quality, string> = { preview: "Preview", study: "Study", publish: "Publish" };
const HINTS: Record<Quality, string> = {
  preview: "5/3 of the particle spacing: for a first look",
  study: "The particle spacing of the world file",
  publish: "Half the particle spacing: for results to be published",
};

/** True if all resolutions have as many cells, as in a world that names the cells of its mesh. */
function isFixed(counts: readonly (number | undefined)[]): boolean {
  return counts[0] !== undefined && counts.every((count) => count === counts[0]);
}

function Resolution() {
  const costs = world.costs.value;
  if (isFixed(QUALITIES.map((name) => costs[name]?.particles))) return null;
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = QUALITIES[(QUALITIES.indexOf(world.quality.value) + by + 3) % 3] as Quality;
    void world.setQuality(next);
    (event.currentTarget as HTMLElement).querySelectorAll("button")[QUALITIES.indexOf(next)]?.focus();
  };
  return (
    <div class="cost">
      <div class="segments" role="radiogroup" aria-label="Resolution" onKeyDown={onKey}>
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
              onClick={() => void world.setQuality(name)}
            >
              {NAMES[name]}
              <small>{cost ? `${shortCount(cost.particles)} · ${formatDuration(cost.seconds)}` : cost === undefined ? "…" : "–"}</small>
            </button>
          );
        })}
      </div>
    </div>
  );
}

function shortCount(count: number): string {
  return count >= 1e6 ? `${formatNumber(count / 1e6)} M` : count >= 1e4 ? `${Math.round(count / 1e3)} k` : count.toLocaleString("en");
}

/** A live run can always be paused and stopped. If the drawing differs from it, the drawing can be run as well. */
function RunButtons() {
  const box = useRef<HTMLDivElement>(null);
  const live = run.isLive.value;
  const hadFocus = useRef(false); // a focused button may disappear together with its focus
  useLayoutEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) box.current?.querySelector("button")?.focus();
  }, [live]);
  return (
    <div class="run-buttons" ref={box} onFocusIn={() => (hadFocus.current = true)} onFocusOut={(event) => (hadFocus.current = event.relatedTarget === null)}>
      {run.isLive.value && <LiveButtons />}
      {(!run.isLive.value || isStale.value) && <RunButton />}
    </div>
  );
}

function RunButton() {
  const hasProblems = world.problems.value.length > 0 || !world.summary.value;
  const isStarting = starting.value || (run.kind.value === "run" && run.hello.value === null && run.connectionState.value !== "closed" && !isStale.value);
  const text = isWaiting.value ? "Waiting …" : isStarting ? "Starting …" : run.isLive.value ? "Run this world" : run.kind.value === "run" ? "Run again" : "Run";
  const hint = run.isLive.value ? "Stop the current run and run this world (Ctrl+Enter)" : "Run (Ctrl+Enter)";
  return (
    <button type="button" class="button primary run" disabled={hasProblems || isStarting} title={hasProblems ? "Fix the problems listed under Setup first" : hint} onClick={() => void start()}>
      <Icon name="play" /> {text}
    </button>
  );
}

function LiveButtons() {
  const paused = run.isPaused.value;
  const problem = linkProblem.value;
  return (
    <>
      <button
        type="button"
        class={isStale.value ? "button" : "button primary"}
        disabled={problem !== ""}
        title={problem || refusalOf("pause")}
        onClick={() => void sendCommand(paused ? { case: "resume", value: { $typeName: "eddyline.stream.Resume" } } : { case: "pause", value: { $typeName: "eddyline.stream.Pause" } })}
      >
        <Icon name={paused ? "play" : "pause"} /> {paused ? "Resume" : "Pause"}
      </button>
      {paused && (
        <button
          type="button"
          class="button"
          disabled={problem !== ""}
          title={problem || "Compute one time step, then pause again"}
          onClick={() => void sendCommand({ case: "step", value: { $typeName: "eddyline.stream.Step", count: 1 } })}
        >
          <Icon name="stepOn" /> Step
        </button>
      )}
      <button
        type="button"
        class="button"
        disabled={problem !== ""}
        title={problem}
        onClick={() => void sendCommand({ case: "stop", value: { $typeName: "eddyline.stream.Stop" } })}
      >
        <Icon name="stop" /> Stop
      </button>
    </>
  );
}
