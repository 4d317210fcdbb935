#include "solvers/amr/cells_of_levels.hpp"

namespace eddyline::amr {

std::vector<solver::Column> CellsOfLevels::columns() const {
  std::vector<solver::Column> columns;
  for (int level = 0; level < state_.levels().most(); ++level)
    columns.push_back({"cells_" + std::to_string(level), ""});
  return columns;
}

void CellsOfLevels::read(const comm::Sums&, std::vector<double>& row) {
  for (int level = 0; level < state_.levels().most(); ++level)
    row.push_back(static_cast<double>(state_.levels()[level].layout.all_cells()));
}

}  // namespace eddyline::amr
