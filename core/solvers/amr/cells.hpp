#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "solver/fields.hpp"
#include "solvers/amr/state.hpp"

namespace eddyline::amr {

/// The cells that no finer level covers as a set of fields: those of the equations, the quantities derived from them,
/// position [m], its components position_x, position_y, position_z, level, and id. Ids count from 0: on one level x
/// fastest, on several as Composite counts units, and x fastest within each.
class Cells final : public solver::FieldSets {
 public:
  explicit Cells(const State& state) : state_(state) {}

  std::span<const Set> sets() const override;
  std::int64_t count(std::size_t) const override;
  solver::Field field(std::string_view set, std::string_view name) const override;
  const std::vector<std::int64_t>& ids() const;

  /// Calls visit(patch, cell, place of the cell in the patch) for each of these cells of this rank.
  template <class Visit>
  void for_each(Visit&& visit) const;
  /// A number that names a cell as long as it exists.
  std::int64_t key(int level, Int3 cell) const;
  /// The level and the cell that a key names.
  std::pair<int, Int3> named(std::int64_t key) const;

 private:
  template <class Value>
  std::vector<double> values(Value&& value) const;
  std::vector<double> quantity(std::size_t number) const;
  void forget_old() const;

  const State& state_;
  mutable std::int64_t changes_ = -1;      // of patches when these were made
  mutable std::vector<std::int64_t> ids_;  // made when first asked for
  mutable std::vector<double> positions_;  // axis by axis
};

template <class Visit>
void Cells::for_each(Visit&& visit) const {
  for (const State::Patch& patch : state_.patches()) {
    std::int64_t row = 0;  // place of its first cell
    for_each_row(patch.cells(), [&](Int3 cell) {
      state_.levels().for_each_uncovered(patch.level, cell, patch.cells().upper[0],
                                         [&](std::int32_t first, std::int32_t end) {
                                           Int3 at = cell;
                                           for (at[0] = first; at[0] < end; ++at[0])
                                             visit(patch, at, row + at[0] - cell[0]);
                                         });
      row += patch.cells().count(0);
    });
  }
}

}  // namespace eddyline::amr
