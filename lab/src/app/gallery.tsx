/** All worlds of the gallery, by solver. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { GalleryWorld } from "../api/types";
import { close, closeOnEscape, useFocusOnOpen } from "./disclosure";
import { Icon } from "./icons";
import { gallery, loadGallery, openGallery } from "./navigation";

const ID = "gallery";

export function byMethod(worlds: readonly GalleryWorld[]): Map<string, GalleryWorld[]> {
  const found = new Map<string, GalleryWorld[]>();
  for (const world of worlds) found.set(world.method, [...(found.get(world.method) ?? []), world]);
  return found;
}

/** A button that shows the worlds below it. */
export function AllExamples() {
  const open = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useFocusOnOpen(open.value, box, "button");
  useEffect(() => void loadGallery(), []);
  useEffect(() => {
    if (open.value) box.current?.scrollIntoView({ behavior: "smooth", block: "start" });
  }, [open.value]);
  const count = gallery.value.length;
  return (
    <>
      <button type="button" class="button small all-examples" aria-expanded={open.value} aria-controls={ID} onClick={() => (open.value = !open.value)}>
        <Icon name="grid" /> {count > 0 ? `All ${count} examples` : "All examples"}
      </button>
      {open.value && (
        <div id={ID} ref={box} class="gallery" onKeyDown={closeOnEscape(open, ID)}>
          {[...byMethod(gallery.value)].map(([method, worlds]) => (
            <section key={method}>
              <h2>{method}</h2>
              <ul>
                {worlds.map((item) => (
                  <li key={item.name}>
                    <button type="button" class="example" onClick={() => void openGallery(item.name)}>
                      <b>{item.title}</b>
                      <span>{item.about}</span>
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          ))}
          <button type="button" class="button small" onClick={() => close(open, ID)}>
            Close
          </button>
        </div>
      )}
    </>
  );
}
