#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "solver/column.hpp"
#include "solver/lattice.hpp"
#include "solver/sampler.hpp"
#include "world/world.hpp"

namespace eddyline::observe {

/// Quantities of a solver that surfaces can be made of and coloured by: those that it computes on lattices, those of
/// pictures and, if it has three components of velocity, the magnitude of the vorticity and the Q criterion. None in
/// 2D.
std::vector<solver::Column> surface_quantities(const solver::Sampler& sampler, const world::World& world);
/// Number of one of these. Throws UserError if there is no such quantity.
std::int32_t surface_quantity(const solver::Sampler& sampler, const world::World& world, std::string_view name);

/// A surface that somebody wants: where a quantity has a value.
struct SurfaceRequest {
  std::int32_t quantity = 0;  // number of surface_quantities()
  std::int32_t colour = -1;   // of another quantity; -1: no colours
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

/// Computes a surface; the same bytes for any ranks, boxes and threads. Throws UserError in 2D or if the lattice is too
/// fine. Collective.
Isosurface isosurface(solver::Sampler& sampler, const world::World& world, comm::Communicator& communicator,
                      double time, const SurfaceRequest& request);

}  // namespace eddyline::observe
