#include "solvers/sph/domain/domain.hpp"

#include <algorithm>
#include <string>

#include "base/errors.hpp"
#include "domain/reordering.hpp"
#include "solvers/sph/state/placement.hpp"

namespace eddyline::sph {

namespace {

/// Makes a halo. One that never has messages uses a strategy without requirements.
exchange::Halo halo_of(comm::Communicator& communicator, const solver::Execution& execution, comm::HaloTags tags,
                       bool has_messages) {
  if (!has_messages) return {communicator, "nonblocking", exchange::BetweenSites{}, std::move(tags)};
  return {communicator, execution.exchange, execution.between, std::move(tags)};
}

}  // namespace

template <class T, int D>
Domain<T, D>::Domain(State<T, D>& state, Scratch<T, D>& scratch, const solver::Execution& execution,
                     comm::Communicator& communicator)
    : lazy(execution.lazy, state.world, communicator.is_alone()),
      fluid_halo(halo_of(communicator, execution, tags.take("fluid"), !lazy.computes_copies())),
      wall_halo(halo_of(communicator, execution, tags.take("walls"), !lazy.computes_copies())),
      fluid_copies(halo_of(communicator, execution, tags.take("copies"), lazy.computes_copies())),
      wall_copies(halo_of(communicator, execution, tags.take("wall-copies"), lazy.computes_copies())),
      state_(state),
      scratch_(scratch),
      execution_(execution),
      communicator_(communicator),
      counting_(communicator),
      subdomain_(state.world, state.constants.length, state.constants.fixed, execution_, lazy.depth(), communicator,
                 tags),
      saved_wall_rows_(scratch.walls) {
  place();
}

/// Tells whether place x is in a cell of this rank.
template <class T, int D>
bool Domain<T, D>::is_here(Vec3 x) const {
  for (int d = 0; d < D; ++d) x[d] = state_.constants.fixed.round(x[d]);
  return layout().owned_cell(x) >= 0;
}

/// Places the particles of this rank's cells.
template <class T, int D>
void Domain<T, D>::place() {
  const particles::Placement placement = particles::place(state_.world, [&](Vec3 x) { return is_here(x); });
  std::int64_t anywhere = static_cast<std::int64_t>(placement.fluid.size());
  comm::sum(communicator_, {&anywhere, 1}, "placing particles");
  if (anywhere == 0)
    throw UserError(
        "the world contains no fluid: no lattice point lies in a region and outside all bodies. Check regions and "
        "spacing.");
  place_fluid(placement, state_.constants, state_.fluid);
  domain::place_walls(placement, state_.wall);
  saved_wall_rows_.resize(placement.walls.size());
  std::fill(saved_wall_rows_.values().begin(), saved_wall_rows_.values().end(), T(0));
  move_walls();
  resize_walls(wall_rows.owned());
  place_nodes();
}

/// Places the nodes of openings. They stand still, like walls. No other row reads them, so that they have no ghosts.
template <class T, int D>
void Domain<T, D>::place_nodes() {
  std::vector<double> x[D];
  const double* position[D];
  std::vector<std::int64_t> id;
  for (std::int32_t number = 0; number < state_.openings.nodes(); ++number) {
    const Vec3 node = state_.openings.node(number);
    if (layout().owned_cell(node) < 0) continue;
    id.push_back(number);
    for (int d = 0; d < D; ++d) x[d].push_back(node[d]);
  }
  for (int d = 0; d < D; ++d) position[d] = x[d].data();
  Array<std::int32_t> room;
  subdomain_.sort({position, D}, id, node_rows, node_number, room);
  scratch_.nodes.resize(node_rows.rows);
  for (int d = 0; d < D; ++d) {
    node_positions_.x[d].assign(static_cast<std::size_t>(node_rows.real_rows) + neighbors::k_chunk, 0);
    for (std::size_t i = 0; i < id.size(); ++i) {
      const std::int32_t slot = node_rows.row_of(i);
      const std::int32_t place = state_.constants.fixed.wrapped(x[d][static_cast<std::size_t>(node_number[i])]);
      node_positions_.x[d][static_cast<std::size_t>(slot)] = place;
      scratch_.nodes.put_fixed(scratch_.nodes.row(slot).first + d, place);
    }
  }
  for (std::int32_t& place : node_number) place = static_cast<std::int32_t>(id[static_cast<std::size_t>(place)]);
}

/// Sets the places of this rank's rows, from places that are still in the old order.
template <class T, int D>
void Domain<T, D>::put_positions(const particles::CellIndex& rows, const VectorArray<double, D>& x,
                                 neighbors::FixedPositions& positions) const {
  const std::int64_t n = rows.computed();
  for (int d = 0; d < D; ++d) {
    Array<std::int32_t>& p = positions.x[d];
    p.resize(static_cast<std::size_t>(rows.real_rows) + neighbors::k_chunk);
    std::fill(p.end() - neighbors::k_chunk, p.end(), 0);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      p[static_cast<std::size_t>(rows.row_of(k))] = state_.constants.fixed.wrapped(x[d][scratch_.order()[k]]);
    }
  }
}

template <class T, int D>
void Domain<T, D>::begin_count() {
  end_count();
  counts_ = {fluid_rows.owned(), wall_rows.owned()};
  counting_.begin_sum(counts_);
}

template <class T, int D>
void Domain<T, D>::end_count() {
  counting_.wait("rebuild");
  everywhere = {counts_[0], counts_[1]};
}

template <class T, int D>
Vec3 Domain<T, D>::sorted_place(std::size_t i) const {
  Vec3 x = layout().centre(particles::CellFinder(fluid_rows)(i).cell);
  const auto row = static_cast<std::size_t>(fluid_rows.row_of(i));
  for (int d = 0; d < D; ++d) x[d] = state_.constants.fixed.unwrapped(fluid_positions_.x[d][row], x[d]);
  return x;
}

template <class T, int D>
void Domain<T, D>::write_wall_rows() {
  for (std::int64_t i = 0; i < state_.wall.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    write_wall_row(scratch_.walls.row(wall_rows.row_of(k)), k);
  }
}

template <class T, int D>
void Domain<T, D>::write_wall_row(const neighbors::RowParts<T>& row, std::size_t k) const {
  for (int column = 0; column < scratch_.walls.room(); ++column) row[column] = T(0);
  for (int d = 0; d < D; ++d)
    scratch_.walls.put_fixed(row.first + d, state_.constants.fixed.wrapped(state_.wall.x[d][k]));
  row[D + 1] = static_cast<T>(state_.wall_volume(k, vector_of(state_.wall.x, k)));
  row[3 * D + 2] = static_cast<T>(state_.wall.no_slip[k] != 0 ? 1 : 0);
}

/// Lets walls move that have stood still until now; their particles have been walls like any other.
template <class T, int D>
void Domain<T, D>::let_walls_move() {
  state_.walls_move = true;
  state_.wall.let_move(static_cast<std::size_t>(wall_rows.computed()));
  for (int d = 0; d < D; ++d) wall_displacement.x[d].resize(static_cast<std::size_t>(wall_rows.real_rows));
}

template <class T, int D>
std::size_t Domain<T, D>::bytes() const {
  const auto sum = [](const auto&... each) { return (std::size_t{0} + ... + each.bytes()); };
  std::size_t bytes = sum(fluid_rows, wall_rows, subdomain_, saved_wall_rows_, fluid_of_row_, layout(), wall_places_);
  for (int d = 0; d < D; ++d) bytes += sum(fluid_positions_.x[d], wall_positions_.x[d], wall_displacement.x[d]);
  return bytes;
}

template class Domain<float, 2>;
template class Domain<float, 3>;
template class Domain<double, 2>;
template class Domain<double, 3>;

}  // namespace eddyline::sph
