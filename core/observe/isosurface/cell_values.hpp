#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "solver/fields.hpp"
#include "solver/lattice.hpp"

namespace eddyline::observe {

/// The source of values of cells, for solvers that have cells.
struct CellSource {
  const solver::FieldSets& fields;
  comm::Communicator& communicator;
};

/// A field of the set "cells" at lattice points that are centres of cells, without interpolation; nothing on all ranks
/// if some point is no centre of a cell, or if there is no such field. Collective.
std::optional<std::vector<float>> cell_values(const CellSource& source, std::string_view field,
                                              const solver::Lattice& lattice, solver::Layers layers);

}  // namespace eddyline::observe
