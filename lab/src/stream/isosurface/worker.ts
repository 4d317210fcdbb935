/** A worker that decodes isosurfaces. */

import { decodeSurface, type Domain, type SurfaceMesh } from "./decode";

export interface WorkerAnswer {
  readonly mesh: SurfaceMesh | null;
  /** The reason if there is no mesh. */
  readonly problem: string;
}

export interface WorkerRequest {
  readonly data: Uint8Array;
  /** If given, without the parts at its sides. */
  readonly domain: Domain | null;
}

self.onmessage = async ({ data: { data, domain } }: MessageEvent<WorkerRequest>): Promise<void> => {
  const answer = await decodeSurface(data, domain).then(
    (mesh): WorkerAnswer => ({ mesh, problem: "" }),
    (error: unknown): WorkerAnswer => ({ mesh: null, problem: error instanceof Error ? error.message : String(error) }),
  );
  const { mesh } = answer;
  const transfer = mesh ? [mesh.positions.buffer, mesh.normals.buffer, mesh.triangles.buffer, ...(mesh.colors ? [mesh.colors.buffer] : [])] : [];
  self.postMessage(answer, { transfer });
};
