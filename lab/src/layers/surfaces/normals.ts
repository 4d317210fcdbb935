/** Normals of surfaces made of triangles: smooth where these are round, with sharp edges where they have any. */

/** Of a corner: position [m] and normal, three numbers each. */
export const CORNER_FLOATS = 6;

const SHARP = Math.cos(Math.PI / 4); // faces that meet at a larger angle have an edge between them

/** Corners of all triangles, (triangles x 3 x 6) float32. A normal is the mean over the faces around the vertex that lie
 * within 45 degrees of the corner's own, each by its angle there.
 *
 * vertices: (n x 3), m. triangles: (m x 3) vertices, anticlockwise for who looks from outside. */
export function litCorners(vertices: readonly number[], triangles: readonly number[]): Float32Array {
  const places = Float64Array.from(vertices);
  const corners = Int32Array.from(triangles);
  const { normals, angles } = faces(places, corners);
  const { newest, older } = meeting(corners, places.length / 3);
  const made = new Float32Array(CORNER_FLOATS * corners.length);
  for (let corner = 0; corner < corners.length; corner++) {
    const vertex = corners[corner] as number;
    const own = corner - (corner % 3); // of a face: its first corner, where its normal stands
    let [x, y, z] = [0, 0, 0];
    for (let other = newest[vertex] as number; other >= 0; other = older[other] as number) {
      const face = other - (other % 3);
      if (dot(normals, own, normals, face) < SHARP) continue;
      const angle = angles[other] as number;
      x += angle * (normals[face] as number);
      y += angle * (normals[face + 1] as number);
      z += angle * (normals[face + 2] as number);
    }
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    made.set(places.subarray(3 * vertex, 3 * vertex + 3), CORNER_FLOATS * corner);
    made.set([x / length, y / length, z / length], CORNER_FLOATS * corner + 3);
  }
  return made;
}

type Numbers = Float64Array;

/** normals: (m x 3), unit vectors. angles: (m x 3), at each corner [rad]. */
function faces(places: Numbers, corners: Int32Array): { normals: Numbers; angles: Numbers } {
  const normals = new Float64Array(corners.length);
  const angles = new Float64Array(corners.length);
  const sides = new Float64Array(9); // unit vectors from each corner to the next
  for (let face = 0; face < corners.length; face += 3) {
    for (let k = 0; k < 3; k++) {
      const here = 3 * (corners[face + k] as number);
      const next = 3 * (corners[face + ((k + 1) % 3)] as number);
      for (let axis = 0; axis < 3; axis++) sides[3 * k + axis] = (places[next + axis] as number) - (places[here + axis] as number);
      toUnit(sides, 3 * k);
    }
    for (let axis = 0; axis < 3; axis++) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      normals[face + axis] = (sides[u] as number) * (sides[3 + v] as number) - (sides[v] as number) * (sides[3 + u] as number);
    }
    toUnit(normals, face);
    for (let k = 0; k < 3; k++) {
      angles[face + k] = Math.acos(Math.min(1, Math.max(-1, -dot(sides, 3 * ((k + 2) % 3), sides, 3 * k))));
    }
  }
  return { normals, angles };
}

/** Corners that meet at a vertex, as a chain from the newest on; -1 ends it. */
function meeting(corners: Int32Array, vertices: number): { newest: Int32Array; older: Int32Array } {
  const newest = new Int32Array(vertices).fill(-1);
  const older = new Int32Array(corners.length);
  corners.forEach((vertex, corner) => {
    older[corner] = newest[vertex] as number;
    newest[vertex] = corner;
  });
  return { newest, older };
}

function dot(a: Numbers, at: number, b: Numbers, bt: number): number {
  return (a[at] as number) * (b[bt] as number) + (a[at + 1] as number) * (b[bt + 1] as number) + (a[at + 2] as number) * (b[bt + 2] as number);
}

function toUnit(a: Numbers, at: number): void {
  const length = Math.sqrt(dot(a, at, a, at)) || 1;
  for (let axis = 0; axis < 3; axis++) a[at + axis] = (a[at + axis] as number) / length;
}
