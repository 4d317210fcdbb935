/** The averaging window, chosen by dragging across a chart. */

import { signal } from "@preact/signals";
import type { Window } from "../stream/series";

export const averaging = signal<Window | null>(null);
