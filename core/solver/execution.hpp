#pragma once
// Options of execution.

#include <cstdint>
#include <string>

#include "exchange/strategy.hpp"

namespace eddyline::solver {

/// Interval at which ranks exchange particles, see DeferredExchange.
struct Lazy {
  int every = 1;      // exchange at every so many steps, and at rebuilds
  bool exact = true;  // each rank also computes the cells around its own; otherwise ghosts stand still meanwhile
};

/// Options of execution. None of them changes results, except lazy without exact.
struct Execution {
  int boxes = 1;                            // boxes of each rank
  int threads = 0;                          // 0: automatic
  int cores = 0;                            // largest number of threads for 0; 0: all cores
  std::string instructions = "auto";        // scalar, avx2, avx512
  std::string device = "cpu";               // cpu; emulated: the loops of devices, on the processor; gpu
  std::string device_library;               // path of the library for gpu
  bool all_pairs = false;                   // no cells: a simple oracle for tests
  std::int64_t shuffle = 0;                 // not 0: group particles into chunks in a random order
  int list_parts = 0;                       // lists reach beyond R by the skin over this; 0: automatic
  std::string decomposition = "bisection";  // see decompose::cuts_of()
  std::string exchange = "nonblocking";     // see exchange::strategy_names()
  exchange::BetweenSites between;
  Lazy lazy;
  std::int64_t replicated_cells = 1024;  // multiblock: every rank computes levels with at most so many cells whole
  bool rebalance = true;                 // partition the domain again when that pays
  int rebalance_every = 0;               // not 0: at every so many rebuilds, whatever it costs (a test of the law)
};

}  // namespace eddyline::solver
