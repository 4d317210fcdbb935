#include "solvers/amr/cells_of_levels.hpp"

#include "solvers/amr/describe.hpp"

namespace eddyline::amr {

std::vector<solver::Column> CellsOfLevels::columns() const {
  return describe(state_.equations(), state_.levels().most()).columns(name());
}

void CellsOfLevels::read(const comm::Sums&, std::vector<double>& row) {
  for (int level = 0; level < state_.levels().most(); ++level)
    row.push_back(static_cast<double>(state_.levels()[level].layout.all_cells()));
}

}  // namespace eddyline::amr
