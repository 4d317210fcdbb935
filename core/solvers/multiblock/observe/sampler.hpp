#pragma once

#include <span>
#include <vector>

#include "solver/sampler.hpp"
#include "solvers/multiblock/observe/locator.hpp"
#include "solvers/multiblock/solver.hpp"

namespace eddyline::multiblock {

/// The flow at points and pixels: linear in each cell, with the cell's gradients. Outside the mesh there is nothing.
template <class E>
class Sampler final : public solver::Sampler {
  static constexpr int D = E::k_dimensions;

 public:
  explicit Sampler(Flow<E>& flow) : flow_(flow), locator_(flow), described_(describe(flow.world())) {}

  std::span<const solver::Column> quantities() const override { return described_.quantities; }
  std::vector<solver::Raster> rasters(std::span<const std::int32_t> quantities, const solver::Plane& plane) override;
  std::span<const solver::Column> probe_columns() const override { return described_.probes; }
  std::vector<double> at(std::span<const Vec3> points) override;
  double height(Vec3, int) override { return 0; }
  double front(int) override { return 0; }

 private:
  static constexpr std::size_t k_values = PieceFields<E>::k_unknowns;
  struct Sample {
    std::array<double, k_values> values{};  // pressure [Pa], velocity [m/s], of a gas p / rho [m^2/s^2]
    std::array<std::array<double, D>, k_values> gradient{};
    double eddy_ratio = 0;  // of the cell
    std::array<double, physics::scalars::k_most> scalars{};
  };
  void share(std::vector<Location>& found) const;
  Sample sample(const Location& found, Vec3 x) const;
  double value(std::int32_t quantity, const Sample& sample) const;
  const std::vector<Location>& pixels(const solver::Plane& plane);

  Flow<E>& flow_;
  Locator<E> locator_;
  solver::Plane plane_;           // of the pixels found last
  std::vector<Location> pixels_;  // the mesh does not move
  bool has_pixels_ = false;
  solver::Description described_;
};

}  // namespace eddyline::multiblock
