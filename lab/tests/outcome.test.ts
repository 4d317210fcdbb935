import { create } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { EndedSchema } from "../src/stream/stream_pb";

describe("outcome", () => {
  beforeAll(() => {
    const query = { matches: false, addEventListener: () => undefined };
    vi.stubGlobal("location", new URL("http://localhost/"));
    vi.stubGlobal("matchMedia", () => query);
    vi.stubGlobal("window", globalThis);
    vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => undefined });
    vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined });
  });

  it("is that of the stream, or of the list while the last files are being written", async () => {
    const run = await import("../src/state/run");
    const { runs } = await import("../src/state/runs");
    const { outcome, unfinished } = await import("../src/state/outcome");
    expect(outcome.value).toBeNull();
    run.runId.value = "7";
    run.ended.value = create(EndedSchema, { outcome: "not closed", message: "disk full" });
    expect(outcome.value).toEqual({ name: "not closed", message: "disk full" });
    expect(["not closed", "stopped by user", "failed", "finished"].map((name) => unfinished(name)?.chip)).toEqual(["warn", "warn", "bad", undefined]);
    run.ended.value = create(EndedSchema, { outcome: "running" });
    expect(outcome.value?.name).toBe("running");
    const listed = { id: "7", title: "", world: "", state: "failed", created: "", folder: "", message: "too fast", predicted_seconds: 0, actual_seconds: 0 };
    runs.value = [listed];
    expect(outcome.value).toEqual({ name: "failed", message: "too fast" });
  });
});
