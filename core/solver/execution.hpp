#pragma once
// How a run is computed.

#include <cstdint>
#include <string>

#include "exchange/strategy.hpp"

namespace eddyline::solver {

/// How often ranks bring each other up to date, see DeferredExchange.
struct Lazy {
  int every = 1;      // at every so many steps, and at rebuilds
  bool exact = true;  // each computes what is around its cells as well; else ghosts stand still meanwhile
};

/// How a run is computed. None of it changes what is computed, but for lazy without exact.
struct Execution {
  int boxes = 1;                            // of each rank
  int threads = 0;                          // 0: as many as pay
  int cores = 0;                            // which that may be at most; 0: all
  std::string instructions = "auto";        // scalar, avx2, avx512
  bool all_pairs = false;                   // no cells: the plain test oracle
  std::int64_t shuffle = 0;                 // not 0: group particles into chunks in a random order
  int list_parts = 0;                       // lists look the skin over it beyond R; 0: as far as pays
  std::string decomposition = "bisection";  // see decompose::cuts_of()
  std::string exchange = "nonblocking";     // see exchange::strategy_names()
  exchange::BetweenSites between;
  Lazy lazy;
  bool rebalance = true;    // share the domain out anew when that is worth its price
  int rebalance_every = 0;  // not 0: at every so many rebuilds, whatever it costs (a test of the law)
};

}  // namespace eddyline::solver
