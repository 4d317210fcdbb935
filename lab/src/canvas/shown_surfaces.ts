/** The isosurfaces of a frame as they are drawn: decoded, coloured, and faint while a new level is awaited. */

import { ABSORPTION, channels, SERIES, WATER } from "../colors/tokens";
import { quantityOf } from "../colors/quantities";
import { colorTable } from "../colors/maps";
import type { Scale } from "../colors/scale";
import type { IsosurfaceScene, ShownSurface } from "../layers/isosurfaces/layer";
import { planeOf } from "../state/cut";
import { notify } from "../state/notices";
import type { FramePair } from "../state/playback";
import * as run from "../state/run";
import * as surfaces from "../state/surfaces";
import { theme } from "../state/theme";
import * as view from "../state/view";
import { FLUID } from "../state/water";
import type { Frame, Surface } from "../stream/frame";
import type { Domain } from "../stream/isosurface/decode";
import { decoderInWorker, SurfaceDecoder } from "../stream/isosurface/decoder";
import type { View } from "./orbit";

/** Opacity of a surface at an earlier level or with earlier colours, as a share of its own. */
const FAINT = 0.35;

function domain(): Domain | null {
  const hello = run.hello.peek();
  return hello && { lower: [...hello.lower], upper: [...hello.upper] };
}

const decoder = new SurfaceDecoder(decoderInWorker(domain), {
  decoded: (surface, mesh) => {
    keep(surface);
    run.countSurface(surface, mesh);
    view.redraw.value++;
  },
  failed: (reason) => notify("problem", `A surface cannot be shown: ${reason}`),
});

/** The surface that was drawn last for each setting. */
const shown = new Map<number, { readonly surface: Surface; readonly run: string | null }>();

/** Keeps a decoded surface to be drawn: on a busy machine the frame after its own is there before it is decoded. */
function keep(surface: Surface): void {
  for (const { id, quantity, level } of surfaces.shownSettings.peek()) {
    if (quantity !== surface.quantity) continue;
    const isOther = shown.get(id)?.run !== run.runId.peek();
    if (isOther || surface.level === level) shown.set(id, { surface, run: run.runId.peek() });
  }
}

/** The surface of a frame for a setting: as chosen, or the one nearest to it. */
function surfaceFor(frame: Frame, setting: surfaces.SurfaceSetting): Surface | null {
  const color = surfaces.colorOf(setting);
  const found = frame.surfaces.filter(({ quantity }) => quantity === setting.quantity);
  const misfit = (surface: Surface): number => Number(surface.level !== setting.level) + Number(surface.color !== color);
  return found.reduce<Surface | null>((best, surface) => (!best || misfit(surface) < misfit(best) ? surface : best), null);
}

/** True if a frame has a surface that is to be shown. */
export function hasSurface(frame: Frame): boolean {
  return surfaces.shownSettings.value.some(({ quantity }) => frame.surfaces.some((surface) => surface.quantity === quantity));
}

/** The surfaces of the nearer of two frames. While one is being decoded, the one before it is drawn. */
export function shownSurfaces({ before, after, blend }: FramePair): readonly ShownSurface[] {
  const frame = blend > 0.5 ? after : before;
  const list: ShownSurface[] = [];
  for (const setting of surfaces.shownSettings.value) {
    const { id } = setting;
    const wanted = surfaceFor(frame, setting);
    let surface = wanted && decoder.mesh(id, wanted) ? wanted : null;
    const last = shown.get(id);
    if (!surface && last?.run === run.runId.value && last.surface.quantity === setting.quantity) surface = last.surface;
    const mesh = surface && decoder.cached(surface);
    if (!surface || !mesh) continue;
    shown.set(id, { surface, run: run.runId.value });
    const isCurrent = !run.isLive.value || (setting.level === null || surface.level === setting.level) && surface.color === surfaces.colorOf(setting);
    list.push({
      id,
      mesh,
      isWater: setting.quantity === FLUID,
      color: channels(SERIES[theme.value][(id + 1) % SERIES[theme.value].length] as string),
      isColored: setting.isColored && surface.color === view.quantity.value,
      opacity: setting.opacity * (isCurrent ? 1 : FAINT),
    });
  }
  return list;
}

export function isosurfaceScene(list: readonly ShownSurface[], orbitView: View, scale: Scale): IsosurfaceScene {
  const { lower = [], upper = [] } = run.hello.value ?? {};
  const { ground, tile, line, deep, horizon, zenith } = WATER[theme.value];
  return {
    surfaces: list,
    view: orbitView,
    lower,
    upper,
    plane: planeOf(surfaces.cut.value, lower, upper),
    scale,
    table: colorTable(quantityOf(view.quantity.value).map),
    colors: {
      ground: channels(ground), tile: channels(tile), line: channels(line),
      absorption: ABSORPTION[theme.value],
      deep: channels(deep), horizon: channels(horizon), zenith: channels(zenith),
    },
  };
}
