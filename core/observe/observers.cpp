#include "observe/observers.hpp"

#include <array>
#include <iterator>
#include <utility>

#include "comm/collectives.hpp"
#include "comm/sums.hpp"
#include "observe/world_observers.hpp"

namespace eddyline::observe {

void Work::add(double power, double now) {
  value += 0.5 * ((time > 0 ? last_power : power) + power) * (now - time);
  time = now;
  last_power = power;
}

Observers::Observers(solver::Solver& solver) : solver_(solver), sums_(std::make_unique<comm::Sums>()) {
  tracked_.find(solver_);
  world_changed();
}

void Observers::track(const std::string& name, std::int64_t id) {
  tracked_.add(solver_, name, id);
  world_changed();
}

void Observers::untrack(const std::string& name) {
  tracked_.remove(name);
  world_changed();
}

Observers::~Observers() = default;

void Observers::world_changed() {
  observers_ = solver_.observers();
  const auto insert = [this](std::size_t at, std::vector<std::unique_ptr<solver::Observer>> more) {
    observers_.insert(observers_.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(more.begin()),
                      std::make_move_iterator(more.end()));
  };
  insert(1, force_observers(solver_));
  insert(observers_.size(), point_observers(solver_));
  insert(observers_.size(), tracked_.observers(solver_, has_column(observers_.front()->columns(), k_heat)));
  series_.clear();
  for (const auto& observer : observers_) {
    Series series{observer->name(), {"time"}, {"s"}, {}};
    for (const auto& column : observer->columns()) {
      series.columns.push_back(column.name);
      series.units.push_back(column.unit);
    }
    series_.push_back(std::move(series));
  }
  if (solver_.loads().has_work()) {
    const solver::Column work = work_column(solver_.world().dimensions);
    series_[0].columns.push_back(work.name);
    series_[0].units.push_back(work.unit);
  }
}

bool Observers::asks_for_loads() const {
  const solver::Loads& loads = solver_.loads();
  return !loads.owners().empty() || loads.has_work() || !solver_.world().openings.empty();
}

void Observers::observe() {
  solver::Loads& loads = solver_.loads();
  sums_->clear();
  loads.add(*sums_);
  for (const auto& observer : observers_) observer->add(*sums_);
  sums_->add_up(solver_.communicator());

  const double now = solver_.clock().time;
  for (std::size_t k = 0; k < observers_.size(); ++k) {
    std::vector<double>& values = series_[k].values;
    values.push_back(now);
    const std::size_t before = values.size();
    observers_[k]->read(*sums_, values);
    if (values.size() == before) values.pop_back();  // it has no row now
  }
  if (!loads.has_work()) return;
  double power = 0;
  for (std::size_t k = 0; k < loads.owners().size(); ++k)
    if (loads.has_power(loads.owners()[k])) power += loads.load(k, *sums_).power;
  work_.add(power + loads.power_of_sides(*sums_), now);
  series_[0].values.push_back(work_.value);
}

void Observers::save(ArchiveWriter& archive) const {
  archive.put_value("work", std::array{work_.value, work_.time, work_.last_power});
}

void Observers::restore(const ArchiveReader* part) {
  std::array<double, 3> work{};
  comm::agree(solver_.communicator(), "checkpoint", [&] {
    if (part != nullptr) part->get_value("work", work);
  });
  work = comm::broadcast(solver_.communicator(), work, 0, "checkpoint");
  work_ = {work[0], work[1], work[2]};
}

std::vector<Series> Observers::take() {
  std::vector<Series> taken = series_;
  for (auto& series : series_) series.values.clear();
  return taken;
}

}  // namespace eddyline::observe
