#pragma once

#include <array>
#include <vector>

#include "base/arrays.hpp"
#include "solver/fields.hpp"
#include "solvers/multiblock/flow.hpp"

namespace eddyline::multiblock {

/// The cells of this rank, as one set: id, block, position, volume, velocity and pressure.
template <class E>
class Cells final : public solver::FieldSets {
  static constexpr int D = E::k_dimensions;

 public:
  explicit Cells(const Flow<E>& flow);

  std::span<const Set> sets() const override;
  std::int64_t count(std::size_t set) const override;
  solver::Field field(std::string_view set, std::string_view name) const override;

 private:
  template <class Value>
  std::vector<double> computed(Value&& value) const;

  const Flow<E>& flow_;
  std::vector<std::int64_t> id_;
  std::vector<std::int32_t> block_;
  mutable VectorArray<double, D> position_, velocity_;  // velocity_: copied when it is asked for
};

}  // namespace eddyline::multiblock
