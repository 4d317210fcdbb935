import { describe, expect, it } from "vitest";
import { formatDate, runNumber } from "../src/app/format";

describe("formats", () => {
  it("shows the start time, with the date only on another day", () => {
    const now = new Date(2030, 4, 6, 18, 0);
    expect(formatDate(new Date(2030, 4, 6, 9, 5).toISOString(), now)).toBe("09:05");
    expect(formatDate(new Date(2030, 4, 5, 9, 5).toISOString(), now)).toBe("5 May, 09:05");
    expect(formatDate("", now)).toBe("");
  });

  it("takes run numbers from folders", () => {
    expect(runNumber("/runs/cylinder/0003")).toBe("3");
    expect(runNumber("")).toBe("");
  });
});
