import { describe, expect, it } from "vitest";
import { proposals } from "../src/app/proposals";

describe("proposals", () => {
  it("are parsed as on the command line", () => {
    const found = proposals("--set let.Re=20 --set time.end=6   and   --set domain.spacing=D/40");
    expect(found).toEqual([
      { sets: [{ key: "let.Re", text: "20", value: 20 }, { key: "time.end", text: "6", value: 6 }], question: "" },
      { sets: [{ key: "domain.spacing", text: "D/40", value: "D/40" }], question: "" },
    ]);
  });

  it("on two lines are separate", () => {
    const found = proposals("--set a.slip=false --set b.slip=false\n--set let.w=2*a   wider.");
    expect(found.map(({ sets, question }) => [sets.length, question])).toEqual([[2, ""], [1, "wider."]]);
  });

  it("keep their questions and quoted values", () => {
    const [swing, wider] = proposals(`--set boundaries.top.velocity='["V0*sin(2*pi*t/0.2)", 0]'   a plate that swings: how deep?  --set bodies.post.slip=true no friction.`);
    expect(swing?.sets[0]?.value).toEqual(["V0*sin(2*pi*t/0.2)", 0]);
    expect(swing?.question).toBe("a plate that swings: how deep?");
    expect(wider).toEqual({ sets: [{ key: "bodies.post.slip", text: "true", value: true }], question: "no friction." });
    const [turn] = proposals('--set bodies.cylinder.motion.rotation="(1-cos(8*t))/4"   it swings');
    expect(turn?.sets[0]).toEqual({ key: "bodies.cylinder.motion.rotation", text: "(1-cos(8*t))/4", value: "(1-cos(8*t))/4" });
  });
});
