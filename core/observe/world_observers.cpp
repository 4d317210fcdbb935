#include "observe/world_observers.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace eddyline::observe {

namespace {

constexpr std::array<std::string_view, 3> k_axis_names{"x", "y", "z"};
constexpr std::array<std::string_view, 6> k_side_names{"left", "right", "bottom", "top", "front", "back"};

std::string name_of(const world::World& world, std::int32_t owner) {
  return owner >= 0 ? world.bodies[static_cast<std::size_t>(owner)].name
                    : std::string(k_side_names[static_cast<std::size_t>(-1 - owner)]);
}

/// Force on one solid: total, pressure and viscous part; of a body its torque, of one that moves its power.
class ForceObserver final : public solver::Observer {
 public:
  ForceObserver(solver::Solver& solver, std::size_t k, std::int32_t owner)
      : loads_(solver.loads()),
        k_(k),
        is_body_(owner >= 0),
        has_power_(loads_.has_power(owner)),
        dimensions_(solver.world().dimensions),
        name_(name_of(solver.world(), owner)) {}

  std::string name() const override { return "force." + name_; }

  std::vector<solver::Column> columns() const override {
    const std::string per_length = dimensions_ == 2 ? "/m" : "";
    std::vector<solver::Column> columns;
    for (const std::string part : {"total_", "pressure_", "viscous_"}) add_vector(columns, part, "N" + per_length);
    if (is_body_ && dimensions_ == 3) add_vector(columns, "torque_", "N m");
    if (is_body_ && dimensions_ == 2) columns.push_back({"torque", "N m/m"});
    if (has_power_) columns.push_back({"power", "W" + per_length});
    return columns;
  }

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
  void add_vector(std::vector<solver::Column>& columns, const std::string& name, const std::string& unit) const {
    for (int d = 0; d < dimensions_; ++d)
      columns.push_back({name + std::string(k_axis_names[static_cast<std::size_t>(d)]), unit});
  }

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
  std::vector<solver::Column> columns() const override { return {{"height", "m"}}; }
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
  std::vector<solver::Column> columns() const override { return {{"position", "m"}}; }
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

}  // namespace eddyline::observe
