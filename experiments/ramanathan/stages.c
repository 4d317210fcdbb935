/* Stages of the wave equation on patches: each rank of a periodic mesh of ranks has a cube of patches, whose ghosts come
 * from patches of 26 sides and edges.
 *
 *   stages RANKS_X RANKS_Y RANKS_Z EDGE CELLS_X CELLS_Y CELLS_Z SECONDS WAY STAGES
 *
 * EDGE: patches along an edge of a rank's part; CELLS: of that part; SECONDS: of computing a cell for a stage. WAY:
 *   alone        messages are packed and unpacked, and nothing travels
 *   blocking     one message to each neighbour, and nothing is computed before all have arrived
 *   nonblocking  one message to each neighbour; patches in the interior are computed while they travel
 *   threaded     one message for each parcel and neighbour; it leaves as soon as its patches have been computed, and
 *                patches are computed as soon as the parcels they need are there
 * Rank 0 prints "TOTAL SECONDS" of a stage, and "RANK PATCH BEGIN END" [s] for the patches of the last stages. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARCELS = 8, PATCHES = 64, GHOSTS = 2, NEIGHBORS = 26, SHOWN = 2 };
static const double speed = 1e9; /* flops of a host in a second */
static const double per_byte = 1.0 / 5e9, per_message = 0.5e-6; /* seconds of packing or unpacking, and of a message */

static int self, edge, patches, parcels;
static int ranks[3], place[3];
static double cells[3], seconds;

/* Bytes of a parcel to a neighbour, and whether a patch needs a parcel of another rank. */
static double bytes[PARCELS][NEIGHBORS];
static int peers[NEIGHBORS], border[PATCHES];
static unsigned needs[PATCHES];

static void work(double time) {
  if (time > 0) smpi_execute_flops(time * speed);
}

static int parcel_of(int patch) { return patches <= PARCELS ? patch : patch * PARCELS / patches; }

static int peer(const int *step) {
  int at[3];
  for (int d = 0; d < 3; ++d) at[d] = (place[d] + step[d] + ranks[d]) % ranks[d];
  return (at[2] * ranks[1] + at[1]) * ranks[0] + at[0];
}

static int number_of(const int *step) {
  const int n = (step[2] + 1) * 9 + (step[1] + 1) * 3 + step[0] + 1;
  return n < 13 ? n : n - 1;
}

/* Every patch gives ghosts to the 26 around it; those beyond the part of this rank are on another one. */
static void plan(void) {
  int step[3], at[3];
  for (step[2] = -1; step[2] <= 1; ++step[2])
    for (step[1] = -1; step[1] <= 1; ++step[1])
      for (step[0] = -1; step[0] <= 1; ++step[0])
        if (step[0] != 0 || step[1] != 0 || step[2] != 0) peers[number_of(step)] = peer(step);
  for (int patch = 0; patch < patches; ++patch) {
    at[0] = patch % edge, at[1] = patch / edge % edge, at[2] = patch / edge / edge;
    for (step[2] = -1; step[2] <= 1; ++step[2])
      for (step[1] = -1; step[1] <= 1; ++step[1])
        for (step[0] = -1; step[0] <= 1; ++step[0]) {
          int beyond[3];
          double size = 8;
          for (int d = 0; d < 3; ++d) {
            const int to = at[d] + step[d];
            beyond[d] = to < 0 ? -1 : to >= edge;
            size *= step[d] == 0 ? cells[d] / edge : GHOSTS;
          }
          if ((beyond[0] | beyond[1] | beyond[2]) == 0) continue;
          if (peer(beyond) == self) continue;
          const int giver = (((at[2] + step[2] + edge) % edge) * edge + (at[1] + step[1] + edge) % edge) * edge +
                            (at[0] + step[0] + edge) % edge;
          border[patch] = 1;
          needs[patch] |= 1u << parcel_of(giver);
          bytes[parcel_of(patch)][number_of(beyond)] += size;
        }
  }
}

/* The parcels that travel: those of one state are received while those of the next one leave. */
static MPI_Request sends[PARCELS][NEIGHBORS], receives[PARCELS][NEIGHBORS];
static char *memory[2][PARCELS][NEIGHBORS];
static unsigned arrived;

static int opposite(int n) { return NEIGHBORS - 1 - n; }

static void start(int parcel) {
  for (int n = 0; n < NEIGHBORS; ++n) {
    sends[parcel][n] = receives[parcel][n] = MPI_REQUEST_NULL;
    const int size = (int)bytes[parcel][n], in = (int)bytes[parcel][opposite(n)];
    /* The part of the neighbour is like this one: from direction n comes what it sends the opposite way. */
    if (in > 0)
      MPI_Irecv(memory[0][parcel][n], in, MPI_BYTE, peers[n], 32 * parcel + opposite(n), MPI_COMM_WORLD,
                &receives[parcel][n]);
    if (size == 0) continue;
    work(per_message + per_byte * size);
    MPI_Isend(memory[1][parcel][n], size, MPI_BYTE, peers[n], 32 * parcel + n, MPI_COMM_WORLD, &sends[parcel][n]);
  }
}

static void unpack(int parcel) {
  double all = 0;
  for (int n = 0; n < NEIGHBORS; ++n) all += per_byte * bytes[parcel][opposite(n)];
  work(all);
  MPI_Waitall(NEIGHBORS, sends[parcel], MPI_STATUSES_IGNORE);
  arrived |= 1u << parcel;
}

static void wait_for(unsigned some) {
  for (int p = 0; p < parcels; ++p)
    if ((some & ~arrived & 1u << p) != 0) {
      MPI_Waitall(NEIGHBORS, receives[p], MPI_STATUSES_IGNORE);
      unpack(p);
    }
}

static int is_there(unsigned some) {
  for (int p = 0; p < parcels; ++p)
    if ((some & ~arrived & 1u << p) != 0) {
      int done = 0;
      MPI_Testall(NEIGHBORS, receives[p], &done, MPI_STATUSES_IGNORE);
      if (done) unpack(p);
    }
  return (some & ~arrived) == 0;
}

static double times[SHOWN][PATCHES][2], zero;
static int shown = -1; /* of the last stages */

static void compute(int patch) {
  const double begin = MPI_Wtime();
  work(seconds * cells[0] * cells[1] * cells[2] / patches);
  if (shown >= 0) times[shown][patch][0] = begin - zero, times[shown][patch][1] = MPI_Wtime() - zero;
}

static void compute_all(int which) {
  for (int patch = 0; patch < patches; ++patch)
    if (border[patch] == which) compute(patch);
}

static void stage(const char *way, unsigned ahead) {
  if (strcmp(way, "alone") == 0) {
    for (int n = 0; n < NEIGHBORS; ++n)
      if (bytes[0][n] > 0) work(per_message + 2 * per_byte * bytes[0][n]);
    compute_all(0), compute_all(1);
    return;
  }
  const unsigned all = (1u << parcels) - 1;
  if (strcmp(way, "threaded") != 0) {
    arrived = 0;
    start(0);
    if (strcmp(way, "blocking") == 0) wait_for(all);
    compute_all(0);
    wait_for(all);
    compute_all(1);
    return;
  }
  unsigned sent = 0;
  int left[PATCHES], of_parcel[PARCELS] = {0}, waiting = 0, interior = 0;
  for (int patch = 0; patch < patches; ++patch) {
    left[patch] = 1;
    if (border[patch]) ++of_parcel[parcel_of(patch)], ++waiting;
  }
  while (waiting > 0) {
    int next = -1;
    for (int patch = 0; patch < patches && next < 0; ++patch)
      if (left[patch] && border[patch] && is_there(needs[patch])) next = patch;
    if (next < 0) {
      while (interior < patches && (border[interior] || !left[interior])) ++interior;
      if (interior < patches) {
        compute(interior);
        left[interior] = 0;
        continue;
      }
      for (next = 0; !(left[next] && border[next]);) ++next;
      wait_for(needs[next]);
    }
    compute(next);
    left[next] = 0, --waiting;
    --of_parcel[parcel_of(next)];
    for (int p = 0; p < parcels; ++p)
      if (ahead && of_parcel[p] == 0 && (sent & 1u << p) == 0 && is_there(1u << p)) start(p), sent |= 1u << p;
  }
  for (int patch = 0; patch < patches; ++patch)
    if (left[patch]) compute(patch);
  wait_for(all);
  for (int p = 0; p < parcels; ++p)
    if (ahead && (sent & 1u << p) == 0) start(p);
  arrived = 0;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 11) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int d = 0; d < 3; ++d) ranks[d] = atoi(argv[1 + d]), cells[d] = atof(argv[5 + d]);
  edge = atoi(argv[4]), seconds = atof(argv[8]);
  const char *way = argv[9];
  const int stages = atoi(argv[10]);
  patches = edge * edge * edge;
  parcels = strcmp(way, "threaded") != 0 ? 1 : PARCELS;
  if (patches > PATCHES || ranks[0] * ranks[1] * ranks[2] != size) MPI_Abort(MPI_COMM_WORLD, 1);
  place[0] = self % ranks[0], place[1] = self / ranks[0] % ranks[1], place[2] = self / ranks[0] / ranks[1];
  plan();
  if (parcels == 1)
    for (int p = 1; p < PARCELS; ++p)
      for (int n = 0; n < NEIGHBORS; ++n) bytes[0][n] += bytes[p][n];
  for (int p = 0; p < parcels; ++p)
    for (int n = 0; n < NEIGHBORS; ++n)
      memory[0][p][n] = malloc((size_t)bytes[p][opposite(n)] + 1), memory[1][p][n] = malloc((size_t)bytes[p][n] + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  zero = MPI_Wtime();
  if (strcmp(way, "threaded") == 0)
    for (int p = 0; p < parcels; ++p) start(p);
  for (int k = 0; k < stages; ++k) {
    shown = k - (stages - SHOWN);
    stage(way, k + 1 < stages);
  }
  double took = MPI_Wtime() - zero, longest;
  MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  double *all = malloc(sizeof times * (size_t)size);
  MPI_Gather(times, SHOWN * PATCHES * 2, MPI_DOUBLE, all, SHOWN * PATCHES * 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (self == 0) {
    printf("TOTAL %.9g\n", longest / stages);
    for (int r = 0; r < size; ++r)
      for (int s = 0; s < SHOWN; ++s)
        for (int p = 0; p < patches; ++p) {
          const double *one = all + ((size_t)(r * SHOWN + s) * PATCHES + (size_t)p) * 2;
          printf("%d %d %.9g %.9g\n", r, p, one[0], one[1]);
        }
  }
  MPI_Finalize();
  return 0;
}
