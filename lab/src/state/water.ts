/** How water looks in three dimensions: what is in the midst of it is seen through it, or without it. */

import { effect, signal } from "@preact/signals";

const KEY = "eddyline water";
const WAYS = ["opaque", "translucent", "hidden"] as const;
export type Water = (typeof WAYS)[number];

export const water = signal<Water>(WAYS.find((way) => way === localStorage.getItem(KEY)) ?? "opaque");

effect(() => localStorage.setItem(KEY, water.value));
