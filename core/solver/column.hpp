#pragma once

#include <string>

namespace eddyline::solver {

/// A column of a table: of a series, or of a set of points or cells.
struct Column {
  std::string name, unit;
};

}  // namespace eddyline::solver
