/** The page: first screen or instrument. */

import { useEffect } from "preact/hooks";
import { Stage } from "../canvas/stage";
import { Charts } from "../charts/charts";
import { dismiss, notices } from "../state/notices";
import { hasSheet, sheetOpen } from "../state/room";
import { screen } from "../state/screen";
import { Timeline } from "../timeline/timeline";
import { Header } from "./header";
import { Icon } from "./icons";
import { listen } from "./keyboard";
import { Left } from "./left";
import { Machine } from "./machine";
import { Right } from "./right";
import { loadGallery, openAddress, openFile } from "./screens";
import { Welcome } from "./welcome";

let cameFromWelcome = false;

export function App() {
  useEffect(() => {
    const stop = listen();
    const over = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      void openFile(event.dataTransfer?.files[0]);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", drop);
    void loadGallery();
    void openAddress();
    return () => {
      stop();
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", drop);
    };
  }, []);
  return (
    <>
      {screen.value === "welcome" ? <FirstScreen key="welcome" /> : <Lab key="lab" />}
      <Notices />
    </>
  );
}

function FirstScreen() {
  useEffect(() => {
    cameFromWelcome = true;
  }, []);
  return <Welcome />;
}

function Lab() {
  useEffect(() => {
    // what opened it on the first screen has gone, and the keyboard with it
    if (cameFromWelcome && document.activeElement === document.body) document.getElementById("world-title")?.focus();
    cameFromWelcome = false;
  }, []);
  return (
    <div class={hasSheet.value && sheetOpen.value ? "lab with-sheet" : "lab"}>
      <Header />
      <Left />
      <main style={{ display: "contents" }}>
        <Stage />
        <Charts />
        <Timeline />
      </main>
      <Right />
      <Machine />
    </div>
  );
}

function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((notice) => (
        <div key={notice.id} class={`notice ${notice.kind}`}>
          <p>{notice.text}</p>
          <button type="button" class="button bare icon small" aria-label="Close the message" onClick={() => dismiss(notice.id)}>
            <Icon name="close" size={13} />
          </button>
        </div>
      ))}
    </div>
  );
}
