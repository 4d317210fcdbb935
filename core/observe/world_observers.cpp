#include "observe/world_observers.hpp"

#include <string>
#include <utility>

#include "observe/tracked_particles.hpp"
#include "particles/tracked.hpp"

namespace eddyline::observe {

namespace {

std::string name_of_force(const world::World& world, std::int32_t owner) {
  return "force." + solver::name_of_solid(world, owner);
}

std::vector<solver::Column> force_columns(int dimensions, bool is_body, bool has_power) {
  const std::string per_length = solver::per_length(dimensions);
  std::vector<solver::Column> columns;
  for (const char* part : {"total", "pressure", "viscous"})
    solver::add_vector(columns, part, "N" + per_length, dimensions);
  if (is_body && dimensions == 3) solver::add_vector(columns, "torque", "N m", dimensions);
  if (is_body && dimensions == 2) columns.push_back({"torque", "N m/m"});
  if (has_power) columns.push_back({"power", "W" + per_length});
  return columns;
}

const std::vector<solver::Column> k_gauge{{"height", "m"}}, k_front{{"position", "m"}};

/// Force on one solid: total, pressure and viscous part; of a body its torque, of one that moves its power.
class ForceObserver final : public solver::Observer {
 public:
  ForceObserver(solver::Solver& solver, std::size_t k, std::int32_t owner)
      : loads_(solver.loads()),
        k_(k),
        is_body_(owner >= 0),
        has_power_(loads_.has_power(owner)),
        dimensions_(solver.world().dimensions),
        name_(name_of_force(solver.world(), owner)) {}

  std::string name() const override { return name_; }
  std::vector<solver::Column> columns() const override { return force_columns(dimensions_, is_body_, has_power_); }

  void read(const comm::Sums& sums, std::vector<double>& row) override {
    const solver::Load load = loads_.load(k_, sums);
    for (int d = 0; d < dimensions_; ++d) row.push_back(load.pressure[d] + load.viscous[d]);
    for (int d = 0; d < dimensions_; ++d) row.push_back(load.pressure[d]);
    for (int d = 0; d < dimensions_; ++d) row.push_back(load.viscous[d]);
    if (is_body_ && dimensions_ == 3) row.insert(row.end(), {load.torque.x, load.torque.y});
    if (is_body_) row.push_back(load.torque.z);
    if (has_power_) row.push_back(load.power);
  }

 private:
  const solver::Loads& loads_;
  std::size_t k_;
  bool is_body_, has_power_;
  int dimensions_;
  std::string name_;
};

/// The points of all probes, which are sampled together.
struct ProbePoints {
  solver::Sampler& sampler;
  std::vector<Vec3> positions;
  std::vector<double> values;
};

/// Series of one probe. The first of them samples all points.
class ProbeObserver final : public solver::Observer {
 public:
  ProbeObserver(std::shared_ptr<ProbePoints> points, const world::Probe& probe)
      : points_(std::move(points)), k_(points_->positions.size()), name_(probe.name) {
    points_->positions.push_back(probe.position);
  }
  std::string name() const override { return name_; }
  std::vector<solver::Column> columns() const override {
    const auto columns = points_->sampler.probe_columns();
    return {columns.begin(), columns.end()};
  }
  void read(const comm::Sums&, std::vector<double>& row) override {
    if (k_ == 0) points_->values = points_->sampler.at(points_->positions);
    const auto width = static_cast<std::ptrdiff_t>(points_->sampler.probe_columns().size());
    const auto first = points_->values.begin() + static_cast<std::ptrdiff_t>(k_) * width;
    row.insert(row.end(), first, first + width);
  }

 private:
  std::shared_ptr<ProbePoints> points_;
  std::size_t k_;
  std::string name_;
};

class GaugeObserver final : public solver::Observer {
 public:
  GaugeObserver(solver::Sampler& sampler, world::Gauge gauge) : sampler_(sampler), gauge_(std::move(gauge)) {}
  std::string name() const override { return gauge_.name; }
  std::vector<solver::Column> columns() const override { return k_gauge; }
  void read(const comm::Sums&, std::vector<double>& row) override {
    row.push_back(sampler_.height(gauge_.position, gauge_.axis));
  }

 private:
  solver::Sampler& sampler_;
  world::Gauge gauge_;
};

class FrontObserver final : public solver::Observer {
 public:
  FrontObserver(solver::Sampler& sampler, world::Front front) : sampler_(sampler), front_(std::move(front)) {}
  std::string name() const override { return front_.name; }
  std::vector<solver::Column> columns() const override { return k_front; }
  void read(const comm::Sums&, std::vector<double>& row) override { row.push_back(sampler_.front(front_.axis)); }

 private:
  solver::Sampler& sampler_;
  world::Front front_;
};

}  // namespace

std::vector<std::unique_ptr<solver::Observer>> force_observers(solver::Solver& solver) {
  std::vector<std::unique_ptr<solver::Observer>> observers;
  const auto& owners = solver.loads().owners();
  for (std::size_t k = 0; k < owners.size(); ++k)
    observers.push_back(std::make_unique<ForceObserver>(solver, k, owners[k]));
  return observers;
}

std::vector<std::unique_ptr<solver::Observer>> point_observers(solver::Solver& solver) {
  const world::World& world = solver.world();
  solver::Sampler& sampler = solver.sampler();
  std::vector<std::unique_ptr<solver::Observer>> observers;
  const auto points = std::make_shared<ProbePoints>(sampler);
  for (const auto& probe : world.probes) observers.push_back(std::make_unique<ProbeObserver>(points, probe));
  for (const auto& gauge : world.gauges) observers.push_back(std::make_unique<GaugeObserver>(sampler, gauge));
  for (const auto& front : world.fronts) observers.push_back(std::make_unique<FrontObserver>(sampler, front));
  return observers;
}

solver::Column work_column(int dimensions) { return {"work", dimensions == 2 ? "J/m" : "J"}; }

std::vector<solver::Table> tables_of(const world::World& world, const solver::Description& solver) {
  std::vector<solver::Table> tables{solver.series.front()};
  const bool works = solver.loads == solver::Loaded::solids;
  if (works && solver::has_work(world)) tables.front().columns.push_back(work_column(world.dimensions));
  for (const std::int32_t owner : solver::loaded_solids(world, solver.loads)) {
    const bool is_body = owner >= 0;
    const bool has_power = works && is_body && world.bodies[static_cast<std::size_t>(owner)].motion.has_value();
    tables.push_back({name_of_force(world, owner), force_columns(world.dimensions, is_body, has_power)});
  }
  tables.insert(tables.end(), solver.series.begin() + 1, solver.series.end());
  for (const auto& probe : world.probes) tables.push_back({probe.name, solver.probes});
  for (const auto& gauge : world.gauges) tables.push_back({gauge.name, k_gauge});
  for (const auto& front : world.fronts) tables.push_back({front.name, k_front});
  const std::vector<solver::Column> columns =
      particle_columns(world.dimensions, solver.quantities, has_column(solver.series.front().columns, k_heat));
  for (const auto& each : particles::tracked_particles(world)) tables.push_back({each.name, columns});
  return tables;
}

}  // namespace eddyline::observe
