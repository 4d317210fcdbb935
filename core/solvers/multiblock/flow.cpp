#include "solvers/multiblock/flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "physics/turbulence/spalart_allmaras.hpp"
#include "solvers/multiblock/gas_rows.hpp"

namespace eddyline::multiblock {

namespace {

/// The mesh of a world that has one. Throws UserError.
const world::Mesh& mesh_of(const world::World& world) {
  if (world.mesh == nullptr) throw UserError("The solver multiblock needs a mesh. Write a table [mesh].");
  world.mesh->check();
  if (world.mesh->dimensions != world.dimensions)
    throw UserError("mesh: it has " + std::to_string(world.mesh->dimensions) + " dimensions, the world has " +
                    std::to_string(world.dimensions) + ".");
  return *world.mesh;
}

bool acts(const world::World& world) {
  return norm(world.gravity) > 0 || std::ranges::any_of(world.body_force, [](const world::Formula& part) {
           return !part.is_constant() || part.evaluate(std::array{0.0, 0.0, 0.0, 0.0}) != 0;
         });
}

UserError no_gas(Vec3 x, double pressure, double density) {
  std::array<char, 300> line{};
  std::snprintf(line.data(), line.size(),
                "start: the gas near (%.4g, %.4g, %.4g) m has pressure %.4g Pa and density %.4g kg/m^3; both must be "
                "positive everywhere. Add start.pressure, or let the regions cover the domain.",
                x.x, x.y, x.z, pressure, density);
  return UserError(line.data());
}

constexpr std::int64_t k_slow_cycles = 10;  // of a search in a gas, with half the steps

}  // namespace

template <class E>
Flow<E>::Flow(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
    : world_(world),
      communicator_(communicator),
      options_(Options::of(world)),
      boundaries_(world_),
      pieces_(mesh_of(world_), levels_of_options(), communicator.size(), communicator.size() * execution.boxes,
              execution.replicated_cells),
      multigrid_({communicator, execution, tags_, timers}, pieces_, boundaries_, scheme(), options_.cycle == "W") {
  for (const auto& piece : finest().pieces)
    own_cells_ += std::int64_t{piece.extents.cells[0]} * piece.extents.cells[1] * piece.extents.cells[2];
  multigrid_.impose(boundaries_, 0);
  comm::agree(communicator, "start", [&] { set_start(); });
  start_speed_ = options_.reference_speed > 0 ? options_.reference_speed : find_speed(false);
  speed_ = E::k_is_gas ? find_speed(true) : start_speed_;
  if (!(speed_ > 0))
    throw UserError(
        "multiblock: nothing moves in this world. Give method.reference_speed, the speed that you expect [m/s].");
  time_step_ = options_.time_step > 0 ? options_.time_step : options_.courant * world_.spacing / speed_;
  multigrid_.residual() = Residual<E>(scheme());
  set_forces();
  if constexpr (E::k_is_gas)
    if (world_.fluid.turbulence != world::TurbulenceModel::none) {
      comm::agree(communicator, "walls", [&] {
        turbulence_ = std::make_unique<Turbulence<D>>(communicator, multigrid_, scheme(), world_, boundaries_);
      });
      turbulence_->set_eddy_viscosity();
    }
  if (!world_.options.contains("scalars")) return;
  if constexpr (E::k_is_gas) {
    throw UserError("method.scalars: a gas carries none in the solver multiblock. Remove it.");
  } else {
    scalars_ = std::make_unique<Scalars<D>>(communicator, multigrid_, world_, speed_);
    largest_of_scalars_.assign(scalars_->all().size(), 0);
  }
}

template <class E>
int Flow<E>::levels_of_options() const {
  return most_levels(mesh_of(world_), options_.levels, E::k_is_gas);
}

template <class E>
typename Flow<E>::StartOfGas Flow<E>::start_at(Vec3 x) const {
  const std::array values{x.x, x.y, x.z, 0.0};
  for (const world::Region& region : world_.regions)
    if (region.shape->signed_distance(x) < 0)
      return {region.pressure.evaluate(values), region.density.evaluate(values)};
  return {world_.start.pressure.evaluate(values), world_.start.density.evaluate(values)};
}

template <class E>
std::array<double, E::k_unknowns> Flow<E>::values(const PieceFields<E>& piece, std::size_t cell) const {
  std::array<double, E::k_unknowns> w;
  for (std::size_t v = 0; v < w.size(); ++v) w[v] = piece.state[v][cell];
  if constexpr (E::k_is_gas) {
    const auto found = cell_of<double, D>(w, world_.fluid.gamma - 1);
    w[0] = found.p, w[D + 1] = found.theta;
    for (std::size_t d = 0; d < D; ++d) w[1 + d] = found.u[d];
  } else {
    w[0] *= world_.fluid.density;
  }
  return w;
}

template <class E>
double Flow<E>::viscosity_at(const PieceFields<E>& piece, std::size_t cell) const {
  if constexpr (E::k_is_gas) {
    const double theta = values(piece, cell)[E::k_unknowns - 1];
    return viscosity_of(multigrid_.residual().scheme(), theta) / density(piece, cell);
  }
  return world_.fluid.kinematic_viscosity;
}

template <class E>
Scheme Flow<E>::scheme() const {
  Scheme scheme;
  scheme.beta = options_.compressibility * speed_ * speed_;
  scheme.viscosity = world_.fluid.kinematic_viscosity;
  scheme.third_differences = options_.dissipation;
  scheme.cfl = cfl();
  scheme.full_friction = options_.viscous == "full";
  scheme.matrix = options_.dissipation_kind == "matrix";
  scheme.sweeps = options_.sweeps >= 0 ? static_cast<int>(options_.sweeps) : E::k_is_gas ? 2 : 0;
  if (E::k_is_gas) {
    scheme.viscosity *= world_.fluid.density;
    scheme.second_differences = options_.shock_dissipation;
    scheme.gamma = world_.fluid.gamma;
    scheme.density = world_.fluid.density;
    scheme.conductivity = scheme.gamma / ((scheme.gamma - 1) * world_.fluid.prandtl);
    scheme.eddy_conductivity = scheme.gamma / ((scheme.gamma - 1) * physics::turbulence::k_prandtl);
    scheme.start_theta = start_amid().pressure / start_amid().density;
    if (world_.fluid.sutherland > 0)
      scheme.sutherland = world_.fluid.sutherland * world_.fluid.gas_constant / scheme.start_theta;
  }
  return scheme;
}

template <class E>
void Flow<E>::set_start() {
  for (PieceFields<E>& piece : finest().pieces) {
    const Int3 cells = piece.extents.cells;
    for (std::int32_t k = 0; k < cells[2]; ++k)
      for (std::int32_t j = 0; j < cells[1]; ++j)
        for (std::int32_t i = 0; i < cells[0]; ++i) {
          const auto c = static_cast<std::size_t>(piece.extents.at(i, j, k));
          const std::array x{piece.center[0][c], piece.center[1][c], D == 3 ? piece.center[D - 1][c] : 0.0, 0.0};
          if constexpr (E::k_is_gas) {
            physics::compressible::Cell<double, D> cell;
            for (std::size_t d = 0; d < D; ++d) cell.u[d] = world_.start.velocity[d].evaluate(x);
            const Vec3 place{x[0], x[1], x[2]};
            const StartOfGas start = start_at(place);
            if (!(start.pressure > 0 && start.density > 0)) throw no_gas(place, start.pressure, start.density);
            cell.rho = start.density, cell.p = start.pressure;
            cell.theta = cell.p / cell.rho;
            const auto w = physics::compressible::densities<double, D>(
                cell, physics::compressible::Constants<double>(world_.fluid.gamma));
            for (std::size_t v = 0; v < w.size(); ++v) piece.state[v][c] = w[v];
            continue;
          }
          for (std::size_t d = 0; d < D; ++d) piece.state[1 + d][c] = world_.start.velocity[d].evaluate(x);
          if (world_.start.pressure_start == world::PressureStart::formula)
            piece.state[0][c] = world_.start.pressure.evaluate(x) / world_.fluid.density;
        }
  }
}

/// The largest speed that the world imposes at the start, on its boundaries and in the fluid; of a gas with that of
/// sound.
template <class E>
double Flow<E>::find_speed(bool with_sound) {
  double largest = 0;
  for (const BoundaryFace& face : finest().faces) largest = std::max(largest, norm(face.velocity));
  for_each_cell([&](const PieceFields<E>& piece, Int3, std::size_t c, std::size_t) {
    double square = 0;
    const auto value = values(piece, c);
    for (std::size_t d = 0; d < D; ++d) square += value[1 + d] * value[1 + d];
    const double sound = with_sound ? std::sqrt(world_.fluid.gamma * value[E::k_unknowns - 1]) : 0.0;
    largest = std::max(largest, std::sqrt(square) + sound);
  });
  comm::maximum(communicator_, std::span(&largest, 1), "start");
  return largest;
}

/// Gravity and body force in all cells at the present time.
template <class E>
void Flow<E>::set_forces() {
  if (!acts(world_) && !is_forced_) return;
  is_forced_ = true;
  for (PieceFields<E>& piece : finest().pieces) {
    for (auto& field : piece.force)
      if (field.size() == 0) field.assign(piece.extents.size, 0.0);
    const Int3 cells = piece.extents.cells;
    for (std::int32_t k = 0; k < cells[2]; ++k)
      for (std::int32_t j = 0; j < cells[1]; ++j)
        for (std::int32_t i = 0; i < cells[0]; ++i) {
          const auto c = static_cast<std::size_t>(piece.extents.at(i, j, k));
          const std::array x{piece.center[0][c], piece.center[1][c], D == 3 ? piece.center[D - 1][c] : 0.0, time};
          for (std::size_t d = 0; d < D; ++d)
            piece.force[d][c] = world_.gravity[static_cast<int>(d)] + world_.body_force[d].evaluate(x);
        }
  }
}

template <class E>
void Flow<E>::prepare(Prepared wanted) {
  const Prepared before = prepared_;
  prepared_ = std::max(before, wanted);
  const auto is_missing = [&](Prepared part) { return before < part && wanted >= part; };
  if (is_missing(Prepared::ghosts)) finest().fill_ghosts();
  if (is_missing(Prepared::gradients)) multigrid_.residual().set_gradients(finest());
  if constexpr (!E::k_is_gas)
    if (is_missing(Prepared::scalars) && scalars_ != nullptr) {
      scalars_->set_flow(multigrid_.residual().scheme());
      scalars_->set_gradients();
    }
}

template <class E>
double Flow<E>::cycle(const TimeDerivative& derivative) {
  const double found = multigrid_.cycle(derivative, speed_);
  prepared_ = Prepared::nothing;
  if constexpr (E::k_is_gas)
    if (turbulence_ != nullptr) {
      prepare(Prepared::gradients);
      turbulence_->advance(derivative);
      turbulence_->set_eddy_viscosity();
    }
  return found;
}

template <class E>
void Flow<E>::seek_steady() {
  last_cycles = 0;
  if (!flow_converged) {
    if (E::k_is_gas) multigrid_.residual().set_cfl(steps < k_slow_cycles ? 0.5 * cfl() : cfl());
    if (steps == 0 && options_.coarse_start > 0)
      largest_residual = multigrid_.start_coarse(static_cast<int>(options_.coarse_start), speed_);
    residual = cycle({});
    largest_residual = std::max(largest_residual, residual);
    last_cycles = 1;
    const double unit = speed_ / std::max({world_.size.x, world_.size.y, world_.size.z});
    flow_converged = residual <= options_.tolerance * std::max(largest_residual, unit);
  }
  good_ = std::isfinite(residual);
  if (scalars_ == nullptr)
    converged = flow_converged;
  else if (!converged)
    seek_steady_scalars();
}

template <class E>
void Flow<E>::advance_time() {
  TimeDerivative derivative{1 / time_step_, -1 / time_step_, 0};  // Euler
  if (steps > 0) derivative = {1.5 / time_step_, -2 / time_step_, 0.5 / time_step_};
  for (PieceFields<E>& piece : finest().pieces)
    for (std::size_t v = 0; v < E::k_unknowns; ++v) {
      piece.before_that[v].swap(piece.before[v]);
      std::copy(piece.state[v].begin(), piece.state[v].end(), piece.before[v].begin());
    }
  if (turbulence_ != nullptr) turbulence_->keep_for_time();
  if (scalars_ != nullptr) scalars_->keep_for_time();
  double first = 0;
  for (last_cycles = 0; last_cycles < options_.inner_cycles;) {
    residual = cycle(derivative);
    if (last_cycles++ == 0) first = residual;
    if (!(residual > options_.inner_tolerance * first)) break;
  }
  largest_residual = std::max(largest_residual, residual);
  good_ = std::isfinite(residual);
  if (scalars_ != nullptr) advance_scalars(derivative);
}

template <class E>
void Flow<E>::step() {
  timers.start();
  timers.current = Phase::rates;
  prepared_ = Prepared::nothing;
  time += time_step_;
  if (!options_.steady || steps == 0) {
    if (boundaries_.vary()) multigrid_.impose(boundaries_, time);
    set_forces();
  }
  if (scalars_ != nullptr && !options_.steady) scalars_->impose(time);
  options_.steady ? seek_steady() : advance_time();
  cycles += last_cycles;
  ++steps;
  timers.lap();
  timers.current = Phase::observe;
}

template <class E>
std::int64_t Flow<E>::id_of(const PieceFields<E>& piece, Int3 cell) const {
  const PieceRange& range = pieces_.all()[static_cast<std::size_t>(piece.piece)];
  const Int3 count = world_.mesh->blocks[static_cast<std::size_t>(range.block)].cells;
  const std::int64_t i = range.lower[0] + cell[0], j = range.lower[1] + cell[1], k = range.lower[2] + cell[2];
  return pieces_.first_cell(range.block) + i + count[0] * (j + count[1] * k);
}

template <class E>
std::int64_t Flow<E>::memory() const {
  std::int64_t bytes = 0;
  const auto add = [&](const auto& fields) {
    for (const auto& field : fields) bytes += static_cast<std::int64_t>(field.bytes());
  };
  for (const auto& level : multigrid_.levels())
    for (const PieceFields<E>& piece : level->pieces) {
      for (const auto* fields :
           {&piece.state, &piece.primitive, &piece.smoothed, &piece.smoothed_before, &piece.stage, &piece.residual,
            &piece.dissipation, &piece.forcing, &piece.restricted, &piece.before, &piece.before_that})
        add(*fields);
      for (const auto* fields : {&piece.radius, &piece.spread, &piece.center, &piece.force}) add(*fields);
      for (const auto& fields : piece.face) add(fields);
      for (const auto& fields : piece.gradient) add(fields);
      for (const auto* field : {&piece.volume, &piece.per_volume, &piece.local_step})
        bytes += static_cast<std::int64_t>(field->bytes());
    }
  if (turbulence_ != nullptr) bytes += turbulence_->memory();
  if (scalars_ != nullptr) bytes += scalars_->memory();
  return bytes;
}

template <class E>
void Flow<E>::change(const world::Change& change) {
  using Kind = world::Change::Kind;
  prepared_ = Prepared::nothing;
  const std::string name = change.name.data();
  const auto named = [&](auto& all, const char* what) {
    const auto found = std::ranges::find_if(all, [&](const auto& each) { return each.name == name; });
    if (found == all.end()) throw UserError(std::string("there is no ") + what + " of the name " + name + ".");
    return found;
  };
  switch (change.kind) {
    case Kind::viscosity: set_viscosity(change.value.x); break;
    case Kind::gravity: world_.gravity = change.value; break;
    case Kind::add_probe: world_.probes.push_back({name, change.value}); break;
    case Kind::remove_probe: world_.probes.erase(named(world_.probes, "probe")); break;
    case Kind::inflow: {
      const auto opening = named(world_.openings, "opening");
      if (!opening->inflow) throw UserError(name + " is an outflow; only the velocity of an inflow can be changed.");
      for (std::size_t d = 0; d < D; ++d)
        opening->velocity[d] = world::Formula(change.formulas[d].data(), world::k_field_variables);
      boundaries_.find_variation();
      multigrid_.impose(boundaries_, time);
      break;
    }
    case Kind::parameter:
      if (scalars_ == nullptr) throw UserError("this world has no parameters.");
      world::set_options(world_, change);
      scalars_->set_parameters(world_);
      converged = false;
      return;
    default:
      throw UserError(
          "the solver multiblock changes viscosity, gravity, inflows, parameters of scalars and probes during a run; "
          "start a new run for anything else.");
  }
  set_forces();
  converged = flow_converged = false;
}

template <class E>
void Flow<E>::set_viscosity(double viscosity) {
  world_.fluid.kinematic_viscosity = viscosity;
  multigrid_.residual().set_viscosity(scheme().viscosity);
  if constexpr (E::k_is_gas)
    if (turbulence_ != nullptr) {
      turbulence_->set_viscosity(viscosity, scheme());
      turbulence_->set_eddy_viscosity();
    }
  converged = flow_converged = false;
}

template class Flow<Incompressible<2>>;
template class Flow<Incompressible<3>>;
template class Flow<Gas<2>>;
template class Flow<Gas<3>>;

}  // namespace eddyline::multiblock
