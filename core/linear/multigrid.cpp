#include "linear/multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "base/errors.hpp"

namespace eddyline::linear {

void check(const ChebyshevOptions& options, const char* what) {
  std::ostringstream text;
  if (options.degree < 1)
    text << what << ": degree = " << options.degree << "; it must be 1 or more.";
  else if (!(options.lowest > 0 && options.lowest < options.highest && std::isfinite(options.highest)))
    text << what << ": eigenvalues from " << options.lowest << " to " << options.highest
         << "; they must be positive, and the lowest below the highest.";
  else
    return;
  throw UserError(text.str());
}

void check(const MultigridOptions& options) {
  check(options.smoother, "multigrid, smoother");
  check(options.coarsest, "multigrid, coarsest level");
  if (options.correction > 0 && std::isfinite(options.correction)) return;
  std::ostringstream text;
  text << "multigrid: correction = " << options.correction << "; it must be positive.";
  throw UserError(text.str());
}

std::size_t number_of_levels(std::vector<std::int64_t> cells, std::int64_t coarsest) {
  const auto total = [&] {
    return std::accumulate(cells.begin(), cells.end(), std::int64_t{1},
                           [](std::int64_t a, std::int64_t b) { return a * b; });
  };
  const auto can_halve = [](std::int64_t axis) { return axis == 1 || axis % 2 == 0; };
  std::size_t levels = 1;
  while (total() > std::max(coarsest, std::int64_t{1}) && std::all_of(cells.begin(), cells.end(), can_halve)) {
    for (std::int64_t& axis : cells) axis = std::max(axis / 2, std::int64_t{1});
    ++levels;
  }
  return levels;
}

}  // namespace eddyline::linear
