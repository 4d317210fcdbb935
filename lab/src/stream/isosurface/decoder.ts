/** Decodes isosurfaces in a worker and keeps the latest ones. */

import type { Surface } from "../frame";
import type { Domain, SurfaceMesh } from "./decode";
import type { WorkerAnswer, WorkerRequest } from "./worker";

/** Decodes the bytes of a surface; endsAtSides: without the parts that close it at the sides of the domain. */
export type Decode = (data: Uint8Array, endsAtSides: boolean) => Promise<SurfaceMesh>;

/** The quantity whose surface is that of the fluid: it ends on the sides. */
export const FLUID = "fluid";

const MEMORY_LIMIT = 96e6; // bytes of decoded surfaces

export class SurfaceDecoder {
  /** Decoded surfaces, the least recently used first. */
  private readonly meshes = new Map<Surface, SurfaceMesh>();
  private readonly failed = new WeakSet<Surface>();
  /** The surface to decode next of each slot. */
  private readonly waiting = new Map<number, Surface>();
  private isBusy = false;
  private bytes = 0;

  /** decode: rejects with an Error if the bytes are no surface. */
  constructor(
    private readonly decode: Decode,
    private readonly listener: { decoded(surface: Surface, mesh: SurfaceMesh): void; failed(reason: string): void },
  ) {}

  /** The mesh of a surface; null if it has yet to be decoded, which this requests. A later request for the same slot replaces
   * one that has not begun. */
  mesh(slot: number, surface: Surface): SurfaceMesh | null {
    const mesh = this.meshes.get(surface);
    if (mesh) {
      this.meshes.delete(surface);
      this.meshes.set(surface, mesh);
      this.waiting.delete(slot);
      return mesh;
    }
    if (!this.failed.has(surface)) {
      this.waiting.set(slot, surface);
      void this.work();
    }
    return null;
  }

  /** The mesh of a surface that is decoded; null if it is not. */
  cached(surface: Surface): SurfaceMesh | null {
    return this.meshes.get(surface) ?? null;
  }

  private async work(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    for (let next = this.take(); next; next = this.take()) {
      try {
        const mesh = await this.decode(next.data, next.quantity !== FLUID);
        this.keep(next, mesh);
        this.listener.decoded(next, mesh);
      } catch (error) {
        this.failed.add(next);
        this.listener.failed(error instanceof Error ? error.message : String(error));
      }
    }
    this.isBusy = false;
  }

  private take(): Surface | null {
    for (const [slot, surface] of this.waiting) {
      this.waiting.delete(slot);
      if (!this.meshes.has(surface)) return surface;
    }
    return null;
  }

  private keep(surface: Surface, mesh: SurfaceMesh): void {
    this.meshes.set(surface, mesh);
    this.bytes += sizeOf(mesh);
    for (const [oldest, old] of this.meshes) {
      if (this.bytes <= MEMORY_LIMIT || oldest === surface) return;
      this.meshes.delete(oldest);
      this.bytes -= sizeOf(old);
    }
  }
}

function sizeOf({ positions, normals, triangles, colors }: SurfaceMesh): number {
  return positions.byteLength + normals.byteLength + triangles.byteLength + (colors?.byteLength ?? 0);
}

/** Decodes in a worker, which starts with the first surface. domain: that of the run. */
export function decoderInWorker(domain: () => Domain | null): Decode {
  let worker: Worker | null = null;
  return (data, endsAtSides) =>
    new Promise((resolve, reject) => {
      worker ??= new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
      worker.onmessage = ({ data: { mesh, problem } }: MessageEvent<WorkerAnswer>) => {
        if (mesh) resolve(mesh);
        else reject(new Error(problem));
      };
      worker.onerror = () => {
        worker?.terminate();
        worker = null;
        reject(new Error("surfaces cannot be decoded in this browser"));
      };
      worker.postMessage({ data, domain: endsAtSides ? domain() : null } satisfies WorkerRequest);
    });
}
