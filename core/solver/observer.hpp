#pragma once

#include <string>
#include <vector>

#include "solver/column.hpp"

namespace eddyline::comm {
class Sums;
}  // namespace eddyline::comm

namespace eddyline::solver {

/// A series of a run: a row of numbers each time that the run is observed. Observers read a solver's state and never
/// change it. All sums of a row are reduced over the ranks at once: each observer adds its own, then each reads.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// Name of the series, such as "budget" or "opening.left".
  virtual std::string name() const = 0;
  /// Its columns after the first, which is the time.
  virtual std::vector<Column> columns() const = 0;
  /// Adds the sums of this rank.
  virtual void add(comm::Sums&) {}
  /// Appends the values of columns(), from the sums of all ranks. Collective.
  virtual void read(const comm::Sums& sums, std::vector<double>& row) = 0;
};

}  // namespace eddyline::solver
