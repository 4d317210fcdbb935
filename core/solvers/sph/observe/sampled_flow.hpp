#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arrays.hpp"
#include "solvers/sph/domain/domain.hpp"
#include "solvers/sph/state/state.hpp"

namespace eddyline::sph {

/// The part of a flow that samplers read. It does not depend on the type of pair sums, so that loops over points are
/// compiled once for each dimension. A view: the flow must outlive it.
template <int D>
class SampledFlow {
 public:
  template <class T>
  SampledFlow(const State<T, D>& state, const Domain<T, D>& domain)
      : fluid{state.fluid.mass, state.fluid.s,        state.fluid.x,
              state.fluid.v,    state.fluid.confined, state.fluid.classic ? &state.fluid.classic->u : nullptr},
        control(state.control),
        fluid_rows(domain.fluid_rows),
        constants_(state.constants),
        layout_(domain.layout()),
        world_(state.world),
        communicator_(domain.communicator()),
        fluid_of_row_(domain.fluid_of_row()) {}

  /// Fields of FluidState.
  struct {
    const Array<double>&mass, &s;
    const VectorArray<double, D>&x, &v;
    bool confined;
    const Array<double>* u;  // of the scheme classic, else null
    bool is_classic() const { return u != nullptr; }
  } fluid;
  const Control& control;
  const particles::CellIndex& fluid_rows;

  const Constants& constants() const { return constants_; }
  const particles::CellLayout& layout() const { return layout_; }
  const world::World& world() const { return world_; }
  comm::Communicator& communicator() const { return communicator_; }
  /// Index of the particle in a row, as Domain::fluid_in().
  std::size_t fluid_in(std::int32_t row) const {
    const auto r = static_cast<std::size_t>(row);
    return fluid_of_row_.size() > 0 ? static_cast<std::size_t>(fluid_of_row_[r]) : r;
  }

 private:
  const Constants& constants_;
  const particles::CellLayout& layout_;
  const world::World& world_;
  comm::Communicator& communicator_;
  const Array<std::int32_t>& fluid_of_row_;
};

}  // namespace eddyline::sph
