/** Triangles of a lattice cell by the signs of its eight corners.
 *
 * Corner c lies at x + 2 y + 4 z. Edge e = 4 axis + b + 2 c, where b and c are the place along the two other axes in order. On a
 * face with two inside corners diagonally opposite, these corners are apart: the signs alone then decide, and two cells never
 * disagree about the face between them. */

/** Corners of the faces, anticlockwise seen from outside. */
const FACES = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]] as const;
const CORNERS = 256;
const EDGES = 12;
const HUGE_COST = 1 << 20;

/** Triangles for each combination of signs (bit c: corner c is inside): three edges each, anticlockwise seen from outside. */
export const CASES: readonly Uint8Array[] = Array.from({ length: CORNERS }, (_, signs) => Uint8Array.from(loopsOf(signs).flatMap(triangulated)));

function edgeBetween(a: number, b: number): number {
  const axis = Math.log2(a ^ b);
  const low = a & b;
  const [first, second] = [axis === 0 ? 1 : 0, axis === 2 ? 1 : 2];
  return 4 * axis + ((low >> first) & 1) + 2 * ((low >> second) & 1);
}

/** Closed loops of edges in which the surface leaves the faces of the cell. */
function loopsOf(signs: number): number[][] {
  const next = new Array<number>(EDGES).fill(-1);
  for (const face of FACES) {
    const corner = (k: number): number => face[(k & 3) as 0 | 1 | 2 | 3];
    const inside = (k: number): boolean => ((signs >> corner(k)) & 1) === 1;
    for (let k = 0; k < 4; k++) {
      if (!inside(k) || inside(k + 1)) continue;
      let to = k + 3; // the entry before this exit, so that the inside corner is cut off alone
      while (!(!inside(to) && inside(to + 1))) to--;
      next[edgeBetween(corner(k), corner(k + 1))] = edgeBetween(corner(to), corner(to + 1));
    }
  }
  const used = new Set<number>();
  const loops: number[][] = [];
  for (let edge = 0; edge < EDGES; edge++) {
    if ((next[edge] as number) < 0 || used.has(edge)) continue;
    const loop: number[] = [];
    for (let at = edge; !used.has(at); at = next[at] as number) {
      used.add(at);
      loop.push(at);
    }
    loops.push(loop);
  }
  return loops;
}

function isOnFace(edge: number, face: number): boolean {
  const axis = edge >> 2;
  const [normal, side] = [face >> 1, face & 1];
  if (normal === axis) return false;
  return (normal === (axis === 0 ? 1 : 0) ? edge & 1 : (edge >> 1) & 1) === side;
}

function shareFace(a: number, b: number): boolean {
  return FACES.some((_, face) => isOnFace(a, face) && isOnFace(b, face));
}

/** Triangles of a loop, with the fewest diagonals in faces of the cell: the neighbour could have the same ones. */
function triangulated(loop: readonly number[]): number[] {
  const n = loop.length;
  const cost = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  const split = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  for (let length = 2; length < n; length++) {
    for (let i = 0; i + length < n; i++) {
      const j = i + length;
      let best = HUGE_COST;
      for (let k = i + 1; k < j; k++) {
        const sum = (cost[i]?.[k] ?? 0) + (cost[k]?.[j] ?? 0);
        if (sum >= best) continue;
        best = sum;
        (split[i] as number[])[j] = k;
      }
      const isDiagonal = i > 0 || j < n - 1;
      (cost[i] as number[])[j] = best + Number(isDiagonal && shareFace(loop[i] as number, loop[j] as number));
    }
  }
  const edges: number[] = [];
  const emit = (i: number, j: number): void => {
    if (j - i < 2) return;
    const k = split[i]?.[j] ?? i + 1;
    emit(i, k);
    edges.push(loop[i] as number, loop[j] as number, loop[k] as number);
    emit(k, j);
  };
  emit(0, n - 1);
  return edges;
}
