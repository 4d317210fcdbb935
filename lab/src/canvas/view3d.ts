/** The view of the displayed 3D run. */

import * as run from "../state/run";
import { offersSurfaces, panelOpen } from "../state/surfaces";
import { orbit, viewFrom, type View } from "./orbit";

const NARROW_WIDTH = 620; // CSS pixels, as in styles/stage.css: the panel of surfaces then covers the lower part of the canvas
const LIFT = 0.42; // of the picture above the panel, in half canvas heights

/** The view on a canvas of the given size [CSS pixels]. */
export function currentView({ width, height }: { readonly width: number; readonly height: number }): View {
  const { lower = [], upper = [] } = run.hello.value ?? {};
  const isCovered = width < NARROW_WIDTH && offersSurfaces.value && panelOpen.value;
  return viewFrom(orbit.value, lower, upper, width, height, isCovered ? LIFT : 0);
}
