#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "solver/column.hpp"
#include "solver/fields.hpp"
#include "solver/lattice.hpp"
#include "solver/sampler.hpp"
#include "world/world.hpp"

namespace eddyline::observe {

/// Quantities of a solver that surfaces can be made of and coloured by: those that it computes on lattices, those of
/// pictures and, if it has three components of velocity, the magnitudes of vorticity and strain, and the Q criterion.
/// None in 2D.
std::vector<solver::Column> surface_quantities(const solver::Sampler& sampler, const world::World& world);
/// The same of a world that does not run; the order may differ.
std::vector<solver::Column> surface_quantities(const solver::Description& solver, const world::World& world);

/// The name of a quantity, or a formula over quantities, e.g. "vorticity - 2*strain". Fixed in size, because requests
/// travel between ranks; empty: none.
class QuantityText {
 public:
  static constexpr std::size_t k_longest = 511;
  QuantityText() = default;
  /// Throws UserError if the text is too long.
  explicit QuantityText(std::string_view text);
  std::string_view text() const { return text_.data(); }
  bool empty() const { return text_[0] == 0; }

 private:
  std::array<char, k_longest + 1> text_{};
};

/// Throws UserError if a text is neither a quantity of the solver nor a formula over them.
void check_quantity(const solver::Sampler& sampler, const world::World& world, const QuantityText& quantity);
/// A surface that somebody wants: where a quantity has a value.
struct SurfaceRequest {
  QuantityText quantity, colour;
  double level = 0;
  double resolution = 1;    // distance of lattice points in spacings of particles or cells, about
  std::int32_t stride = 1;  // of the points of this lattice that are used
  std::int32_t bins = 0;    // of the histogram
};

/// The number of lattice points by value of the quantity, from `low` to `high` in equal bins.
struct Histogram {
  double low = 0, high = 0;
  std::vector<std::int64_t> counts;
};

struct Isosurface {
  std::vector<std::byte> bytes;  // see encode(); on the root
  Histogram histogram;
};

/// The points of a surface's lattice in the middle of equal cells that fill the domain.
solver::Lattice lattice_of(const world::World& world, double resolution);

/// Points of the lattice of a request, counted with the layer of outside points around the domain.
std::int64_t lattice_points(const world::World& world, double resolution);

/// Computes a surface; the same bytes for any ranks, boxes and threads. fields: of the solver; its cells, if it has
/// any, give values without interpolation. Throws UserError in 2D or if the lattice is too fine. Collective.
Isosurface isosurface(solver::Sampler& sampler, const solver::FieldSets* fields, const world::World& world,
                      comm::Communicator& communicator, double time, const SurfaceRequest& request);

}  // namespace eddyline::observe
