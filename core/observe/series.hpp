#pragma once

#include <string>
#include <vector>

namespace eddyline::observe {

/// A table that grows by a row each time it is observed.
struct Series {
  std::string name;
  std::vector<std::string> columns, units;
  std::vector<double> values;  // row-major
};

}  // namespace eddyline::observe
