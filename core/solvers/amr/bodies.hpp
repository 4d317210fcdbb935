#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grid/index_box.hpp"
#include "patches/levels.hpp"
#include "physics/equations/equations.hpp"
#include "world/world.hpp"

namespace eddyline::amr {

/// Bodies at rest in the fluid, as the cells of patches see them. On the finest level they cut cells; on coarser ones
/// the cells that they touch keep their values during a step, as finer cells always cover those that hold fluid.
class Bodies {
 public:
  /// Layers of cells around a patch beyond those that fluxes need: a cell's group may reach so far.
  static constexpr std::int32_t k_more_ghosts = 2;

  /// `reach`: cells along an axis on which the rate of a cell depends; `holds`: walls hold the fluid that do not let it
  /// slip. `world` must outlive it.
  Bodies(const world::World& world, std::int32_t reach, bool holds);

  bool empty() const { return shapes_.empty(); }
  /// Distance to the nearest body [m], negative inside; infinite without bodies.
  double distance(const Vec3& x) const;
  /// The nearest body.
  std::int32_t nearest(const Vec3& x) const;

  /// Finds the cells at bodies of all patches of this rank; of patches that were there before they stay.
  void update(const patches::Levels& levels, const std::vector<double>& spacings);
  /// Those of a patch of this rank; null: no body touches it.
  const physics::Solid* of(int level, std::size_t patch) const {
    return empty() ? nullptr : patches_[static_cast<std::size_t>(level)][patch].get();
  }

 private:
  class Geometry;
  std::unique_ptr<physics::Solid> find(const patches::Levels& levels, int level, const patches::Layout::Patch& patch,
                                       double spacing) const;
  void freeze(const Geometry& geometry, const grid::IndexBox& cells, physics::Solid& solid) const;
  void cut(const Geometry& geometry, const grid::IndexBox& cells, double spacing, physics::Solid& solid) const;
  void set_wall(const Geometry& geometry, Int3 leader, double spacing, physics::Solid& solid,
                physics::CellAtBody& cell) const;
  void find_next(const Geometry& geometry, Int3 leader, double spacing, physics::Solid& solid,
                 physics::CellAtBody& cell) const;
  void find_moved(const Geometry& geometry, double spacing, physics::Solid& solid) const;
  bool is_regular(const Geometry& geometry, const physics::Solid& solid, Int3 cell) const;

  const world::World& world_;
  std::int32_t reach_;
  bool holds_;
  std::vector<world::ShapePtr> shapes_;
  std::vector<std::int32_t> numbers_;                                  // of these bodies
  std::vector<std::vector<std::unique_ptr<physics::Solid>>> patches_;  // by level
  std::vector<std::vector<grid::IndexBox>> boxes_;                     // of these patches
};

}  // namespace eddyline::amr
