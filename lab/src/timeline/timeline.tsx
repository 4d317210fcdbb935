/** The timeline: computed time, displayed time, steering marks, playback controls. */

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../app/icons";
import { roundTicks } from "../colors/scale";
import { following, goLive, playing, SPEEDS, scrub, shownStep, speed, stepFrame, time, timeText, togglePlay } from "../state/playback";
import { outcome, unfinished } from "../state/outcome";
import * as run from "../state/run";
import { theme } from "../state/theme";
import * as view from "../state/view";
import type { Mark } from "../stream/stream_pb";
import { drawFilmstrip } from "./filmstrip";

export function Timeline() {
  if (run.kind.value !== "run") return null;
  return (
    <section class="time" aria-label="Time">
      <Outcome />
      <Transport />
      <Track />
      <TimeAndSpeed />
    </section>
  );
}

/** The outcome of a run that did not finish, with its reason. */
function Outcome() {
  const ended = outcome.value;
  const shown = ended && unfinished(ended.name);
  if (!shown) return null;
  return (
    <details class="outcome">
      <summary title="Show or hide the full message">
        <span class={`chip ${shown.chip}`}>{ended.name}</span>
        <span class="reason">{ended.message || shown.reason}</span>
      </summary>
    </details>
  );
}

function Transport() {
  const running = playing.value || (following.value && run.isLive.value);
  return (
    <div class="transport">
      <button type="button" class="button icon bare" aria-label="Previous frame" title="Previous frame (,)" onClick={() => stepFrame(-1)}>
        <Icon name="stepBack" />
      </button>
      <button type="button" class="button icon play" aria-label={running ? "Pause playback" : "Play"} title={running ? "Pause playback (Space)" : "Play (Space)"} onClick={togglePlay}>
        <Icon name={running ? "pause" : "play"} />
      </button>
      <button type="button" class="button icon bare" aria-label="Next frame" title="Next frame (.)" onClick={() => stepFrame(1)}>
        <Icon name="stepOn" />
      </button>
      {run.isLive.value && (
        <button type="button" class="button small live" aria-pressed={following.value} onClick={goLive} title="Follow the latest frame">
          <i aria-hidden="true" /> Live
        </button>
      )}
    </div>
  );
}

/** Time at the right end of the track [s]. */
function endTime(): number {
  const last = run.timeRange.value[1];
  if (run.ended.value) return last || run.ended.value.time || 1e-9; // its list of frames is loaded later
  return Math.max(run.progress.value?.end || run.hello.value?.end || 0, last, 1e-9);
}

function Track() {
  const box = useRef<HTMLDivElement>(null);
  const thumbnails = useRef<HTMLCanvasElement>(null);
  const last = run.timeRange.value[1];
  const whole = endTime();

  useEffect(() => {
    let timer = 0;
    const stop = effect(() => {
      for (const each of [run.framesVersion, view.quantity, view.shownScale, theme, run.ended]) each.value;
      timer ||= window.setTimeout(() => {
        timer = 0;
        if (thumbnails.current) drawFilmstrip(thumbnails.current, endTime());
      }, 400);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);

  const at = (event: PointerEvent): void => {
    const bounds = box.current?.getBoundingClientRect();
    if (bounds) scrub(((event.clientX - bounds.left) / bounds.width) * whole);
  };
  const onKey = (event: KeyboardEvent): void => {
    const steps: Record<string, () => void> = {
      ArrowLeft: () => stepFrame(event.shiftKey ? -10 : -1),
      ArrowDown: () => stepFrame(-1),
      ArrowRight: () => stepFrame(event.shiftKey ? 10 : 1),
      ArrowUp: () => stepFrame(1),
      PageUp: () => stepFrame(10),
      PageDown: () => stepFrame(-10),
      Home: () => scrub(0),
      End: () => (run.isLive.value ? goLive() : scrub(whole)),
    };
    const action = steps[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  const share = (value: number): string => `${Math.min(100, (100 * value) / whole)}%`;
  return (
    <div
      ref={box}
      class="track"
      role="slider"
      tabIndex={0}
      aria-label="Displayed time"
      aria-valuemin={0}
      aria-valuemax={Number(last.toFixed(4))}
      aria-valuenow={Number(Math.min(time.value, last).toFixed(4))}
      aria-valuetext={`${timeText(time.value)}${following.value && run.isLive.value ? ", live" : ""}`}
      onKeyDown={onKey}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        at(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) at(event);
      }}
    >
      <canvas class="film" ref={thumbnails} aria-hidden="true" />
      <div class="ahead" style={{ left: share(last) }} />
      {run.marks.value.filter(isChange).map((mark) => (
        <span key={`${mark.step}${mark.text}`} class="mark" style={{ left: share(mark.time) }} title={`${mark.text} (step ${mark.step})`} />
      ))}
      <div class="ruler" aria-hidden="true">
        {run.hello.value && roundTicks({ low: 0, high: whole }, 8).map((value) => (
          <span key={value} style={{ left: share(value) }}>
            {Number(value.toPrecision(4))} {run.timeUnit.value}
          </span>
        ))}
      </div>
      <div class="head" style={{ left: share(time.value) }} />
    </div>
  );
}

/** True if a mark is a change of the flow, not a pause, step or stop. */
function isChange(mark: Mark): boolean {
  return !["pause", "resume", "step", "stop"].includes(mark.command);
}

function TimeAndSpeed() {
  return (
    <div class="now">
      <div>
        <div class="t">{timeText(time.value)}</div>
        <div class="step">step {shownStep.value.toLocaleString("en")}</div>
      </div>
      <select aria-label="Playback speed" value={String(speed.value)} onChange={(event) => (speed.value = Number(event.currentTarget.value))}>
        {SPEEDS.map((each) => (
          <option key={each} value={String(each)}>
            {each} ×
          </option>
        ))}
      </select>
    </div>
  );
}
