/** Which of the two screens is there: the first one, or the instrument. */

import { signal } from "@preact/signals";

export type Screen = "welcome" | "lab";
export const screen = signal<Screen>(new URL(location.href).searchParams.has("run") ? "lab" : "welcome");
