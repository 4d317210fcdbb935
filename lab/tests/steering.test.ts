import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { notices } from "../src/state/notices";
import { type Action, handleAcknowledged, sendCommand, setSender, refusalText } from "../src/state/steering";
import { AcknowledgedSchema, PauseSchema, ViscositySchema } from "../src/stream/stream_pb";

const viscosity = (value: string): Action => ({ case: "viscosity", value: create(ViscositySchema, { value }) });
const texts = (): string[] => notices.value.map(({ text }) => text);
const LATE = 15_000;

describe("a command without an answer", () => {
  let ids: string[] = [];
  const answer = (k: number, refusal = ""): void => handleAcknowledged(create(AcknowledgedSchema, { id: ids[k] ?? "", step: 7n, refusal }));

  beforeEach(() => {
    vi.useFakeTimers();
    ids = [];
    notices.value = [];
    setSender(({ id }) => {
      ids.push(id);
      return true;
    });
  });
  afterEach(() => {
    setSender(null);
    vi.useRealTimers();
  });

  it("shows a notice until the answer arrives, and then the answer", async () => {
    const done = sendCommand(viscosity("2e-3"));
    await vi.advanceTimersByTimeAsync(LATE);
    expect(await done).toBe(false);
    expect(texts()).toEqual([expect.stringContaining("No answer to")]);
    answer(0);
    expect(texts()).toEqual(["viscosity 2e-3 m²/s: applied at step 7."]);
  });

  it("keeps the keys of the file in a refusal", () => {
    expect(refusalText("viscosity: fluid.kinematic_viscosity = -1; must be >= 0.")).toBe("fluid.kinematic_viscosity = -1; must be >= 0.");
    expect(refusalText("the solver amr cannot")).toBe("The solver amr cannot");
  });

  it("may be refused later", async () => {
    void sendCommand(viscosity("2e-3"));
    await vi.advanceTimersByTimeAsync(LATE);
    answer(0, "viscosity: must be positive");
    expect(texts()).toEqual(["Refused: viscosity 2e-3 m²/s. Must be positive"]);
  });

  it("shows no notice after a newer command of its kind, or for another run", async () => {
    void sendCommand(viscosity("2e-3"));
    await vi.advanceTimersByTimeAsync(LATE);
    void sendCommand({ case: "pause", value: create(PauseSchema) });
    expect(texts()).toHaveLength(1);
    void sendCommand(viscosity("3e-3"));
    expect(texts()).toEqual([]);
    answer(0);
    expect(texts()).toEqual(["viscosity 2e-3 m²/s: applied at step 7."]); // of the first, all the same
    await vi.advanceTimersByTimeAsync(LATE);
    expect(texts()).toEqual([expect.stringContaining('"pause"'), expect.stringContaining('"viscosity 3e-3 m²/s"')]);
    void sendCommand(viscosity("4e-3"));
    setSender(null);
    expect(texts()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2 * LATE);
    expect(texts()).toEqual([]);
  });

  it("shows no notice if a newer command of its kind was sent meanwhile", async () => {
    void sendCommand(viscosity("2e-3"));
    await vi.advanceTimersByTimeAsync(LATE - 1000);
    void sendCommand(viscosity("3e-3"));
    await vi.advanceTimersByTimeAsync(2000);
    expect(texts()).toEqual([]);
    await vi.advanceTimersByTimeAsync(LATE);
    expect(texts()).toEqual([expect.stringContaining("3e-3")]);
  });

  it("shows no notice if the answer arrives in time", async () => {
    const done = sendCommand(viscosity("2e-3"));
    answer(0);
    expect(await done).toBe(true);
    await vi.advanceTimersByTimeAsync(2 * LATE);
    expect(texts()).toEqual([]);
  });
});
