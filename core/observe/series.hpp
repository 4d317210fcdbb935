#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace eddyline::observe {

/// A table that grows by a row each time it is observed.
struct Series {
  std::string name;
  std::vector<std::string> columns, units;
  std::vector<double> values;  // row-major
};

/// Rows as they stand in a file, numbers between commas: the shortest text that gives the same double.
std::string lines_of(std::span<const double> values, std::size_t columns);

}  // namespace eddyline::observe
