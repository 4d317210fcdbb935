#pragma once

#include <vector>

#include "solver/loads.hpp"
#include "solvers/multiblock/flow.hpp"

namespace eddyline::multiblock {

/// Forces on bodies and walls: sums over their faces of the pressure and of the friction that the residual has there.
template <class E>
class Loads final : public solver::Loads {
  static constexpr int D = E::k_dimensions;

 public:
  explicit Loads(Flow<E>& flow);

  const std::vector<std::int32_t>& owners() const override { return owners_; }
  bool has_power(std::int32_t owner) const override;
  bool has_work() const override { return has_work_; }
  void add(comm::Sums& sums) override;
  solver::Load load(std::size_t k, const comm::Sums& sums) const override;
  double power_of_sides(const comm::Sums& sums) const override;

 private:
  struct FaceForce {
    Vec3 pressure, viscous;
  };
  FaceForce on(const BoundaryFace& face) const;
  Vec3 pivot_of(std::int32_t owner) const;

  Flow<E>& flow_;
  std::vector<std::int32_t> owners_;
  bool has_work_ = false;
  std::size_t index_ = 0;
};

}  // namespace eddyline::multiblock
