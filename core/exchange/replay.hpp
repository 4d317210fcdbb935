#pragma once
// The exchanges of a recorded run once more, without its particles.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// What one rank exchanges.
struct Script {
  struct Exchange {
    std::int64_t halo;   // from 0; each has a strategy of its own, as in a run
    std::int64_t group;  // of neighbours
    std::int64_t row_bytes;
  };
  std::vector<Exchange> exchanges;            // in order, the same on all ranks
  std::vector<std::vector<Neighbor>> groups;  // with the rows that go to each and come from it
  double compute = 0;                         // core time for which a rank computes while messages travel [s]
};

/// What one rank measured. Moments are seconds of the machine's steady clock.
struct Replayed {
  struct Moments {
    double begin, end;  // from when all ranks were there until all has come that this one waits for
    double waiting;     // of that, in finish() [s]
  };
  std::vector<Moments> exchanges;  // those that were made: all, unless there was no time
  std::vector<double> prepared;    // what strategies took to prepare for other neighbours or sizes, each time [s]
  std::int64_t wrong = 0;          // bytes that are not what was sent
};

/// Names that replay() knows: those of make_strategy(), and a few that no run takes.
std::vector<std::string> replay_names();

/// Exchanges with messages of the recorded sizes, each of which all ranks begin together, and whose contents are
/// checked. The first of each halo is made two more times beforehand, which does not count. No exchange begins later
/// than `most_seconds` after the first on any rank. Collective. Throws UserError for a name that is not known, or if
/// the message passing cannot do what it needs.
Replayed replay(comm::Communicator& communicator, std::string_view name, const Script& script, double most_seconds);

}  // namespace eddyline::exchange
