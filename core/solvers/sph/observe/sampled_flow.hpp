#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arrays.hpp"
#include "solvers/sph/flow.hpp"

namespace eddyline::sph {

/// The part of a flow that samplers read. It does not depend on the type of pair sums, so that loops over points are
/// compiled once for each dimension. A view: the flow must outlive it.
template <int D>
class SampledFlow {
 public:
  template <class T>
  explicit SampledFlow(const Flow<T, D>& flow)
      : fluid{flow.fluid.mass, flow.fluid.s,        flow.fluid.u,      flow.fluid.x,
              flow.fluid.v,    flow.fluid.confined, flow.fluid.classic},
        control(flow.control),
        fluid_rows(flow.fluid_rows),
        constants_(flow.constants()),
        layout_(flow.layout()),
        world_(flow.world()),
        communicator_(flow.communicator()),
        fluid_of_row_(flow.fluid_of_row()) {}

  /// Fields of FluidState.
  struct {
    const Array<double>&mass, &s, &u;
    const VectorArray<double, D>&x, &v;
    const bool &confined, &classic;
  } fluid;
  const Control& control;
  const particles::CellIndex& fluid_rows;

  const Constants& constants() const { return constants_; }
  const particles::CellLayout& layout() const { return layout_; }
  const world::World& world() const { return world_; }
  comm::Communicator& communicator() const { return communicator_; }
  /// Index of the particle in a row, as Flow::fluid_in().
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
