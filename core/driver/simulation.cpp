#include "driver/simulation.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <utility>

#include "base/affinity.hpp"
#include "base/archive.hpp"
#include "base/errors.hpp"
#include "base/instructions.hpp"
#include "comm/collectives.hpp"
#include "driver/doctor.hpp"
#include "driver/next_ids.hpp"
#include "integrate/classic_step.hpp"
#include "integrate/step.hpp"
#include "observe/observers.hpp"
#include "physics/sph/free_surface.hpp"

namespace eddyline::driver {

namespace {

constexpr double k_settle_damping = 15;  // damping rate times settling time: u' = -5 sqrt(g/H) u for 3 sqrt(H/g)

std::uint64_t mix(std::uint64_t h) {
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
  return h ^ (h >> 31);
}

/// How many threads gain more than they wait for each other, of at most so many: with fewer particles than this for
/// each, two are no faster than one. What flows in may fill the whole domain.
int paying_threads(const world::World& world, std::int64_t particles, int most) {
  constexpr std::int64_t k_share = 100;
  if (!world.openings.empty()) {
    double room = 1;
    for (int d = 0; d < world.dimensions; ++d) room *= world.size[d] / world.spacing;
    particles = std::max(particles, static_cast<std::int64_t>(std::min(room, 1e9)));
  }
  return static_cast<int>(std::clamp<std::int64_t>(particles / k_share, 1, most));
}

/// Stepper: the scheme, Step or ClassicStep.
template <class T, int D, class Stepper>
class FlowSimulation final : public Simulation {
 public:
  FlowSimulation(const world::World& world, const integrate::Execution& execution, double series_interval,
                 comm::Communicator& communicator)
      : flow_(world, execution, communicator),
        step_(flow_),
        observers_(flow_),
        instructions_(choose_instructions(execution.instructions)),
        threads_(execution.threads > 0 ? execution.threads
                                       : paying_threads(world, flow_.fluid.size(), omp_get_max_threads())),
        series_interval_(series_interval) {
    const double settle = world.start.settle;
    omp_set_num_threads(threads_);
    place_threads(threads_);
    flow_.time = settle > 0 ? -settle : 0.0;
    if (settle > 0)
      step_.damping = k_settle_damping / settle;
    else
      set_start_velocity();
    step_.start();
    check();
  }

  std::int64_t advance(double until, std::int64_t max_steps, double max_seconds) override {
    using Clock = std::chrono::steady_clock;
    omp_set_num_threads(threads_);
    const auto start = Clock::now();
    std::int64_t done = 0;
    interrupted_.store(false);
    flow_.control.stop = false;
    while (flow_.time < until && flow_.steps < max_steps && !flow_.control.stop) {
      const double passed = std::chrono::duration<double>(Clock::now() - start).count();
      flow_.control.stop = interrupted_.load(std::memory_order_relaxed) || passed >= max_seconds;
      const bool due = flow_.time + step_.choose_time_step() >= next_series_ && step_.damping == 0;
      if (traffic_) traffic_->step = flow_.steps;
      step_.advance(due && observers_.takes_reactions());
      check();
      ++done;
      if (due) agree();
      if (checksum_every_ > 0 && flow_.steps % checksum_every_ == 0) checksums_.emplace_back(flow_.steps, checksum());
      if (step_.damping > 0 && flow_.time >= 0) end_settling();
      if (due) {
        observers_.observe();
        flow_.timers.lap(Phase::observe);
        next_series_ = next_row(next_series_);
      }
    }
    agree();
    return done;
  }

  double change(const world::Change& change) override {
    const double displaced = flow_.change(change);
    step_.world_changed();
    using Kind = world::Change::Kind;
    constexpr std::array k_of_series{Kind::add_probe, Kind::remove_probe, Kind::add_body, Kind::remove_body};
    if (std::find(k_of_series.begin(), k_of_series.end(), change.kind) != k_of_series.end()) observers_.world_changed();
    return displaced;
  }
  void interrupt() override { interrupted_.store(true); }
  void end() override { step_.end(); }

  int dimensions() const override { return D; }
  int threads() const override { return threads_; }
  double time() const override { return flow_.time; }
  double time_step() const override { return step_.choose_time_step(); }
  std::int64_t steps() const override { return flow_.steps; }
  std::int64_t fluid_count() const override { return flow_.everywhere.fluid; }
  std::int64_t wall_count() const override { return flow_.everywhere.walls; }

  std::span<const std::int64_t> id() const override { return {flow_.fluid.id.data(), flow_.fluid.id.size()}; }
  std::span<const double> mass() const override { return {flow_.fluid.mass.data(), flow_.fluid.mass.size()}; }
  std::span<const std::uint8_t> buffer() const override {
    return {flow_.fluid.buffer.data(), flow_.fluid.buffer.size()};
  }
  Vectors position() const override { return vectors(flow_.fluid.x); }
  Vectors velocity() const override { return vectors(flow_.fluid.v); }
  std::vector<double> density() const override {
    std::vector<double> rho(flow_.fluid.s.size());
    for (std::size_t i = 0; i < rho.size(); ++i) rho[i] = flow_.constants().rho0 * (1 + flow_.fluid.s[i]);
    return rho;
  }
  std::vector<double> pressure() const override {
    std::vector<double> p(flow_.fluid.s.size());
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = flow_.pressure(i);
    return p;
  }
  std::span<const double> thermal_energy() const override { return {flow_.fluid.u.data(), flow_.fluid.u.size()}; }
  std::vector<double> surface() const override {
    std::vector<double> surface(flow_.fluid.s.size());
    for (std::size_t i = 0; i < surface.size(); ++i) surface[i] = is_at_surface(i) ? 1 : 0;
    return surface;
  }

  Vectors wall_position() const override { return vectors(flow_.wall.x); }
  std::span<const std::int32_t> wall_owner() const override {
    return {flow_.wall.owner.data(), flow_.wall.owner.size()};
  }
  std::vector<double> wall_pressure() const override {
    std::vector<double> p(flow_.wall.id.size());
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = wall_pressure(i);
    return p;
  }

  std::vector<Record> records(Kind kind, std::int64_t after, std::int64_t limit) const override {
    const auto& ids = kind == Kind::fluid ? flow_.fluid.id : flow_.wall.id;
    const std::vector<std::int64_t> chosen = next_ids(flow_.communicator(), {ids.data(), ids.size()}, after, limit);
    std::vector<Record> own;
    own.reserve(chosen.size());
    for (const std::int64_t i : chosen) own.push_back(record_of(kind, static_cast<std::size_t>(i)));
    if (flow_.communicator().is_alone()) return own;
    auto all = gather<Record>(std::span(std::as_const(own))).second;
    std::ranges::sort(all, {}, &Record::id);
    return all;
  }

  Glance glance(std::int64_t every, bool with_ids) const override {
    const auto& fluid = flow_.fluid;
    std::vector<std::size_t> chosen;
    chosen.reserve(every > 1 ? 0 : fluid.id.size());
    double extremes[5] = {0, -INFINITY, -INFINITY, -INFINITY, -INFINITY};  // speed^2, -lowest and highest p and rho
    for (std::size_t i = 0; i < fluid.id.size(); ++i) {
      if (fluid.buffer[i] != 0 || is_beyond_open_side(i)) continue;
      if (every > 1 && mix(static_cast<std::uint64_t>(fluid.id[i])) % static_cast<std::uint64_t>(every) != 0) continue;
      chosen.push_back(i);
      const double p = flow_.pressure(i), rho = flow_.constants().rho0 * (1 + fluid.s[i]);
      double v2 = 0;
      for (int d = 0; d < D; ++d) v2 += fluid.v[d][i] * fluid.v[d][i];
      const double values[5] = {v2, -p, p, -rho, rho};
      for (int k = 0; k < 5; ++k) extremes[k] = std::max(extremes[k], values[k]);
    }
    comm::maximum(flow_.communicator(), extremes, "glance");
    Glance found;
    found.speed = std::sqrt(extremes[0]);
    found.pressure[0] = -extremes[1], found.pressure[1] = extremes[2];
    found.density[0] = -extremes[3], found.density[1] = extremes[4];
    std::vector<Glimpse> own;
    std::vector<std::int64_t> ids;
    own.reserve(chosen.size());
    const auto& world = flow_.world();
    std::vector<Coder> place;
    for (int d = 0; d < D; ++d) place.emplace_back(world.origin[d], world.origin[d] + world.size[d]);
    const Coder velocity(-found.speed, found.speed);
    const Coder pressure(found.pressure[0], found.pressure[1]), density(found.density[0], found.density[1]);
    for (const std::size_t i : chosen) {
      Glimpse glimpse{};
      for (int d = 0; d < D; ++d) {
        glimpse.position[d] = place[static_cast<std::size_t>(d)](fluid.x[d][i]);
        glimpse.velocity[d] = velocity(fluid.v[d][i]);
      }
      glimpse.pressure = pressure(flow_.pressure(i));
      glimpse.density = density(flow_.constants().rho0 * (1 + fluid.s[i]));
      own.push_back(glimpse);
      if (with_ids) ids.push_back(fluid.id[i]);
    }
    found.particles = gather<Glimpse>(std::span(std::as_const(own))).second;
    if (with_ids) found.ids = gather<std::int64_t>(std::span(std::as_const(ids))).second;
    return found;
  }
  std::vector<observe::Raster> rasters(std::span<const observe::Quantity> quantities,
                                       const observe::Plane& plane) const override {
    return observe::draw_rasters(sampler_, quantities, plane);
  }
  std::vector<observe::Series> take_series() override { return observers_.take(); }

  Checksum checksum() const override {
    Checksum sum;
    const auto& fluid = flow_.fluid;
    for (std::size_t i = 0; i < fluid.id.size(); ++i) {
      std::uint64_t h = mix(static_cast<std::uint64_t>(fluid.id[i]) + 0x9E3779B97F4A7C15u);
      const auto take = [&h](double value) { h = mix(h ^ std::bit_cast<std::uint64_t>(value)) + 0x9E3779B97F4A7C15u; };
      for (int d = 0; d < D; ++d) take(fluid.x[d][i]), take(fluid.v[d][i]);
      take(fluid.s[i]);
      if (fluid.buffer[i] != 0) take(fluid.buffer[i]);
      if (fluid.classic) take(fluid.u[i]);
      sum.low += mix(h);
      sum.high += mix(h ^ 0xD6E8FEB86659FD93u);
    }
    std::int64_t words[] = {static_cast<std::int64_t>(sum.low), static_cast<std::int64_t>(sum.high)};
    comm::sum(flow_.communicator(), words, "checksum");
    return {static_cast<std::uint64_t>(words[0]), static_cast<std::uint64_t>(words[1])};
  }

  void keep_checksums(std::int64_t every) override { checksum_every_ = every; }
  std::vector<std::pair<std::int64_t, Checksum>> take_checksums() override { return std::exchange(checksums_, {}); }

  std::vector<std::byte> save(int) override {
    ArchiveWriter archive;
    archive.put_value("kind", kind());
    flow_.save(archive);
    step_.save(archive);
    observers_.save(archive);
    archive.put_value("driver", std::array{next_series_, step_.damping});
    return archive.take();
  }

  /// The root hands parts out in turn: to itself, to rank 1, ...
  void restore(const std::function<std::vector<std::byte>()>& next) override {
    auto& communicator = flow_.communicator();
    std::vector<std::vector<std::byte>> own;
    std::vector<std::byte> part{std::byte{}};
    for (int number = 0; !part.empty(); ++number) {
      const int rank = number % communicator.size();
      if (communicator.is_root()) part = next();
      part.resize(comm::broadcast(communicator, part.size(), 0, "checkpoint"));
      if (part.empty()) break;
      if (rank != 0) {
        const auto requests = communicator.requests();
        if (communicator.is_root()) requests->send(part, rank, comm::Tag::state);
        if (communicator.rank() == rank) requests->receive(part, 0, comm::Tag::state);
        comm::wait(communicator, *requests, "checkpoint");
      }
      if (communicator.rank() == rank) own.push_back(part);
    }
    std::vector<ArchiveReader> parts;
    comm::agree(communicator, "checkpoint", [&] {
      if (communicator.is_root() && own.empty()) throw UserError("checkpoint: it has no parts; it is damaged.");
      for (auto& bytes : own) {
        const ArchiveReader& each = parts.emplace_back(std::move(bytes));
        auto of_part = kind();
        each.get_value("kind", of_part);
        if (of_part != kind()) throw UserError("checkpoint: it belongs to another world.");
      }
    });
    const ArchiveReader* first = communicator.is_root() ? &parts.at(0) : nullptr;
    flow_.restore(parts);
    step_.restore(first);
    observers_.restore(first);
    std::array<double, 2> driver{};
    comm::agree(communicator, "checkpoint", [&] {
      if (first != nullptr) first->get_value("driver", driver);
    });
    driver = comm::broadcast(communicator, driver, 0, "checkpoint");
    next_series_ = driver[0], step_.damping = driver[1];
  }

  Statistics statistics() const override {
    step_.show_state();
    Statistics s{};
    s.steps = flow_.steps;
    s.rebuilds = flow_.rebuilds;
    s.fluid_particles = flow_.fluid.size();
    s.wall_particles = flow_.wall.size();
    s.stored = flow_.fluid_fluid.stored() + flow_.fluid_wall.stored() + flow_.wall_fluid.stored();
    s.padded = flow_.fluid_fluid.padded() + flow_.fluid_wall.padded() + flow_.wall_fluid.padded();
    s.pairs = count_pairs(flow_);
    s.memory_bytes = flow_.memory();
    s.list_bytes =
        static_cast<std::int64_t>(flow_.fluid_fluid.bytes() + flow_.fluid_wall.bytes() + flow_.wall_fluid.bytes());
    for (const exchange::Halo* halo : halos()) {
      const exchange::Traffic traffic = halo->traffic();
      s.messages += traffic.copies + traffic.sent.messages;
      s.ghost_rows += traffic.rows;
      s.message_bytes += traffic.sent.bytes;
      s.messages_between += traffic.sent.messages_between;
      s.bytes_between += traffic.sent.bytes_between;
    }
    s.migrants = flow_.migrants;
    s.contacts = flow_.contacts;
    s.left_particles = flow_.left_particles;
    s.instructions = instructions_;
    s.threads = threads_;
    s.ranks = flow_.communicator().size();
    s.rebalances = flow_.balance.times();
    s.imbalance = flow_.balance.imbalance();
    s.rebalance_seconds = flow_.balance.seconds();
    s.exchange = fluid_halo().trials();
    s.lazy = {flow_.lazy.every(), flow_.lazy.is_exact(),  flow_.lazy.depth(),
              flow_.lazy.steps(), flow_.lazy.refreshes(), flow_.fluid_rows.computed() - flow_.fluid_rows.owned()};
    std::int64_t* const sums[] = {&s.fluid_particles, &s.wall_particles,   &s.pairs,         &s.stored,
                                  &s.padded,          &s.memory_bytes,     &s.list_bytes,    &s.messages,
                                  &s.message_bytes,   &s.ghost_rows,       &s.migrants,      &s.contacts,
                                  &s.left_particles,  &s.messages_between, &s.bytes_between, &s.lazy.copies};
    std::vector<std::int64_t> values;
    for (const std::int64_t* each : sums) values.push_back(*each);
    comm::sum(flow_.communicator(), values, "statistics");
    for (std::size_t k = 0; k < values.size(); ++k) *sums[k] = values[k];
    std::vector<double> seconds;
    for (std::size_t p = 0; p < k_phase_names.size(); ++p)
      seconds.push_back(flow_.timers.seconds(static_cast<Phase>(p)));
    seconds.push_back(flow_.renewals);
    comm::maximum(flow_.communicator(), seconds, "statistics");
    s.renewals = seconds.back();
    for (std::size_t p = 0; p < k_phase_names.size(); ++p) s.seconds.emplace_back(k_phase_names[p], seconds[p]);
    return s;
  }

  std::vector<RankShare> shares() const override {
    RankShare own;
    own.fluid_particles = flow_.fluid.size();
    own.wall_particles = flow_.wall.size();
    own.migrants = flow_.migrants;
    own.memory_bytes = flow_.memory();
    own.neighbors = static_cast<std::int64_t>(fluid_halo().neighbors());
    for (const exchange::Halo* halo : halos()) {
      const exchange::Sent sent = halo->traffic().sent;
      own.messages += sent.messages;
      own.bytes += sent.bytes;
      own.messages_between += sent.messages_between;
      own.bytes_between += sent.bytes_between;
      for (std::size_t k = 0; k < own.sizes.size(); ++k) own.sizes[k] += sent.sizes[k];
    }
    for (std::size_t p = 0; p < own.seconds.size(); ++p) own.seconds[p] = flow_.timers.seconds(static_cast<Phase>(p));
    return gather<RankShare>(std::span(&own, 1)).second;
  }

  void keep_timeline(std::int64_t laps) override {
    double nothing[] = {0};
    comm::maximum(flow_.communicator(), nothing, "timeline");  // all are here now
    flow_.timers.keep_timeline(static_cast<std::size_t>(laps));
  }

  std::vector<std::vector<Lap>> timeline() const override {
    const auto [counts, laps] = gather<Lap>(std::span(flow_.timers.timeline()));
    std::vector<std::vector<Lap>> by_rank;
    auto from = laps.begin();
    for (const std::ptrdiff_t count : counts) by_rank.emplace_back(from, from + count), from += count;
    return by_rank;
  }

  void keep_traffic() override {
    traffic_ = std::make_shared<comm::TrafficLog>();
    flow_.communicator().traffic_log = traffic_;
  }
  comm::TrafficLog traffic() const override {
    comm::TrafficLog all = traffic_ ? *traffic_ : comm::TrafficLog{};
    all.messages = gather<comm::TrafficLog::Message>(std::span(std::as_const(all.messages))).second;
    return all;
  }

 private:
  /// Values of all ranks, one rank after the other, and how many each has; on the root.
  template <class Value>
  std::pair<std::vector<std::ptrdiff_t>, std::vector<Value>> gather(std::span<const Value> own) const {
    std::pair<std::vector<std::ptrdiff_t>, std::vector<Value>> all;
    for (const auto& bytes : comm::gather(flow_.communicator(), std::as_bytes(own), "statistics")) {
      const std::size_t before = all.second.size(), count = bytes.size() / sizeof(Value);
      all.first.push_back(static_cast<std::ptrdiff_t>(count));
      all.second.resize(before + count);
      if (count > 0) std::memcpy(all.second.data() + before, bytes.data(), bytes.size());
    }
    return all;
  }

  std::array<const exchange::Halo*, 4> halos() const {
    return {&flow_.fluid_halo, &flow_.wall_halo, &flow_.fluid_copies, &flow_.wall_copies};
  }
  /// Whose messages bring the fluid of other ranks.
  const exchange::Halo& fluid_halo() const {
    return flow_.lazy.computes_copies() ? flow_.fluid_copies : flow_.fluid_halo;
  }

  static std::array<std::int32_t, 3> kind() {
    return {D, sizeof(T), std::is_same_v<Stepper, integrate::ClassicStep<T, D>> ? 1 : 0};
  }
  double pressure_unit() const { return flow_.constants().rho0 * flow_.constants().c0 * flow_.constants().c0; }

  bool is_at_surface(std::size_t i) const {
    return flow_.fluid.surface[i] == physics::k_at_surface || flow_.fluid.surface[i] == physics::k_isolated;
  }

  bool is_beyond_open_side(std::size_t i) const {
    const auto& world = flow_.world();
    for (std::size_t d = 0; d < D; ++d) {
      const double x = flow_.fluid.x[d][i] - world.origin[static_cast<int>(d)];
      const auto is_open = [&](std::size_t side) { return world.sides[side].kind == world::SideKind::open; };
      if ((x < 0 && is_open(2 * d)) || (x > world.size[static_cast<int>(d)] && is_open(2 * d + 1))) return true;
    }
    return false;
  }

  Record record_of(Kind kind, std::size_t i) const {
    Record record{};
    if (kind == Kind::fluid) {
      record.id = flow_.fluid.id[i];
      for (int d = 0; d < D; ++d) record.position[d] = flow_.fluid.x[d][i], record.velocity[d] = flow_.fluid.v[d][i];
      record.density = flow_.constants().rho0 * (1 + flow_.fluid.s[i]);
      record.pressure = flow_.pressure(i);
      record.surface = is_at_surface(i);
      record.buffer = flow_.fluid.buffer[i];
    } else {
      record.id = flow_.wall.id[i];
      for (int d = 0; d < D; ++d) record.position[d] = flow_.wall.x[d][i];
      record.pressure = wall_pressure(i);
      record.body = flow_.wall.owner[i];
    }
    return record;
  }
  /// Codes of the values from low to high.
  struct Coder {
    Coder(double low, double high) : lowest(low), per_unit(high > low ? 65535 / (high - low) : 0.0) {}
    std::uint16_t operator()(double value) const {
      return static_cast<std::uint16_t>(std::lround(std::clamp((value - lowest) * per_unit, 0.0, 65535.0)));
    }
    double lowest, per_unit;
  };
  double wall_pressure(std::size_t i) const {
    return pressure_unit() * static_cast<double>(flow_.walls.row(flow_.wall_rows.row_of(i))[D]);
  }

  static Vectors vectors(const VectorArray<double, D>& field) { return {field[0], field.size(), field.stride()}; }

  /// Looks at the last step now; else it is done in the course of the next one.
  void agree() {
    flow_.agree();
    check();
  }
  void check() const {
    if (flow_.control.bad) throw StepError(diagnose(flow_));
  }

  void set_start_velocity() {
    auto& fluid = flow_.fluid;
    for (std::size_t i = 0; i < fluid.id.size(); ++i) {
      const Vec3 x = vector_of(fluid.x, i);
      for (int d = 0; d < D; ++d)
        fluid.v[d][i] =
            flow_.world().start.velocity[static_cast<std::size_t>(d)].evaluate(std::array{x.x, x.y, x.z, 0.0});
    }
  }

  void end_settling() {
    step_.damping = 0;
    flow_.time = 0;
    set_start_velocity();
    step_.start();
  }

  /// When the row after the one that was due at `due` is: the first of equal intervals after now.
  double next_row(double due) const {
    if (!(series_interval_ > 0) || due > flow_.time) return due;
    const double next = due + series_interval_;
    if (next > flow_.time) return next;
    const double intervals = std::floor((flow_.time - due) / series_interval_) + 1;
    return std::max(due + intervals * series_interval_, std::nextafter(flow_.time, INFINITY));
  }

  integrate::Flow<T, D> flow_;
  mutable Stepper step_;  // its rows show the state only where somebody counts pairs
  observe::Observers<T, D> observers_;
  mutable observe::Sampler<D> sampler_{flow_};  // of rasters; keeps its room
  std::string instructions_;
  int threads_;
  std::atomic<bool> interrupted_{false};
  double series_interval_, next_series_ = 0;
  std::int64_t checksum_every_ = 0;
  std::vector<std::pair<std::int64_t, Checksum>> checksums_;
  std::shared_ptr<comm::TrafficLog> traffic_;  // empty unless asked for
};

template <class T, int D>
std::unique_ptr<Simulation> make_for(const world::World& world, const integrate::Execution& execution, double interval,
                                     comm::Communicator& communicator) {
  if (world.method.scheme == world::Scheme::classic)
    return std::make_unique<FlowSimulation<T, D, integrate::ClassicStep<T, D>>>(world, execution, interval,
                                                                                communicator);
  return std::make_unique<FlowSimulation<T, D, integrate::Step<T, D>>>(world, execution, interval, communicator);
}

template <class T>
std::unique_ptr<Simulation> make_for(const world::World& world, const integrate::Execution& execution, double interval,
                                     comm::Communicator& communicator) {
  if (world.dimensions == 2) return make_for<T, 2>(world, execution, interval, communicator);
  return make_for<T, 3>(world, execution, interval, communicator);
}

}  // namespace

std::unique_ptr<Simulation> Simulation::make(const world::World& world, const integrate::Execution& execution,
                                             double series_interval, comm::Communicator& communicator) {
  if (world.method.double_precision) return make_for<double>(world, execution, series_interval, communicator);
  return make_for<float>(world, execution, series_interval, communicator);
}

namespace {

/// Places that may hold fluid, at most.
double places_of(const world::World& world) {
  const auto within = [&](const std::pair<Vec3, Vec3>& bounds) {
    double places = 1;
    for (int d = 0; d < world.dimensions; ++d) {
      const double low = std::max(bounds.first[d], world.origin[d]);
      const double high = std::min(bounds.second[d], world.origin[d] + world.size[d]);
      places *= std::max(0.0, high - low) / world.spacing;
    }
    return places;
  };
  if (world.regions.empty()) return within({world.origin, world.origin + world.size});
  double places = 0;
  for (const auto& region : world.regions) places += within(region.shape->bounds());
  return places;
}

/// How much coarser a world is placed to count its particles: so that it has no more than `k_most` places, but eight
/// across its narrowest side.
double coarser(const world::World& world) {
  constexpr double k_most = 4e6, k_fewest_across = 8;
  const double places = places_of(world);
  if (!(places > k_most)) return 1;
  double narrowest = std::numeric_limits<double>::infinity();
  for (int d = 0; d < world.dimensions; ++d) narrowest = std::min(narrowest, world.size[d] / world.spacing);
  return std::max(1.0, std::min(std::pow(places / k_most, 1.0 / world.dimensions), narrowest / k_fewest_across));
}

/// A count that is not exact, to three digits.
std::int64_t about(double count) {
  if (count < 1000) return std::llround(count);
  const double digit = std::pow(10.0, std::floor(std::log10(count)) - 2);
  return std::llround(std::round(count / digit) * digit);
}

}  // namespace

Estimate estimate(const world::World& world) {
  Estimate e{};
  e.length = particles::lengths(world);
  const double ratio = coarser(world);
  world::World placed = world;
  placed.spacing *= ratio;
  const particles::Placement placement = particles::place(placed);
  const auto fluid = static_cast<double>(placement.fluid.size()), walls = static_cast<double>(placement.walls.size());
  e.fluid_particles = ratio == 1 ? std::llround(fluid) : about(fluid * std::pow(ratio, world.dimensions));
  e.wall_particles = ratio == 1 ? std::llround(walls) : about(walls * std::pow(ratio, world.dimensions - 1));
  // Measured: state, rows and results of a particle with its ghosts, a stored neighbour, and all of a wall's.
  const double reach = 1.05 * e.length.interaction_radius / world.spacing;
  const double neighbors = world.dimensions == 2 ? 3.14 * reach * reach : 4.19 * reach * reach * reach;
  const bool classic = world.method.scheme == world::Scheme::classic;
  const double state = world.dimensions == 2 ? (classic ? 300 : 230) : (classic ? 350 : 300), wall = 200;
  const double bytes =
      static_cast<double>(e.fluid_particles) * (state + 4.7 * neighbors) + static_cast<double>(e.wall_particles) * wall;
  e.memory_bytes = static_cast<std::int64_t>(bytes);
  const double h = e.length.smoothing_length, nu = world.fluid.kinematic_viscosity;
  const double signal = classic ? 1 + 0.6 * world.method.artificial_viscosity : 1.1;
  e.time_step = world.method.cfl * h / (signal * world.fluid.sound_speed);
  if (nu > 0) e.time_step = std::min(e.time_step, world.method.viscous_cfl * h * h / nu);
  return e;
}

double effective_viscosity(const world::World& world) { return integrate::Constants(world).nu_fluid; }

}  // namespace eddyline::driver
