#include "solvers/multiblock/turbulence.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/turbulence/spalart_allmaras.hpp"
#include "solvers/multiblock/gas_rows.hpp"
#include "solvers/multiblock/implicit_step.hpp"
#include "solvers/multiblock/wall_distance.hpp"

namespace eddyline::multiblock {

namespace {

namespace model = physics::turbulence;

using S = Pack4d;
constexpr int k_lanes = S::width;
constexpr double k_longer = 10;  // steps of nu~ over those of the flow, which follow from sound
constexpr int k_sweeps = 6;      // Jacobi sweeps of the linear system

/// Tells whether the fluid enters through a face of the mesh.
template <int D>
bool enters(const BoundaryFace& face, const PieceFields<Gas<D>>& piece) {
  double through = 0;
  for (std::size_t d = 0; d < D; ++d) {
    const auto& u = piece.primitive[1 + d];
    through += (u[static_cast<std::size_t>(face.cell)] + u[static_cast<std::size_t>(face.ghost)]) *
               face.normal[static_cast<int>(d)];
  }
  return through < 0;
}

/// |curl u|
template <int D>
double vorticity(const PieceFields<Gas<D>>& piece, std::size_t c) {
  const auto slope = [&](std::size_t v, std::size_t d) { return piece.gradient[1 + v][d][c]; };
  const double z = slope(1, 0) - slope(0, 1);
  if constexpr (D == 2) return std::abs(z);
  const double x = slope(D - 1, 1) - slope(1, D - 1), y = slope(0, D - 1) - slope(D - 1, 0);
  return std::sqrt(x * x + y * y + z * z);
}

}  // namespace

template <int D>
Turbulence<D>::Turbulence(comm::Communicator& communicator, Multigrid<E>& multigrid, const Scheme& scheme,
                          const world::World& world, const Boundaries& boundaries)
    : communicator_(communicator),
      multigrid_(multigrid),
      levels_(multigrid.levels()),
      ratio_(world.fluid.turbulence_ratio),
      cells_(static_cast<double>(world.mesh->cells())) {
  set_viscosity(world.fluid.kinematic_viscosity, scheme);
  allocate(world, boundaries);
}

template <int D>
void Turbulence<D>::set_viscosity(double viscosity, const Scheme& scheme) {
  scheme_ = scheme;
  unit_ = viscosity;
  stream_ = ratio_ * viscosity;
}

template <int D>
void Turbulence<D>::allocate(const world::World& world, const Boundaries& boundaries) {
  const Walls walls(*world.mesh, boundaries);
  for (const auto& level : levels_)
    for (PieceFields<E>& piece : level->pieces) {
      TurbulenceFields<D>& fields = piece.turbulence;
      const auto make = [&](Array<double>& field, double value = 0) { field.assign(piece.extents.size, value); };
      make(fields.eddy);
      if (!level->is_finest()) continue;
      for (auto* field : {&fields.nu, &fields.before, &fields.before_that}) make(*field, stream_);
      for (auto* field : {&fields.laminar, &fields.diffusivity, &fields.distance, &fields.rate, &fields.diagonal,
                          &fields.change, &fields.change_before})
        make(*field, 1);
      for (auto& ends : fields.neighbor)
        for (auto& field : ends) make(field);
    }
  Level<E>& finest = *levels_.front();
  finest.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::int32_t n = 0; n < count; ++n) {
      const auto c = static_cast<std::size_t>(first + n);
      const Vec3 x{piece.center[0][c], piece.center[1][c], D == 3 ? piece.center[D - 1][c] : 0.0};
      piece.turbulence.distance[c] = walls.distance(x);
    }
  });
}

/// nu~ and what follows from it of ghosts and cells. At walls the means with the cells are those of nu~ = 0.
template <int D>
void Turbulence<D>::fill_ghosts() {
  Level<E>& level = *levels_.front();
  level.ghosts.fetch(1, Ghosts::Layers::near, [&](std::int32_t piece, int, int) {
    return level.pieces[static_cast<std::size_t>(piece)].turbulence.nu.data();
  });
  for (const BoundaryFace& face : level.faces) {
    auto& piece = level.pieces[static_cast<std::size_t>(face.piece)];
    const double inner = piece.turbulence.nu[static_cast<std::size_t>(face.cell)];
    double& ghost = piece.turbulence.nu[static_cast<std::size_t>(face.ghost)];
    ghost = face.condition == Condition::wall ? -inner : !face.is_solid() && enters(face, piece) ? stream_ : inner;
  }
  constexpr std::ptrdiff_t k_part = 4096;
  for (PieceFields<E>& piece : level.pieces) {
    TurbulenceFields<D>& fields = piece.turbulence;
    const auto size = static_cast<std::ptrdiff_t>(piece.extents.size) / k_lanes * k_lanes;
    parallel_for((size + k_part - 1) / k_part, [&](std::int64_t part) {
      for (std::ptrdiff_t c = part * k_part; c < std::min(size, (part + 1) * k_part); c += k_lanes) {
        const auto cell = load_cell<S>(piece, c);
        const S laminar = viscosity_of(scheme_, cell.theta) / cell.rho;
        laminar.store(fields.laminar.data() + c);
        model::diffusivity(laminar, S::load(fields.nu.data() + c)).store(fields.diffusivity.data() + c);
      }
    });
  }
  for (const BoundaryFace& face : level.faces) {
    if (face.condition != Condition::wall) continue;
    TurbulenceFields<D>& fields = level.pieces[static_cast<std::size_t>(face.piece)].turbulence;
    const auto cell = static_cast<std::size_t>(face.cell), ghost = static_cast<std::size_t>(face.ghost);
    fields.diffusivity[ghost] = 2 * fields.laminar[cell] - fields.diffusivity[cell];
  }
}

/// The linear system of a row of cells for the change x of nu~, all terms times volumes:
///   (V / step + V decay + sum a) x - sum a x_neighbor = rate,   a = inflow through the face + diffusion.
template <int D>
void Turbulence<D>::set_row(PieceFields<E>& piece, const TimeDerivative& time, std::ptrdiff_t first,
                            std::int32_t count) const {
  TurbulenceFields<D>& fields = piece.turbulence;
  const S half(0.5), longer(1 / k_longer), now(time.now);
  for (std::int32_t n = 0; n < count; n += k_lanes) {
    const std::ptrdiff_t c = first + n;
    const S nu = S::load(fields.nu.data() + c), k = S::load(fields.diffusivity.data() + c);
    const S volume = S::load(piece.volume.data() + c);
    S sum, rate;
    for (std::size_t axis = 0; axis < D; ++axis)
      for (std::size_t end = 0; end < 2; ++end) {
        const std::ptrdiff_t stride = piece.extents.stride[axis], at = end == 0 ? c : c + stride;
        const std::ptrdiff_t other = end == 0 ? c - stride : c + stride;
        S through, square;
        for (std::size_t d = 0; d < D; ++d) {
          const S face = S::load(piece.face[axis][d].data() + at);
          const double* u = piece.primitive[1 + d].data();
          through = through + half * (S::load(u + c) + S::load(u + other)) * face;
          square = square + face * face;
        }
        const S per_volume = S(2) / (volume + S::load(piece.volume.data() + other));
        const S enters = max(end == 0 ? through : S(0) - through, S(0));
        const S a = enters + square * per_volume * model::diffusion(k, S::load(fields.diffusivity.data() + other));
        a.store(fields.neighbor[axis][end].data() + c);
        sum = sum + a;
        rate = rate + a * (S::load(fields.nu.data() + other) - nu);
      }
    S source, decay;
    for (int lane = 0; lane < k_lanes; ++lane) {
      const auto cell = static_cast<std::size_t>(c + lane);
      const model::Source of =
          model::source(fields.laminar[cell], fields.nu[cell], vorticity(piece, cell), fields.distance[cell]);
      source.v[lane] = of.rate, decay.v[lane] = of.decay;
    }
    if (time.now != 0)
      source = source - (now * nu + S(time.before) * S::load(fields.before.data() + c) +
                         S(time.before_that) * S::load(fields.before_that.data() + c));
    (rate + volume * source).store(fields.rate.data() + c);
    const S per_step = longer / S::load(piece.local_step.data() + c);
    (sum + volume * (per_step + now + decay)).store(fields.diagonal.data() + c);
  }
}

template <int D>
void Turbulence<D>::solve() {
  Level<E>& level = *levels_.front();
  const auto system = [](PieceFields<E>& piece) -> ImplicitSystem<D>& { return piece.turbulence; };
  residual_ = mean_rate(communicator_, level, unit_, cells_, system);
  solve_implicit(level, k_sweeps, system, [&](const BoundaryFace& face, std::size_t, double inner) {
    if (face.condition == Condition::wall) return -inner;
    return !face.is_solid() && enters(face, level.pieces[static_cast<std::size_t>(face.piece)]) ? 0.0 : inner;
  });
}

template <int D>
void Turbulence<D>::advance(const TimeDerivative& time) {
  fill_ghosts();
  Level<E>& level = *levels_.front();
  level.for_each_row(
      [&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) { set_row(piece, time, first, count); });
  solve();
  level.for_each_row([](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    TurbulenceFields<D>& fields = piece.turbulence;
    for (std::int32_t n = 0; n < count; ++n) {
      const auto c = static_cast<std::size_t>(first + n);
      fields.nu[c] += fields.change[c];
    }
  });
}

/// The eddy viscosity of coarse cells is the mean of their children.
template <int D>
void Turbulence<D>::set_eddy_viscosity() {
  levels_.front()->for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    TurbulenceFields<D>& fields = piece.turbulence;
    for (std::int32_t n = 0; n < count; n += k_lanes) {
      const std::ptrdiff_t c = first + n;
      std::array<S, D + 2> w;
      for (std::size_t v = 0; v < w.size(); ++v) w[v] = S::load(piece.state[v].data() + c);
      const auto cell = cell_of<S, D>(w, S(levels_.front()->gamma - 1));
      const S nu = S::load(fields.nu.data() + c), laminar = viscosity_of(scheme_, cell.theta) / cell.rho;
      (cell.rho * max(nu, S(0)) * model::fv1(nu / laminar)).store(fields.eddy.data() + c);
    }
  });
  multigrid_.average([](PieceFields<E>& piece) -> Array<double>& { return piece.turbulence.eddy; });
  for (const auto& level : levels_) set_eddy_ghosts(*level);
}

/// The mean with a cell is 0 at walls.
template <int D>
void Turbulence<D>::set_eddy_ghosts(Level<E>& level) {
  level.ghosts.fetch(1, Ghosts::Layers::near, [&](std::int32_t piece, int, int) {
    return level.pieces[static_cast<std::size_t>(piece)].turbulence.eddy.data();
  });
  for (const BoundaryFace& face : level.faces) {
    auto& eddy = level.pieces[static_cast<std::size_t>(face.piece)].turbulence.eddy;
    const double inner = eddy[static_cast<std::size_t>(face.cell)];
    eddy[static_cast<std::size_t>(face.ghost)] = face.condition == Condition::wall ? -inner : inner;
  }
}

template <int D>
void Turbulence<D>::keep_for_time() {
  for (PieceFields<E>& piece : levels_.front()->pieces) {
    TurbulenceFields<D>& fields = piece.turbulence;
    fields.before_that.swap(fields.before);
    std::copy(fields.nu.begin(), fields.nu.end(), fields.before.begin());
  }
}

template <int D>
std::int64_t Turbulence<D>::memory() const {
  std::int64_t bytes = 0;
  const auto add = [&](const Array<double>& field) { bytes += static_cast<std::int64_t>(field.bytes()); };
  for (const auto& level : levels_)
    for (const PieceFields<E>& piece : level->pieces) {
      const TurbulenceFields<D>& fields = piece.turbulence;
      for (const auto* field :
           {&fields.eddy, &fields.nu, &fields.before, &fields.before_that, &fields.laminar, &fields.diffusivity,
            &fields.distance, &fields.rate, &fields.diagonal, &fields.change, &fields.change_before})
        add(*field);
      for (const auto& ends : fields.neighbor)
        for (const auto& field : ends) add(field);
    }
  return bytes;
}

template class Turbulence<2>;
template class Turbulence<3>;

}  // namespace eddyline::multiblock
