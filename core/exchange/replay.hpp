#pragma once
// Replays the exchanges of a recorded run without its particles.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// The exchanges of one rank.
struct Script {
  struct Exchange {
    std::int64_t halo;     // number of the halo, from 0; each halo has its own strategy, as in a run
    std::int64_t rebuild;  // exchanges of one rebuild have the same neighbours
    std::int64_t group;    // group of messages
  };
  std::vector<Exchange> exchanges;            // in order, the same on all ranks
  std::vector<std::vector<Neighbor>> groups;  // bytes that go to and come from each neighbour
  double compute = 0;                         // CPU time for which a rank computes while messages travel [s]
};

/// Measurements of one rank. Times are seconds of the machine's steady clock.
struct Replayed {
  struct Moments {
    double begin, end;  // from the moment when all ranks are ready to the moment when this rank has all its messages
    double waiting;     // the part of it spent in finish() [s]
  };
  std::vector<Moments> exchanges;  // exchanges made; fewer than requested if time ran out
  std::vector<double> prepared;    // times that strategies took to prepare for other neighbours or sizes [s]
  std::int64_t wrong = 0;          // number of bytes that differ from those sent
};

/// Names that replay() accepts: those of make_strategy(), and some that are available in replays only.
std::vector<std::string> replay_names();

/// Makes exchanges with messages of the recorded sizes. All ranks begin each exchange together, and the contents are
/// checked. Two unmeasured warm-up exchanges precede the first exchange of each halo. No exchange begins later than
/// `max_seconds` after the start on any rank. Collective. Throws UserError if the name is unknown or if the
/// message-passing library lacks what the strategy needs.
Replayed replay(comm::Communicator& communicator, std::string_view name, const Script& script, double max_seconds);

}  // namespace eddyline::exchange
