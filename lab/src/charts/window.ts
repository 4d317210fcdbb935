/** The averaging window, selected by dragging across a chart. */

import { signal } from "@preact/signals";
import type { Window } from "../stream/series";

export const averagingWindow = signal<Window | null>(null);
