/** The current screen: home or lab. */

import { signal } from "@preact/signals";

export type Screen = "home" | "lab";
export const screen = signal<Screen>(new URL(location.href).searchParams.has("run") ? "lab" : "home");
