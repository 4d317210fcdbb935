/** The page: home screen or lab. */

import { useEffect } from "preact/hooks";
import { Stage } from "../canvas/stage";
import { Charts } from "../charts/charts";
import { dismiss, notices } from "../state/notices";
import { hasSheet, sheetOpen } from "../state/layout";
import { screen } from "../state/screen";
import { Timeline } from "../timeline/timeline";
import { Header } from "./header";
import { Icon } from "./icons";
import { listenToKeys } from "./keyboard";
import { ToolPanel } from "./tools";
import { Machine } from "./machine";
import { Sidebar } from "./sidebar";
import { loadGallery, openRunInUrl, openFile } from "./navigation";
import { Home } from "./home";

let cameFromHome = false;

export function App() {
  useEffect(() => {
    const stop = listenToKeys();
    const onDragOver = (event: DragEvent): void => event.preventDefault();
    const onDrop = (event: DragEvent): void => {
      event.preventDefault();
      void openFile(event.dataTransfer?.files[0]);
    };
    document.addEventListener("dragover", onDragOver);
    document.addEventListener("drop", onDrop);
    void loadGallery();
    void openRunInUrl();
    return () => {
      stop();
      document.removeEventListener("dragover", onDragOver);
      document.removeEventListener("drop", onDrop);
    };
  }, []);
  return (
    <>
      {screen.value === "home" ? <HomeScreen key="home" /> : <Lab key="lab" />}
      <Notices />
    </>
  );
}

function HomeScreen() {
  useEffect(() => {
    cameFromHome = true;
  }, []);
  return <Home />;
}

function Lab() {
  useEffect(() => {
    // the focused button of the home screen no longer exists
    if (cameFromHome && document.activeElement === document.body) document.getElementById("world-title")?.focus();
    cameFromHome = false;
  }, []);
  return (
    <div class={hasSheet.value && sheetOpen.value ? "lab with-sheet" : "lab"}>
      <Header />
      <ToolPanel />
      <main style={{ display: "contents" }}>
        <Stage />
        <Charts />
        <Timeline />
      </main>
      <Sidebar />
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
          <button type="button" class="button bare icon small" aria-label="Close message" onClick={() => dismiss(notice.id)}>
            <Icon name="close" size={13} />
          </button>
        </div>
      ))}
    </div>
  );
}
