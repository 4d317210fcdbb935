#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "observe/isosurface/cell_values.hpp"
#include "solver/lattice.hpp"
#include "solver/sampler.hpp"

namespace eddyline::observe {

/// Quantities on lattices, numbered as in surface_quantities().
enum class Derived { none, vorticity, strain, q };

/// A quantity by where its values come from.
struct LatticeQuantity {
  std::int32_t own = -1;     // of Sampler::lattice_quantities()
  std::int32_t raster = -1;  // of Sampler::quantities()
  Derived derived = Derived::none;
};

/// Computes quantities on some layers of a lattice, x fastest; NaN where there is no value. Layers may differ from rank
/// to rank. cells: of the solver, if it has any; points at their centres need no interpolation. Collective.
std::vector<std::vector<float>> lattice_values(solver::Sampler& sampler, const CellSource* cells,
                                               std::span<const LatticeQuantity> quantities,
                                               const solver::Lattice& lattice, solver::Layers layers);

/// Gives points without a value the mean of their neighbours along the axes, `passes` times. Layers within `passes` of
/// the first and the last one depend on where the lattice is cut.
void fill_outwards(std::vector<float>& values, const solver::Lattice& lattice, std::int32_t layers, int passes);

}  // namespace eddyline::observe
