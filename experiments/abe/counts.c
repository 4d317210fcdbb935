/* Repeats recorded exchanges of counts: before each exchange of particles, ranks tell each other how many will come.
 *
 *   counts FILE EXCHANGES
 *
 * FILE: ranks, groups; then for each group and each rank the number of ranks that it sends to, and these ranks. For each
 * way, rank 0 prints a line "WAY TIME ..." with the time of every exchange on every rank [s]. All ranks begin an
 * exchange together. A neighbour is a rank that sends or receives. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALLTOALL, FENCES, CLOSING_FENCE, NO_CLOSING_FENCE, PSCW, LOCK, NEIGHBORHOOD, KNOWN, PERSISTENT, SPARSE, WAYS };
static const char *names[WAYS] = {"alltoall", "put-fences", "put-closing-fence", "put-no-closing-fence", "put-pscw",
                                  "put-lock", "neighborhood", "known", "persistent", "sparse"};

static int self, ranks;
static int *sent, *received; /* counts by rank */
static MPI_Win window;

/* The neighbours of this rank in one group. */
struct group {
  int count, sends;
  int *rank;      /* of each neighbour; those that it sends to come first */
  int receives;   /* number of ranks that send to it */
  MPI_Group mpi;
  MPI_Comm graph;
  MPI_Request *kept; /* persistent requests, 2 for each neighbour */
};

static void fail(const char *text) {
  fprintf(stderr, "counts: %s\n", text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int next_number(FILE *file) {
  int value;
  if (fscanf(file, "%d", &value) != 1) fail("the file ends early");
  return value;
}

static struct group read_group(FILE *file) {
  char *to = calloc((size_t)ranks, 1), *from = calloc((size_t)ranks, 1);
  struct group g = {0, 0, malloc((size_t)ranks * sizeof(int)), 0, MPI_GROUP_NULL, MPI_COMM_NULL, NULL};
  for (int r = 0; r < ranks; ++r)
    for (int k = next_number(file); k > 0; --k) {
      const int other = next_number(file);
      if (r == self) to[other] = 1;
      if (other == self) from[r] = 1;
    }
  for (int r = 0; r < ranks; ++r)
    if (to[r]) g.rank[g.count++] = r;
  g.sends = g.count;
  for (int r = 0; r < ranks; ++r) {
    if (from[r] && !to[r]) g.rank[g.count++] = r;
    g.receives += from[r];
  }
  free(to), free(from);
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, g.count, g.rank, &g.mpi);
  MPI_Group_free(&world);
#ifndef WITHOUT_NEIGHBORHOODS
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, g.count, g.rank, MPI_UNWEIGHTED, g.count, g.rank, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &g.graph);
#endif
  g.kept = malloc(2 * (size_t)g.count * sizeof(MPI_Request));
  for (int k = 0; k < g.count; ++k) {
    MPI_Recv_init(&received[g.rank[k]], 1, MPI_INT, g.rank[k], 9, MPI_COMM_WORLD, &g.kept[k]);
    MPI_Send_init(&sent[g.rank[k]], 1, MPI_INT, g.rank[k], 9, MPI_COMM_WORLD, &g.kept[g.count + k]);
  }
  return g;
}

static void put_all(const struct group *g) {
  for (int k = 0; k < g->sends; ++k)
    MPI_Put(&sent[g->rank[k]], 1, MPI_INT, g->rank[k], self, 1, MPI_INT, window);
}

static void exchange_known(const struct group *g) {
  MPI_Request requests[2 * 1024];
  for (int k = 0; k < g->count; ++k)
    MPI_Irecv(&received[g->rank[k]], 1, MPI_INT, g->rank[k], 7, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < g->count; ++k)
    MPI_Isend(&sent[g->rank[k]], 1, MPI_INT, g->rank[k], 7, MPI_COMM_WORLD, &requests[g->count + k]);
  MPI_Waitall(2 * g->count, requests, MPI_STATUSES_IGNORE);
}

/* Receivers do not know who sends (Hoefler, Siebert & Lumsdaine 2010). */
static void exchange_sparse(const struct group *g) {
  MPI_Request requests[1024], barrier = MPI_REQUEST_NULL;
  int started = 0, done = 0;
  for (int k = 0; k < g->sends; ++k)
    MPI_Issend(&sent[g->rank[k]], 1, MPI_INT, g->rank[k], 8, MPI_COMM_WORLD, &requests[k]);
  while (!done) {
    int arrived = 0, taken = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &arrived, &status);
    if (arrived)
      MPI_Recv(&received[status.MPI_SOURCE], 1, MPI_INT, status.MPI_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (arrived) continue;
    if (started) {
      MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
    } else {
      MPI_Testall(g->sends, requests, &taken, MPI_STATUSES_IGNORE);
      if (taken) MPI_Ibarrier(MPI_COMM_WORLD, &barrier), started = 1;
    }
  }
}

/* Returns the time that counts [s]. */
static double exchange(int way, const struct group *g) {
  double begin = MPI_Wtime(), end = 0;
  switch (way) {
    case ALLTOALL: MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD); break;
    case FENCES:
    case CLOSING_FENCE:
    case NO_CLOSING_FENCE:
      MPI_Win_fence(0, window);
      if (way != FENCES) begin = MPI_Wtime();
      put_all(g);
      end = MPI_Wtime();
      MPI_Win_fence(0, window);
      if (way == NO_CLOSING_FENCE) return end - begin;
      break;
    case PSCW:
      MPI_Win_post(g->mpi, 0, window);
      MPI_Win_start(g->mpi, 0, window);
      put_all(g);
      MPI_Win_complete(window);
      MPI_Win_wait(window);
      break;
    case LOCK:
      for (int k = 0; k < g->sends; ++k) {
        MPI_Win_lock(MPI_LOCK_SHARED, g->rank[k], 0, window);
        MPI_Put(&sent[g->rank[k]], 1, MPI_INT, g->rank[k], self, 1, MPI_INT, window);
        MPI_Win_unlock(g->rank[k], window);
      }
      MPI_Barrier(MPI_COMM_WORLD); /* only then have all counts come */
      break;
    case NEIGHBORHOOD: {
      int to[1024], from[1024];
      for (int k = 0; k < g->count; ++k) to[k] = sent[g->rank[k]];
#ifndef WITHOUT_NEIGHBORHOODS
      MPI_Neighbor_alltoall(to, 1, MPI_INT, from, 1, MPI_INT, g->graph);
#endif
      for (int k = 0; k < g->count; ++k) received[g->rank[k]] = from[k];
      break;
    }
    case KNOWN: exchange_known(g); break;
    case PERSISTENT:
      MPI_Startall(2 * g->count, g->kept);
      MPI_Waitall(2 * g->count, g->kept, MPI_STATUSES_IGNORE);
      break;
    default: exchange_sparse(g);
  }
  end = MPI_Wtime();
  return end - begin;
}

/* Every rank that sends must have told its number. Rank r tells 1 + r, and what does not send tells 0. */
static void check(const struct group *g, int way) {
  int found = 0;
  for (int k = 0; k < g->count; ++k) found += received[g->rank[k]] == 1 + g->rank[k] ? 1 : 0;
  if (found < g->receives) fprintf(stderr, "%s: ", names[way]), fail("a count is missing");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
  if (!file) fail("usage: counts FILE EXCHANGES");
  if (next_number(file) != ranks || ranks > 1024) fail("the file is for another number of ranks, or for over 1,024");
  const int groups = next_number(file), exchanges = atoi(argv[2]);
  sent = malloc((size_t)ranks * sizeof(int)), received = malloc((size_t)ranks * sizeof(int));
  struct group *all = malloc((size_t)groups * sizeof(struct group));
  for (int k = 0; k < groups; ++k) all[k] = read_group(file);
  fclose(file);
  for (int r = 0; r < ranks; ++r) sent[r] = 1 + self;
  MPI_Win_create(received, (MPI_Aint)((size_t)ranks * sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                 &window);
  MPI_Win_fence(0, window);
  double *own = malloc((size_t)exchanges * sizeof(double));
  double *times = self == 0 ? malloc((size_t)exchanges * (size_t)ranks * sizeof(double)) : NULL;
  for (int way = 0; way < WAYS; ++way) {
#ifdef WITHOUT_NEIGHBORHOODS
    if (way == NEIGHBORHOOD) continue;
#endif
    for (int k = 0; k < exchanges; ++k) {
      const struct group *g = &all[k % groups];
      memset(received, 0, (size_t)ranks * sizeof(int));
      MPI_Barrier(MPI_COMM_WORLD);
      own[k] = exchange(way, g);
      check(g, way);
    }
    MPI_Gather(own, exchanges, MPI_DOUBLE, times, exchanges, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (self != 0) continue;
    printf("%s", names[way]);
    for (int k = 0; k < exchanges * ranks; ++k) printf(" %.9g", times[k]);
    printf("\n");
  }
  MPI_Finalize();
  return 0;
}
