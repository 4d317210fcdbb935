#include "observe/tracked_particles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "base/errors.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/collectives.hpp"
#include "comm/sums.hpp"
#include "particles/tracked.hpp"

namespace eddyline::observe {

namespace {

using solver::PointKind;

constexpr std::int64_t k_none = std::numeric_limits<std::int64_t>::max();
constexpr const char* k_phase = "observers";

/// Square of the distance from x to a point or to its nearest periodic image.
double square_distance(const world::World& world, const double* x, Vec3 point) {
  double square = 0;
  for (int d = 0; d < world.dimensions; ++d) {
    double apart = x[d] - point[d];
    if (world.sides[static_cast<std::size_t>(2 * d)].kind == world::SideKind::periodic)
      apart -= world.size[d] * std::nearbyint(apart / world.size[d]);
    square += apart * apart;
  }
  return square;
}

/// Id of the fluid particle nearest to a point, the smallest id of several. Collective.
std::int64_t nearest_particle(const solver::Solver& solver, Vec3 point) {
  const solver::Points& points = *solver.points();
  double least = INFINITY;
  std::int64_t nearest = k_none;
  for (std::size_t i = 0; i < points.ids(PointKind::fluid).size(); ++i) {
    const solver::PointRecord particle = points.record(PointKind::fluid, i);
    if (particle.buffer != 0) continue;
    const double square = square_distance(solver.world(), particle.position, point);
    if (square < least || (square == least && particle.id < nearest)) least = square, nearest = particle.id;
  }
  double negative = -least;
  comm::maximum(solver.communicator(), {&negative, 1}, k_phase);
  if (least > -negative) nearest = k_none;
  comm::minimum(solver.communicator(), {&nearest, 1}, k_phase);
  return nearest;
}

/// Tells whether a particle of the fluid has an id, on any rank. Collective.
bool is_fluid(const solver::Solver& solver, std::int64_t id) {
  const auto ids = solver.points()->ids(PointKind::fluid);
  double found = std::ranges::find(ids, id) != ids.end() ? 1 : 0;
  comm::maximum(solver.communicator(), {&found, 1}, k_phase);
  return found > 0;
}

/// Throws UserError if a solver has no particles.
void check_points(const solver::Solver& solver) {
  if (solver.points() == nullptr)
    throw UserError("the solver " + solver.world().solver + " has no particles to track.");
}

/// Position inside the domain, velocity, speed, density and pressure.
std::vector<double> values_of(const solver::PointRecord& particle, const world::World& world) {
  std::vector<double> values;
  double square = 0;
  for (int d = 0; d < world.dimensions; ++d) {
    double x = particle.position[d];
    if (world.sides[static_cast<std::size_t>(2 * d)].kind == world::SideKind::periodic)
      x -= world.size[d] * std::floor((x - world.origin[d]) / world.size[d]);
    values.push_back(x);
    square += particle.velocity[d] * particle.velocity[d];
  }
  values.insert(values.end(), particle.velocity, particle.velocity + world.dimensions);
  values.insert(values.end(), {std::sqrt(square), particle.density, particle.pressure});
  return values;
}

/// Series of one particle, from the rank that has it; without a row while it is not part of the fluid.
class ParticleObserver final : public solver::Observer {
 public:
  ParticleObserver(solver::Solver& solver, std::string name, std::int64_t id, bool has_heat)
      : solver_(solver),
        name_(std::move(name)),
        id_(id),
        has_heat_(has_heat),
        columns_(particle_columns(solver.world().dimensions, solver.sampler().quantities(), has_heat)) {}

  std::string name() const override { return name_; }
  std::vector<solver::Column> columns() const override { return columns_; }

  void add(comm::Sums& sums) override {
    std::vector<double> own(columns_.size() + 1);  // ends with the number of ranks that have it
    if (find()) {
      own = values_of(solver_.points()->record(PointKind::fluid, last_), solver_.world());
      if (has_heat_) own.push_back(heat());
      own.push_back(1);
    }
    for (std::size_t k = 0; k < own.size(); ++k) {
      ReproducibleSum sum;
      sum.add(own[k]);
      const std::size_t index = sums.add(sum);
      if (k == 0) index_ = index;
    }
  }

  void read(const comm::Sums& sums, std::vector<double>& row) override {
    if (sums.value(index_ + columns_.size()) == 0) return;
    for (std::size_t k = 0; k < columns_.size(); ++k) row.push_back(sums.value(index_ + k));
  }

 private:
  /// Finds the particle among the fluid of this rank. It is mostly where it was last.
  bool find() {
    const auto ids = solver_.points()->ids(PointKind::fluid);
    if (last_ >= ids.size() || ids[last_] != id_)
      last_ = static_cast<std::size_t>(std::ranges::find(ids, id_) - ids.begin());
    return last_ < ids.size() && solver_.points()->record(PointKind::fluid, last_).buffer == 0;
  }

  double heat() const { return std::get<solver::Doubles>(solver_.fields().field("fluid", k_heat)).data[last_]; }

  solver::Solver& solver_;
  std::string name_;
  std::int64_t id_;
  bool has_heat_;
  std::vector<solver::Column> columns_;
  std::size_t index_ = 0, last_ = 0;
};

}  // namespace

std::vector<solver::Column> particle_columns(int dimensions, std::span<const solver::Column> quantities,
                                             bool has_heat) {
  std::vector<solver::Column> all;
  solver::add_vector(all, "position", "m", dimensions);
  const auto take = [&](const std::string& name) {
    const auto found = std::ranges::find(quantities, name, &solver::Column::name);
    if (found != quantities.end()) all.push_back(*found);
  };
  for (int d = 0; d < dimensions; ++d) take(std::string("velocity_") + "xyz"[d]);
  for (const char* name : {"speed", "density", "pressure"}) take(name);
  if (has_heat) all.push_back({k_heat, "J/kg"});
  return all;
}

bool has_column(std::span<const solver::Column> columns, std::string_view name) {
  return std::ranges::find(columns, name, &solver::Column::name) != columns.end();
}

void TrackedParticles::find(const solver::Solver& solver) {
  const std::vector<particles::Tracked> wanted = particles::tracked_particles(solver.world());
  if (wanted.empty()) return;
  check_points(solver);
  particles::check_tracked(solver.world(), [&](std::int64_t id) { return is_fluid(solver, id); });
  for (const auto& each : wanted) {
    const std::int64_t id = each.id ? *each.id : nearest_particle(solver, each.position);
    if (id == k_none) throw UserError("observe." + each.name + ": there is no fluid at the start. Write id instead.");
    found_.push_back({each.name, id});
  }
}

void TrackedParticles::add(const solver::Solver& solver, const std::string& name, std::int64_t id) {
  check_points(solver);
  found_.push_back({name, id});
}

void TrackedParticles::remove(const std::string& name) {
  if (std::erase_if(found_, [&](const Found& each) { return each.name == name; }) == 0)
    throw UserError("no tracked particle is named " + name + ".");
}

std::vector<std::unique_ptr<solver::Observer>> TrackedParticles::observers(solver::Solver& solver,
                                                                           bool has_heat) const {
  std::vector<std::unique_ptr<solver::Observer>> all;
  for (const Found& each : found_)
    all.push_back(std::make_unique<ParticleObserver>(solver, each.name, each.id, has_heat));
  return all;
}

}  // namespace eddyline::observe
