/* Blocks of a flow solver on nodes: each computes, then exchanges the faces of its blocks.
 *
 *   exchange FILE synchronous|asynchronous
 *
 * FILE: nodes, messages, rounds, seconds to pack a byte; seconds of computing of each node in a round; then for each
 * message the two nodes, of which the first is the smaller, and its bytes. Messages go both ways. Node 0 prints "TOTAL
 * SECONDS", and for the last rounds lines "NODE ROUND BEGIN COMPUTED DONE" [s]. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 3 };
static const double speed = 1e9; /* flops of a host in a second */

static int self, nodes;
static double per_byte;

struct message {
  int peer, bytes, tag;
  char *sent, *received;
};

static void fail(const char *text) {
  fprintf(stderr, "exchange: %s\n", text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void work(double seconds) { smpi_execute_flops(seconds * speed); }

/* One message after the other, each complete before the next; the smaller node sends first. */
static void synchronous(const struct message *all, int count) {
  for (int k = 0; k < count; ++k) {
    const struct message *m = &all[k];
    for (int turn = 0; turn < 2; ++turn)
      if ((self < m->peer) == (turn == 0)) {
        work(per_byte * m->bytes);
        MPI_Ssend(m->sent, m->bytes, MPI_BYTE, m->peer, m->tag, MPI_COMM_WORLD);
      } else {
        MPI_Recv(m->received, m->bytes, MPI_BYTE, m->peer, m->tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(per_byte * m->bytes);
      }
  }
}

/* All receives are posted first, and nothing waits before everything is sent. */
static void asynchronous(const struct message *all, int count, MPI_Request *requests) {
  for (int k = 0; k < count; ++k)
    MPI_Irecv(all[k].received, all[k].bytes, MPI_BYTE, all[k].peer, all[k].tag, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < count; ++k) {
    work(per_byte * all[k].bytes);
    MPI_Isend(all[k].sent, all[k].bytes, MPI_BYTE, all[k].peer, all[k].tag, MPI_COMM_WORLD, &requests[count + k]);
  }
  for (int done = 0; done < count; ++done) {
    int which;
    MPI_Waitany(count, requests, &which, MPI_STATUS_IGNORE);
    work(per_byte * all[which].bytes);
  }
  MPI_Waitall(count, requests + count, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &nodes);
  FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
  int planned, messages, rounds;
  if (file == NULL || fscanf(file, "%d %d %d %lf", &planned, &messages, &rounds, &per_byte) != 4 || planned != nodes)
    fail("FILE must fit the number of nodes");
  double computing = 0;
  for (int n = 0; n < nodes; ++n) {
    double seconds;
    if (fscanf(file, "%lf", &seconds) != 1) fail("the file ends early");
    if (n == self) computing = seconds;
  }
  struct message *own = calloc((size_t)messages + 1, sizeof *own);
  int count = 0;
  for (int k = 0; k < messages; ++k) {
    int first, second, bytes;
    if (fscanf(file, "%d %d %d", &first, &second, &bytes) != 3) fail("the file ends early");
    if (first != self && second != self) continue;
    const int peer = first == self ? second : first;
    own[count++] = (struct message){peer, bytes, k, calloc((size_t)bytes, 1), calloc((size_t)bytes, 1)};
  }
  fclose(file);
  MPI_Request *requests = malloc((2 * (size_t)count + 1) * sizeof *requests);
  double times[SHOWN][3] = {{0}};
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    const double begin = MPI_Wtime();
    work(computing);
    const double computed = MPI_Wtime();
    if (strcmp(argv[2], "synchronous") == 0)
      synchronous(own, count);
    else
      asynchronous(own, count, requests);
    const int kept = round - (rounds - SHOWN);
    if (kept >= 0) times[kept][0] = begin - start, times[kept][1] = computed - start, times[kept][2] = MPI_Wtime() - start;
  }
  double seconds = MPI_Wtime() - start, longest;
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  double *all = malloc(sizeof times * (size_t)nodes);
  MPI_Gather(times, SHOWN * 3, MPI_DOUBLE, all, SHOWN * 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (self == 0) {
    printf("TOTAL %.9g\n", longest);
    for (int n = 0; n < nodes; ++n)
      for (int r = 0; r < SHOWN; ++r)
        printf("%d %d %.9g %.9g %.9g\n", n, r, all[9 * n + 3 * r], all[9 * n + 3 * r + 1], all[9 * n + 3 * r + 2]);
  }
  MPI_Finalize();
  return 0;
}
