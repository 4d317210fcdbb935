#include "solvers/multiblock/scalars.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "physics/modules/load_scalars.hpp"
#include "solvers/multiblock/implicit_step.hpp"
#include "world/sides.hpp"

namespace eddyline::multiblock {

namespace {

constexpr int k_sweeps = 20;             // Jacobi sweeps of the linear system
constexpr double k_relaxation = 0.05;    // of steps to a steady state
constexpr double k_least_range = 1e-30;  // of scalars that are 0 everywhere

/// The name in the world of the part that a boundary face belongs to.
std::string name_of(const BoundaryFace& face, const world::World& world) {
  auto part = static_cast<std::size_t>(face.source);
  if (part < world.openings.size()) return world.openings[part].name;
  part -= world.openings.size();
  if (part < world::k_side_names.size()) return std::string(world::k_side_names[part]);
  return world.bodies[part - world::k_side_names.size()].name;
}

template <int D>
Vec3 center_of(const PieceFields<Incompressible<D>>& piece, std::size_t c) {
  return {piece.center[0][c], piece.center[1][c], D == 3 ? piece.center[D - 1][c] : 0.0};
}

}  // namespace

template <int D>
Scalars<D>::Scalars(comm::Communicator& communicator, Multigrid<E>& multigrid, const world::World& world, double speed)
    : communicator_(communicator),
      level_(multigrid.finest()),
      residual_(multigrid.residual()),
      world_(world),
      cells_(static_cast<double>(world.mesh->cells())) {
  comm::agree(communicator, "scalars", [&] { set_parameters(world); });
  allocate();
  set_start();
  find_imposed();
  impose(0);
  find_range(speed);
}

template <int D>
void Scalars<D>::set_parameters(const world::World& world) {
  auto module = physics::scalars_of(world);
  scalars_ = module->scalars();
  module_ = std::move(module);
}

template <int D>
void Scalars<D>::allocate() {
  residuals_.assign(scalars_.size(), 0);
  for (const PieceFields<E>& piece : level_.pieces) {
    PieceScalars<D>& own = pieces_.emplace_back();
    const auto make = [&](Array<double>& field, double value = 0) { field.assign(piece.extents.size, value); };
    own.scalars.resize(scalars_.size());
    for (ScalarFields<D>& scalar : own.scalars) {
      for (auto* field : {&scalar.now, &scalar.before, &scalar.before_that, &scalar.source, &scalar.loss}) make(*field);
      for (auto& field : scalar.gradient) make(field);
    }
    for (auto* all : {&own.outflow, &own.neighbor})
      for (auto& ends : *all)
        for (auto& field : ends) make(field);
    for (auto* field : {&own.rate, &own.diagonal, &own.change, &own.change_before}) make(*field, 1);
  }
}

template <int D>
void Scalars<D>::set_start() {
  for (std::size_t k = 0; k < scalars_.size(); ++k) {
    const auto given = world_.fields.find(scalars_[k].name);
    level_.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
      ScalarFields<D>& scalar = of(piece).scalars[k];
      for (std::int32_t n = 0; n < count; ++n) {
        const auto c = static_cast<std::size_t>(first + n);
        const Vec3 x = center_of(piece, c);
        const double value =
            given == world_.fields.end() ? scalars_[k].start : given->second.evaluate(std::array{x.x, x.y, x.z, 0.0});
        scalar.now[c] = scalar.before[c] = scalar.before_that[c] = value;
      }
    });
  }
}

template <int D>
void Scalars<D>::find_imposed() {
  imposed_.clear();
  for (const BoundaryFace& face : level_.faces)
    for (const auto& scalar : scalars_) {
      Imposed& imposed = imposed_.emplace_back();
      const auto stated = world_.fields.find(name_of(face, world_) + "." + scalar.name);
      const auto start = world_.fields.find(scalar.name);
      imposed.is_stated = stated != world_.fields.end();
      if (imposed.is_stated)
        imposed.formula = &stated->second;
      else if (start != world_.fields.end())
        imposed.formula = &start->second;
      imposed.value = scalar.start;
    }
}

template <int D>
void Scalars<D>::impose(double t) {
  std::size_t n = 0;
  for (const BoundaryFace& face : level_.faces)
    for (std::size_t k = 0; k < scalars_.size(); ++k) {
      Imposed& imposed = imposed_[n++];
      if (imposed.formula == nullptr) continue;
      const Vec3 x = face.center;
      imposed.value = imposed.formula->evaluate(std::array{x.x, x.y, x.z, imposed.is_stated ? t : 0.0});
    }
}

/// The middle of the first values in cells and on boundaries, and their size.
template <int D>
void Scalars<D>::find_range(double speed) {
  const double per_time = speed / std::max({world_.size.x, world_.size.y, world_.size.z});
  for (std::size_t k = 0; k < scalars_.size(); ++k) {
    std::array<double, 2> range{-INFINITY, -INFINITY};  // the largest, and that of the negative values
    const auto add = [&](double value) { range = {std::max(range[0], value), std::max(range[1], -value)}; };
    for (const PieceFields<E>& piece : level_.pieces)
      for (std::int32_t z = 0; z < piece.extents.cells[2]; ++z)
        for (std::int32_t j = 0; j < piece.extents.cells[1]; ++j)
          for (std::int32_t i = 0; i < piece.extents.cells[0]; ++i)
            add(of(piece).scalars[k].now[static_cast<std::size_t>(piece.extents.at(i, j, z))]);
    for (std::size_t n = k; n < imposed_.size(); n += scalars_.size()) add(imposed_[n].value);
    comm::maximum(communicator_, range, "start");
    middles_.push_back(0.5 * (range[0] - range[1]));
    rates_.push_back(std::max({std::abs(range[0]), std::abs(range[1]), k_least_range}) * per_time);
  }
}

/// Values of walls hold where they are stated, those of openings where the fluid enters.
template <int D>
bool Scalars<D>::is_imposed(const BoundaryFace& face, const Imposed& imposed) const {
  if (face.is_solid()) return imposed.is_stated;
  const auto& piece = level_.pieces[static_cast<std::size_t>(face.piece)];
  const auto axis = static_cast<std::size_t>(face.axis), end = static_cast<std::size_t>(face.end);
  return of(piece).outflow[axis][end][static_cast<std::size_t>(face.cell)] < 0;
}

/// Ghosts. The mean with the cell is the value of a face that has one, and so is upwind_value(); across other faces
/// nothing changes.
template <int D>
void Scalars<D>::fill_ghosts() {
  level_.ghosts.fetch(static_cast<int>(scalars_.size()), Ghosts::Layers::all, [&](std::int32_t piece, int k, int) {
    return pieces_[static_cast<std::size_t>(piece)].scalars[static_cast<std::size_t>(k)].now.data();
  });
  std::size_t n = 0;
  for (const BoundaryFace& face : level_.faces)
    for (auto& scalar : pieces_[static_cast<std::size_t>(face.piece)].scalars) {
      const Imposed& imposed = imposed_[n++];
      const bool has_value = is_imposed(face, imposed);
      const double inner = scalar.now[static_cast<std::size_t>(face.cell)];
      const double ghost = has_value ? 2 * imposed.value - inner : inner;
      scalar.now[static_cast<std::size_t>(face.ghost)] = ghost;
      scalar.now[static_cast<std::size_t>(face.second_ghost)] = 2 * ghost - inner;
    }
}

template <int D>
void Scalars<D>::set_gradients() {
  using S = Pack4d;
  fill_ghosts();
  level_.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (ScalarFields<D>& scalar : of(piece).scalars)
      for (std::int32_t n = 0; n < count; n += S::width) {
        const std::ptrdiff_t c = first + n;
        const S here = S::load(scalar.now.data() + c), half_per_volume = S(0.5) * S::load(piece.per_volume.data() + c);
        std::array<S, D> sum;
        for (std::size_t d = 0; d < D; ++d) {
          const std::ptrdiff_t stride = piece.extents.stride[d];
          const S low = S::load(scalar.now.data() + c - stride) + here;
          const S high = here + S::load(scalar.now.data() + c + stride);
          for (std::size_t e = 0; e < D; ++e) {
            const double* face = piece.face[d][e].data() + c;
            sum[e] = sum[e] + (high * S::load(face + stride) - low * S::load(face));
          }
        }
        for (std::size_t e = 0; e < D; ++e) (sum[e] * half_per_volume).store(scalar.gradient[e].data() + c);
      }
  });
  level_.ghosts.fetch(static_cast<int>(scalars_.size()) * D, Ghosts::Layers::near,
                      [&](std::int32_t piece, int field, int) {
                        auto& of_piece = pieces_[static_cast<std::size_t>(piece)];
                        return of_piece.scalars[static_cast<std::size_t>(field / D)]
                            .gradient[static_cast<std::size_t>(field % D)]
                            .data();
                      });
  std::size_t n = 0;
  for (const BoundaryFace& face : level_.faces)
    for (auto& scalar : pieces_[static_cast<std::size_t>(face.piece)].scalars) {
      const double share = is_imposed(face, imposed_[n++]) ? 1 : -1;  // -1: nothing diffuses through the face
      for (auto& field : scalar.gradient)
        field[static_cast<std::size_t>(face.ghost)] = share * field[static_cast<std::size_t>(face.cell)];
    }
}

template <int D>
void Scalars<D>::set_flow(const Scheme& scheme) {
  residual_.set_local_steps(level_);  // and ghosts and spectral radii
  level_.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::size_t axis = 0; axis < D; ++axis)
      for (std::size_t end = 0; end < 2; ++end)
        for (std::int32_t n = 0; n < count; n += Pack4d::width)
          outflow_of<D>(piece, scheme, axis, end, first + n).store(of(piece).outflow[axis][end].data() + first + n);
  });
}

template <int D>
void Scalars<D>::set_sources(double t) {
  if (!module_->has_sources()) return;
  level_.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    std::array<const double*, D> x, u;
    for (std::size_t d = 0; d < D; ++d) x[d] = piece.center[d].data() + first, u[d] = piece.state[1 + d].data() + first;
    std::array<const double*, physics::scalars::k_most> values;
    std::array<double*, physics::scalars::k_most> sources, losses;
    const std::size_t size = scalars_.size();
    for (std::size_t k = 0; k < size; ++k) {
      ScalarFields<D>& scalar = of(piece).scalars[k];
      values[k] = scalar.now.data() + first;
      sources[k] = scalar.source.data() + first, losses[k] = scalar.loss.data() + first;
    }
    module_->sources({x, u, piece.state[0].data() + first, world_.fluid.density, t, std::span(values).first(size)},
                     count, std::span(sources).first(size), std::span(losses).first(size));
  });
}

template <int D>
void Scalars<D>::solve(std::size_t k) {
  const auto system = [this](PieceFields<E>& piece) -> ImplicitSystem<D>& { return of(piece); };
  residuals_[k] = rates_[k] * mean_rate(communicator_, level_, rates_[k], cells_, system);
  solve_implicit(level_, k_sweeps, system, [&](const BoundaryFace& face, std::size_t number, double inner) {
    return is_imposed(face, imposed_[number * scalars_.size() + k]) ? -inner : inner;
  });
}

template <int D>
void Scalars<D>::advance(const TimeDerivative& time, double t) {
  set_gradients();
  set_sources(t);
  for (std::size_t k = 0; k < scalars_.size(); ++k) {
    const ScalarTerms terms{scalars_[k].diffusivity, middles_[k], time.now == 0 ? k_relaxation : 0.0, time};
    level_.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
      set_scalar_row<D>(piece, of(piece), of(piece).scalars[k], terms, first, count);
    });
    solve(k);
    level_.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
      PieceScalars<D>& own = of(piece);
      for (std::int32_t n = 0; n < count; ++n) {
        const auto c = static_cast<std::size_t>(first + n);
        own.scalars[k].now[c] += own.change[c];
      }
    });
  }
}

template <int D>
void Scalars<D>::keep_for_time() {
  for (auto& own : pieces_)
    for (ScalarFields<D>& scalar : own.scalars) {
      scalar.before_that.swap(scalar.before);
      std::copy(scalar.now.begin(), scalar.now.end(), scalar.before.begin());
    }
}

template <int D>
bool Scalars<D>::is_good() const {
  return std::ranges::all_of(residuals_, [](double residual) { return std::isfinite(residual); });
}

template <int D>
std::int64_t Scalars<D>::memory() const {
  std::int64_t bytes = 0;
  const auto add = [&](const Array<double>& field) { bytes += static_cast<std::int64_t>(field.bytes()); };
  for (const auto& own : pieces_) {
    for (const auto& scalar : own.scalars) {
      for (const auto* field : {&scalar.now, &scalar.before, &scalar.before_that, &scalar.source, &scalar.loss})
        add(*field);
      for (const auto& field : scalar.gradient) add(field);
    }
    for (const auto* all : {&own.outflow, &own.neighbor})
      for (const auto& ends : *all)
        for (const auto& field : ends) add(field);
    for (const auto* field : {&own.rate, &own.diagonal, &own.change, &own.change_before}) add(*field);
  }
  return bytes;
}

template class Scalars<2>;
template class Scalars<3>;

}  // namespace eddyline::multiblock
