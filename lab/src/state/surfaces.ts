/** Isosurfaces of a 3D run: which are shown, at which levels, and the plane that cuts them. */

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { Frame, Histogram, Surface } from "../stream/frame";
import { isSameRequest } from "../stream/frames";
import type { SurfaceQuantity } from "../stream/stream_pb";
import type { Cut } from "./cut";
import { followedLevel, LevelRequests } from "./levels";
import { hasStoredSurfaces, hello, is3d, latestFrame, runId } from "./run";
import * as view from "./view";
import { FLUID, showsVortices, shownWaterMode, VORTICES } from "./water";

/** A surface that the user has chosen. */
export interface SurfaceSetting {
  readonly id: number;
  readonly quantity: string;
  /** The value on the surface, in the unit of the quantity; null until the first histogram suggests one. */
  readonly level: number | null;
  /** True if the level is the user's own; else it follows the values of the run. */
  readonly isChosen: boolean;
  /** True if the displayed quantity colours it. */
  readonly isColored: boolean;
  /** 0 to 1. */
  readonly opacity: number;
}

export const MAX_SURFACES = 3; // beside water; a viewer may request four
export const WATER_ID = 0;

export const settings = signal<readonly SurfaceSetting[]>([]);
export const isWaterColored = signal(false);
export const cut = signal<Cut | null>(null);
/** True if the panel of surfaces is open. */
export const panelOpen = signal(false);
/** True if histograms are needed: for the panel, or for the first level of a surface. */
export const needsHistograms = computed(() => panelOpen.value || settings.value.some(({ level }) => level === null));

const LEAST_OF_VORTICES = 0.1; // suggested level over the highest value: most values of Q are near 0

const requests = new LevelRequests();
let lastId = WATER_ID;

/** Quantities of which the run can make surfaces, without its water. */
export const surfaceQuantities = computed<readonly SurfaceQuantity[]>(() => hello.value?.surfaces.filter(({ name }) => name !== FLUID) ?? []);
export const offersSurfaces = computed(() => (hello.value?.surfaces.length ?? 0) > 0);

/** True if the displayed quantity can colour surfaces. */
export const canColor = computed(() => hello.value?.surfaceColors.includes(view.quantity.value) ?? false);

/** All surfaces to be shown, water first. */
export const shownSettings = computed<readonly SurfaceSetting[]>(() => {
  const water: SurfaceSetting = { id: WATER_ID, quantity: FLUID, level: startLevel(FLUID), isChosen: true, isColored: isWaterColored.value, opacity: 1 };
  return shownWaterMode.value === "surface" ? [water, ...settings.value] : settings.value;
});

/** True if a shown surface has the colours of the displayed quantity. */
export const showsColors = computed(() => canColor.value && shownSettings.value.some(({ isColored }) => isColored));

function startLevel(quantity: string): number {
  return hello.value?.surfaces.find(({ name }) => name === quantity)?.level ?? 0;
}

/** True if pictures of the past are made from stored surfaces. */
export const usesStored = computed(() => hasStoredSurfaces.value && is3d.value && shownSettings.value.length > 0);

export function colorOf({ isColored }: SurfaceSetting): string {
  return isColored && canColor.value ? view.quantity.value : "";
}

export type Request = Pick<Surface, "quantity" | "level" | "color" | "stride">;

/** The surfaces to request from the run. */
export const requested = signal<readonly Request[]>([]);

/** The request for a setting, at the level that the run was asked for. */
function requestFor(setting: SurfaceSetting, now: number): Request {
  const level = setting.level ?? startLevel(setting.quantity);
  const frame = latestFrame.value;
  const answered = (asked: number): boolean => [...(frame?.surfaces ?? []), ...(frame?.refusedSurfaces ?? [])].some((each) => each.quantity === setting.quantity && each.level === asked);
  return { quantity: setting.quantity, level: requests.next(setting.id, level, answered, now), color: colorOf(setting), stride: 1 };
}

effect(() => {
  const next = shownSettings.value.map((setting) => requestFor(setting, performance.now()));
  const before = requested.peek();
  const isSame = next.length === before.length && next.every((request, k) => isSameRequest(request, before[k] as Request));
  if (!isSame) requested.value = next;
});

effect(() => {
  runId.value;
  batch(() => {
    settings.value = [];
    cut.value = null;
  });
  requests.clear();
});

let begunRun = "";

/** Shows a confined flow by its vortices at first. */
effect(() => {
  const id = runId.value;
  if (!id || id === begunRun || !showsVortices.value) return;
  begunRun = id;
  untracked(() => {
    if (settings.value.length === 0) addSurface(VORTICES);
  });
});

/** Takes a level from the histogram for surfaces whose level the user has not chosen. */
effect(() => {
  const frame = latestFrame.value;
  for (const { id, quantity, level, isChosen } of settings.value) {
    const histogram = isChosen ? null : histogramOf(frame, quantity);
    const next = histogram ? followedLevel(level, histogram, quantity === VORTICES ? LEAST_OF_VORTICES * histogram.high : undefined) : level;
    if (next !== level) changeSurface(id, { level: next });
  }
});

export function histogramOf(frame: Frame | null, quantity: string): Histogram | null {
  return frame?.surfaces.find((surface) => surface.quantity === quantity && surface.histogram)?.histogram ?? null;
}

/** Adds a surface of the displayed quantity if there is none yet. */
export function addFirst(): void {
  if (settings.value.length === 0) addSurface();
}

/** Adds a surface of `quantity`, by default of the displayed one, or of another one if it has a surface already. */
export function addSurface(quantity: string = view.quantity.value): void {
  const used = settings.value.map(({ quantity }) => quantity);
  const unused = surfaceQuantities.value.filter(({ name }) => !used.includes(name));
  const next = unused.find(({ name }) => name === quantity) ?? unused[0] ?? surfaceQuantities.value[0];
  if (!next || settings.value.length >= MAX_SURFACES) return;
  settings.value = [...settings.value, { id: ++lastId, quantity: next.name, level: null, isChosen: false, isColored: false, opacity: 0.7 }];
}

export function changeSurface(id: number, change: Partial<Omit<SurfaceSetting, "id">>): void {
  settings.value = settings.value.map((setting) => (setting.id === id ? { ...setting, ...change } : setting));
}

export function removeSurface(id: number): void {
  settings.value = settings.value.filter((setting) => setting.id !== id);
}
