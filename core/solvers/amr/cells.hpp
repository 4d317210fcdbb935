#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "solver/fields.hpp"
#include "solvers/amr/state.hpp"

namespace eddyline::amr {

/// The cells as a set of fields: position [m], those of the equations, the quantities derived from them, and id, the
/// place of a cell in the whole box, x fastest.
class Cells final : public solver::FieldSets {
 public:
  explicit Cells(const State& state) : state_(state) {}

  std::span<const Set> sets() const override;
  std::int64_t count(std::size_t) const override { return state_.layout().all_cells(); }
  solver::Field field(std::string_view set, std::string_view name) const override;
  const std::vector<std::int64_t>& ids() const;

 private:
  std::vector<double> quantity(std::size_t number) const;

  const State& state_;
  mutable std::vector<std::int64_t> ids_;  // made when first asked for
  mutable std::vector<double> positions_;  // axis by axis
};

}  // namespace eddyline::amr
