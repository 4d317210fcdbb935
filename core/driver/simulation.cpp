#include "driver/simulation.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <variant>

#include "base/archive.hpp"
#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "driver/make_solver.hpp"
#include "driver/next_ids.hpp"

namespace eddyline::driver {

std::int64_t Statistics::count(std::string_view name) const {
  const auto found = std::ranges::find(counters, name, &solver::Counter::name);
  if (found == counters.end()) throw std::out_of_range("statistics: no counter " + std::string(name));
  return found->whole;
}

Simulation::Simulation(const world::World& world, const solver::Execution& execution, double series_interval,
                       comm::Communicator& communicator)
    : solver_(make_solver(world, execution, communicator)), observers_(*solver_), series_interval_(series_interval) {
  check(solver_->start());
}

std::int64_t Simulation::advance(double until, std::int64_t max_steps, double max_seconds) {
  using Clock = std::chrono::steady_clock;
  omp_set_num_threads(solver_->threads());
  const auto start = Clock::now();
  std::int64_t done = 0;
  bool stop = false;
  interrupted_.store(false);
  while (solver_->clock().time < until && solver_->clock().steps < max_steps && !stop) {
    const double passed = std::chrono::duration<double>(Clock::now() - start).count();
    const solver::Clock before = solver_->clock();
    const bool due = before.time >= 0 && before.time + solver_->next_time_step() >= next_series_;
    if (traffic_) traffic_->step = before.steps;
    const solver::Outcome outcome =
        solver_->advance({.loads = due && observers_.asks_for_loads(),
                          .stop = interrupted_.load(std::memory_order_relaxed) || passed >= max_seconds});
    check(outcome);
    stop = outcome.stop;
    ++done;
    if (due) {
      const solver::Outcome agreed = solver_->agree();
      check(agreed);
      stop = agreed.stop;
    }
    const std::int64_t steps = solver_->clock().steps;
    if (checksum_every_ > 0 && steps % checksum_every_ == 0) checksums_.emplace_back(steps, checksum());
    if (due) {
      observers_.observe();
      solver_->timers().lap(Phase::observe);
      next_series_ = next_row(next_series_);
    }
  }
  check(solver_->agree());
  return done;
}

observe::Isosurface Simulation::isosurface(const observe::SurfaceRequest& request) const {
  omp_set_num_threads(solver_->threads());
  return observe::isosurface(sampler(), &solver_->fields(), solver_->world(), communicator(), solver_->clock().time,
                             request);
}

double Simulation::change(const world::Change& change) {
  const double displaced = solver_->apply(change);
  using Kind = world::Change::Kind;
  constexpr std::array k_of_series{Kind::add_probe, Kind::remove_probe, Kind::add_body, Kind::remove_body};
  if (std::ranges::find(k_of_series, change.kind) != k_of_series.end()) observers_.world_changed();
  return displaced;
}

std::vector<solver::PointRecord> Simulation::records(solver::PointKind kind, std::int64_t after,
                                                     std::int64_t limit) const {
  const solver::Points* points = solver_->points();
  if (points == nullptr) return {};
  std::vector<solver::PointRecord> own;
  for (const std::int64_t i : next_ids(communicator(), points->ids(kind), after, limit))
    own.push_back(points->record(kind, static_cast<std::size_t>(i)));
  if (communicator().is_alone()) return own;
  auto all = comm::gather_values(communicator(), std::span(std::as_const(own)), "snapshot").second;
  std::ranges::sort(all, {}, &solver::PointRecord::id);
  return all;
}

std::vector<double> Simulation::values(std::size_t set, std::string_view field, std::int64_t first,
                                       std::int64_t count) const {
  struct Value {
    std::int64_t id;
    double value;
  };
  const solver::FieldSets& fields = solver_->fields();
  const std::string_view name = fields.sets()[set].name;
  const solver::Field ids = fields.field(name, "id"), values = fields.field(name, field);
  const auto* id_of = std::get_if<std::span<const std::int64_t>>(&ids);
  const auto* in_memory = std::get_if<solver::Doubles>(&values);
  const auto* computed = std::get_if<std::vector<double>>(&values);
  if (id_of == nullptr || (computed == nullptr && (in_memory == nullptr || in_memory->is_vector)))
    throw UserError("values: " + std::string(name) + "." + std::string(field) + " is not a field of doubles.");
  const double* value_of = computed != nullptr ? computed->data() : in_memory->data;
  std::vector<Value> own;
  for (std::size_t i = 0; i < id_of->size(); ++i)
    if ((*id_of)[i] >= first && (*id_of)[i] - first < count) own.push_back({(*id_of)[i], value_of[i]});
  const std::vector<Value> all =
      communicator().is_alone() ? std::move(own)
                                : comm::gather_values(communicator(), std::span(std::as_const(own)), "snapshot").second;
  if (!communicator().is_root()) return {};
  std::vector<double> sorted(static_cast<std::size_t>(count), std::numeric_limits<double>::quiet_NaN());
  for (const Value& each : all) sorted[static_cast<std::size_t>(each.id - first)] = each.value;
  return sorted;
}

solver::QuantizedParticles Simulation::quantized(std::int64_t every, bool with_ids) const {
  const solver::Points* points = solver_->points();
  return points == nullptr ? solver::QuantizedParticles{} : points->quantized(every, with_ids);
}

solver::Checksum Simulation::checksum() const {
  const solver::Checksum own = solver_->checksum();
  std::int64_t words[] = {static_cast<std::int64_t>(own.low), static_cast<std::int64_t>(own.high)};
  comm::sum(communicator(), words, "checksum");
  return {static_cast<std::uint64_t>(words[0]), static_cast<std::uint64_t>(words[1])};
}

std::vector<std::byte> Simulation::part() {
  ArchiveWriter archive;
  archive.put_value("kind", solver_->kind());
  solver_->save(archive);
  observers_.save(archive);
  archive.put_value("driver", std::array{next_series_, 0.0});  // the second is reserved
  return archive.take();
}

std::vector<std::byte> Simulation::save(int rank) {
  std::vector<std::byte> part;
  if (communicator().rank() == rank) part = this->part();
  if (rank == 0) return part;
  const auto requests = communicator().requests();
  std::uint64_t size = part.size();
  const auto transfer = [&](std::span<std::byte> bytes) {
    if (communicator().rank() == rank) requests->send(bytes, 0, comm::Tag::state);
    if (communicator().is_root()) requests->receive(bytes, rank, comm::Tag::state);
    comm::wait(communicator(), *requests, "checkpoint");
  };
  transfer(std::as_writable_bytes(std::span(&size, 1)));
  if (communicator().is_root()) part.resize(size);
  transfer(part);
  return part;
}

/// The root hands out parts in turn: to itself, to rank 1, ...
void Simulation::restore(const std::function<std::vector<std::byte>()>& next) {
  std::vector<std::vector<std::byte>> own;
  std::vector<std::byte> part{std::byte{}};
  for (int number = 0; !part.empty(); ++number) {
    const int rank = number % communicator().size();
    if (communicator().is_root()) part = next();
    part.resize(comm::broadcast(communicator(), part.size(), 0, "checkpoint"));
    if (part.empty()) break;
    if (rank != 0) {
      const auto requests = communicator().requests();
      if (communicator().is_root()) requests->send(part, rank, comm::Tag::state);
      if (communicator().rank() == rank) requests->receive(part, 0, comm::Tag::state);
      comm::wait(communicator(), *requests, "checkpoint");
    }
    if (communicator().rank() == rank) own.push_back(part);
  }
  std::vector<ArchiveReader> parts;
  comm::agree(communicator(), "checkpoint", [&] {
    if (communicator().is_root() && own.empty())
      throw UserError("checkpoint: the file has no parts, so it is damaged.");
    for (auto& bytes : own) {
      const ArchiveReader& each = parts.emplace_back(std::move(bytes));
      auto kind = solver_->kind();
      each.get_value("kind", kind);
      if (kind != solver_->kind()) throw UserError("checkpoint: it belongs to another world.");
    }
  });
  const ArchiveReader* first = communicator().is_root() ? &parts.at(0) : nullptr;
  solver_->restore(parts);
  observers_.restore(first);
  std::array<double, 2> driver{};
  comm::agree(communicator(), "checkpoint", [&] {
    if (first != nullptr) first->get_value("driver", driver);
  });
  next_series_ = comm::broadcast(communicator(), driver[0], 0, "checkpoint");
}

Statistics Simulation::statistics() const {
  Statistics statistics;
  solver::Counters own;
  solver_->count(own);
  std::vector<std::int64_t> sums;
  std::vector<double> largest;
  for (const solver::Counter& counter : own.all()) {
    if (counter.over == solver::Counter::Over::sum) sums.push_back(counter.whole);
    if (counter.over == solver::Counter::Over::largest) largest.push_back(counter.real);
  }
  for (std::size_t p = 0; p < k_phase_names.size(); ++p)
    largest.push_back(solver_->timers().seconds(static_cast<Phase>(p)));
  comm::sum(communicator(), sums, "statistics");
  comm::maximum(communicator(), largest, "statistics");
  auto sum = sums.begin();
  auto most = largest.begin();
  for (solver::Counter& counter : own.all()) {
    if (counter.over == solver::Counter::Over::sum) counter.whole = *sum++;
    if (counter.over == solver::Counter::Over::largest) counter.real = *most++;
  }
  for (const std::string_view phase : k_phase_names) statistics.seconds.emplace_back(phase, *most++);
  statistics.counters = std::move(own.all());
  statistics.instructions = solver_->instructions();
  statistics.threads = solver_->threads();
  statistics.ranks = communicator().size();
  statistics.exchange = solver_->exchange_trials();
  return statistics;
}

std::vector<solver::RankShare> Simulation::shares() const {
  const solver::RankShare own = solver_->share();
  return comm::gather_values(communicator(), std::span(&own, 1), "statistics").second;
}

void Simulation::keep_timeline(std::int64_t laps) {
  double nothing[] = {0};
  comm::maximum(communicator(), nothing, "timeline");  // all ranks are here now
  solver_->timers().keep_timeline(static_cast<std::size_t>(laps));
}

std::vector<std::vector<Lap>> Simulation::timeline() const {
  const std::vector<Lap>& own = solver_->timers().timeline();
  const auto [counts, laps] = comm::gather_values(communicator(), std::span(own), "timeline");
  std::vector<std::vector<Lap>> by_rank;
  auto from = laps.begin();
  for (const std::ptrdiff_t count : counts) by_rank.emplace_back(from, from + count), from += count;
  return by_rank;
}

void Simulation::keep_traffic() {
  traffic_ = std::make_shared<comm::TrafficLog>();
  communicator().traffic_log = traffic_;
}

comm::TrafficLog Simulation::traffic() const {
  comm::TrafficLog all = traffic_ ? *traffic_ : comm::TrafficLog{};
  all.messages = comm::gather_values(communicator(), std::span(std::as_const(all.messages)), "traffic").second;
  return all;
}

void Simulation::check(const solver::Outcome& outcome) const {
  if (!outcome.good) throw solver::StepError(solver_->diagnose());
}

/// Returns the time when the row after the one due at `due` is due: the next multiple of the interval after now.
double Simulation::next_row(double due) const {
  const double now = solver_->clock().time;
  if (!(series_interval_ > 0) || due > now) return due;
  const double next = due + series_interval_;
  if (next > now) return next;
  const double intervals = std::floor((now - due) / series_interval_) + 1;
  return std::max(due + intervals * series_interval_, std::nextafter(now, INFINITY));
}

}  // namespace eddyline::driver
