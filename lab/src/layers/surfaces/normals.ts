/** Vertex normals of triangulated surfaces: smooth on curved parts, discontinuous at sharp edges. */

/** Numbers per corner: position [m] and normal, three each. */
export const CORNER_FLOATS = 6;

const MIN_COSINE = Math.cos(Math.PI / 4); // a larger angle between faces makes a sharp edge

/** Corners of all triangles, (triangles x 3 x 6) float32. A normal is the angle-weighted mean over the adjacent faces within
 * 45 degrees of the corner's own face.
 *
 * vertices: (n x 3) [m]. triangles: (m x 3) vertex indices, anticlockwise seen from outside. */
export function cornersWithNormals(vertices: readonly number[], triangles: readonly number[]): Float32Array {
  const positions = Float64Array.from(vertices);
  const corners = Int32Array.from(triangles);
  const { normals, angles } = faceGeometry(positions, corners);
  const { newest, older } = cornersOfVertices(corners, positions.length / 3);
  const data = new Float32Array(CORNER_FLOATS * corners.length);
  for (let corner = 0; corner < corners.length; corner++) {
    const vertex = corners[corner] as number;
    const own = corner - (corner % 3); // first corner of the face, where its normal is stored
    let [x, y, z] = [0, 0, 0];
    for (let other = newest[vertex] as number; other >= 0; other = older[other] as number) {
      const face = other - (other % 3);
      if (dot(normals, own, normals, face) < MIN_COSINE) continue;
      const angle = angles[other] as number;
      x += angle * (normals[face] as number);
      y += angle * (normals[face + 1] as number);
      z += angle * (normals[face + 2] as number);
    }
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    data.set(positions.subarray(3 * vertex, 3 * vertex + 3), CORNER_FLOATS * corner);
    data.set([x / length, y / length, z / length], CORNER_FLOATS * corner + 3);
  }
  return data;
}

type Values = Float64Array;

/** Unit normals (m x 3), and angles at the corners (m x 3) [rad]. */
function faceGeometry(positions: Values, corners: Int32Array): { normals: Values; angles: Values } {
  const normals = new Float64Array(corners.length);
  const angles = new Float64Array(corners.length);
  const sides = new Float64Array(9); // unit vectors from each corner to the next
  for (let face = 0; face < corners.length; face += 3) {
    for (let k = 0; k < 3; k++) {
      const here = 3 * (corners[face + k] as number);
      const next = 3 * (corners[face + ((k + 1) % 3)] as number);
      for (let axis = 0; axis < 3; axis++) sides[3 * k + axis] = (positions[next + axis] as number) - (positions[here + axis] as number);
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

/** Corners at each vertex as linked lists: `newest` is the head, `older` the next one, -1 the end. */
function cornersOfVertices(corners: Int32Array, vertices: number): { newest: Int32Array; older: Int32Array } {
  const newest = new Int32Array(vertices).fill(-1);
  const older = new Int32Array(corners.length);
  corners.forEach((vertex, corner) => {
    older[corner] = newest[vertex] as number;
    newest[vertex] = corner;
  });
  return { newest, older };
}

function dot(a: Values, at: number, b: Values, bt: number): number {
  return (a[at] as number) * (b[bt] as number) + (a[at + 1] as number) * (b[bt + 1] as number) + (a[at + 2] as number) * (b[bt + 2] as number);
}

function toUnit(a: Values, at: number): void {
  const length = Math.sqrt(dot(a, at, a, at)) || 1;
  for (let axis = 0; axis < 3; axis++) a[at + axis] = (a[at + axis] as number) / length;
}
