#pragma once

#include <string_view>

#include "solver/execution.hpp"

namespace eddyline::solver {

/// Two words for a flag, that for false first.
struct FlagWords {
  std::string_view off, on;
};

/// Calls visit(name, member), or visit(name, flag, words), for each option, by the names that the package uses.
template <class Visit>
void for_each_option(Execution& execution, Visit&& visit) {
  visit("boxes", execution.boxes);
  visit("threads", execution.threads);
  visit("cores", execution.cores);
  visit("instructions", execution.instructions);
  visit("device", execution.device);
  visit("device_library", execution.device_library);
  visit("neighbors", execution.all_pairs, FlagWords{"cells", "all_pairs"});
  visit("shuffle", execution.shuffle);
  visit("list_parts", execution.list_parts);
  visit("decomposition", execution.decomposition);
  visit("exchange", execution.exchange);
  visit("combine", execution.between.combine, FlagWords{"none", "site"});
  visit("compress", execution.between.compress, FlagWords{"none", "site"});
  visit("lazy", execution.lazy.every);
  visit("lazy_exact", execution.lazy.exact);
  visit("rebalance", execution.rebalance);
  visit("replicated_cells", execution.replicated_cells);
}

}  // namespace eddyline::solver
