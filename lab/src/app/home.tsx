/** The home screen: a stored run and three ways to begin. */

import { useEffect, useRef } from "preact/hooks";
import { Stage } from "../canvas/stage";
import { formatNumber } from "../colors/scale";
import { playExample } from "../state/example";
import { notify } from "../state/notices";
import { playing } from "../state/playback";
import * as run from "../state/run";
import { refresh, runs } from "../state/runs";
import { screen } from "../state/screen";
import { theme, toggleTheme } from "../state/theme";
import * as view from "../state/view";
import { AllExamples } from "./gallery";
import { Icon, Mark } from "./icons";
import { RunName } from "./machine";
import { openEmptyChannel, openFile, openGallery, openListedRun } from "./navigation";

export function Home() {
  const file = useRef<HTMLInputElement>(null);
  useEffect(() => {
    view.fillsCanvas.value = true;
    view.userCamera.value = null;
    playExample(() => screen.value === "home").catch((error: unknown) => notify("problem", `Could not show the stored run: ${String(error)}`));
    void refresh();
    return () => {
      view.fillsCanvas.value = false;
    };
  }, []);
  const latest = runs.value.slice(0, 3);
  return (
    <main class="home">
      <div class="top">
        <span class="name">
          <Mark />
          Eddyline
        </span>
        <span class="space" />
        <button type="button" class="button bare icon" aria-label={`Switch to ${theme.value === "dark" ? "light" : "dark"} theme`} onClick={toggleTheme}>
          <Icon name={theme.value === "dark" ? "sun" : "moon"} />
        </button>
      </div>
      <div class="flow-frame">
        <div class="words">
          <h1>Interactive flow simulation</h1>
          <p>Draw a world, press Run, and watch the flow and the forces while they are computed.</p>
        </div>
        <Stage />
        <ExampleLabel />
      </div>
      <div class="bottom">
        <div class="starts">
          <StartButton name="Vortex street" description="A cylinder in a channel. The drag oscillates at twice the frequency of the lift." onClick={() => void openGallery("cylinder")}>
            <circle cx="14" cy="28" r="8" fill="currentColor" stroke="none" />
            <path d="M26 20c8-8 16-4 15 3s-10 5-8-1M44 36c8 8 16 4 15-3s-10-5-8 1M62 20c7-8 15-4 14 3s-10 5-8-1" />
          </StartButton>
          <StartButton name="Dam break" description="A column of water collapses and flows along the floor." onClick={() => void openGallery("dam_break")}>
            <path d="M6 50h72M8 50V12h14c4 0 5 4 6 9 3 13 12 22 30 24 8 1 12 2 14 5" />
            <path d="M15 22v20M22 30v12" opacity="0.5" />
          </StartButton>
          <StartButton name="Draw your own" description="An empty channel in which you draw circles, boxes and lines." onClick={() => void openEmptyChannel()}>
            <path d="M4 12h76M4 46h76" opacity="0.5" />
            <path d="M22 29a8 8 0 1 0 16 0a8 8 0 1 0-16 0M52 20h14v10H52z" stroke-dasharray="3 4" />
            <path d="M60 44l14-16 3 3-14 16-4 1z" />
          </StartButton>
        </div>
        <div class="more">
          <AllExamples />
          <button type="button" class="button small" onClick={() => file.current?.click()}>
            <Icon name="folder" /> Open a file
          </button>
          <span>A world file, or a PNG or MP4 of a run. You can also drop it here.</span>
          <input
            ref={file}
            class="hidden"
            type="file"
            tabIndex={-1}
            aria-label="Open a world file, PNG or MP4"
            accept=".toml,.png,.mp4"
            onChange={(event) => void openFile(event.currentTarget.files?.[0])}
          />
          {latest.length > 0 && <span>Recent runs:</span>}
          {latest.map((item) => (
            <button key={item.id} type="button" class="button small" onClick={() => void openListedRun(item)}>
              <RunName of={item} />
            </button>
          ))}
        </div>
      </div>
    </main>
  );
}

function StartButton({ name, description, onClick, children }: { name: string; description: string; onClick: () => void; children: preact.ComponentChildren }) {
  return (
    <button type="button" class="start" onClick={onClick}>
      <svg viewBox="0 0 84 56" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
        {children}
      </svg>
      <b>{name}</b>
      <span>{description}</span>
    </button>
  );
}

/** Describes the stored run. */
function ExampleLabel() {
  const hello = run.hello.value;
  if (!hello) return <div class="label" />;
  const reynolds = hello.reference ? `, Re ${formatNumber(hello.reference.reynolds)}` : "";
  return (
    <div class="label">
      <span class="chip">stored run</span>
      <button type="button" class="button small icon" aria-label={playing.value ? "Pause the stored run" : "Play the stored run"} onClick={() => (playing.value = !playing.value)}>
        <Icon name={playing.value ? "pause" : "play"} size={13} />
      </button>
      <span>
        {hello.title}
        {reynolds}: vorticity and tracers. Computed earlier with this program, played at 1/4 of real time.
      </span>
    </div>
  );
}
