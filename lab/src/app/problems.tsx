/** The problems of the world; each opens its line in the file. */

import { formatProblem } from "../api/client";
import * as world from "../state/world";
import { jumpTo } from "./file";
import { tab } from "./sidebar";

export function Problems() {
  const problems = world.problems.value;
  if (problems.length === 0) return null;
  return (
    <div class="group problems" role="alert">
      <h2>{problems.length === 1 ? "1 problem" : `${problems.length} problems`}</h2>
      {problems.map((problem) => (
        <button
          key={formatProblem(problem)}
          type="button"
          class="problem"
          onClick={() => {
            tab.value = "file";
            if (problem.line) jumpTo(problem.line);
          }}
        >
          {formatProblem(problem)}
        </button>
      ))}
    </div>
  );
}
