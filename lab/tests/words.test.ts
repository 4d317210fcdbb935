import { describe, expect, it } from "vitest";
import { moment, numberOf } from "../src/app/words";

describe("words", () => {
  it("says when a run began, with the day only if it was another", () => {
    const now = new Date(2030, 4, 6, 18, 0);
    expect(moment(new Date(2030, 4, 6, 9, 5).toISOString(), now)).toBe("09:05");
    expect(moment(new Date(2030, 4, 5, 9, 5).toISOString(), now)).toBe("5 May, 09:05");
    expect(moment("", now)).toBe("");
  });

  it("numbers runs as their folders do", () => {
    expect(numberOf("/runs/cylinder/0003")).toBe("3");
    expect(numberOf("")).toBe("");
  });
});
