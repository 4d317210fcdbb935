#include "driver/leader.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/errors.hpp"
#include "comm/collectives.hpp"

namespace eddyline::driver {

namespace {

enum class Call : std::int32_t {
  end,
  advance,
  change,
  glance,
  rasters,
  take_series,
  checksum,
  statistics,
  shares,
  keep_timeline,
  timeline,
  keep_traffic,
  traffic,
  keep_checksums,
  take_checksums,
  records,
  save,
  restore
};

/// A call and its arguments, as they travel.
struct Command {
  Call call = Call::end;
  double until = 0, max_seconds = 0;
  std::int64_t max_steps = 0;
  Kind kind = Kind::fluid;
  std::int64_t after = 0;
  observe::Plane plane{};
  std::array<observe::Quantity, observe::k_quantities> quantities{};  // so many as `after` says
};

class Leader final : public Simulation {
 public:
  Leader(std::unique_ptr<Simulation> own, comm::Communicator& communicator)
      : own_(std::move(own)), communicator_(communicator) {}
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;
  ~Leader() override {
    try {
      Leader::end();
    } catch (const std::exception&) {  // NOLINT: nobody is left to be told
    }
  }

  void end() override {
    if (std::exchange(ended_, true)) return;
    call({});
    own_->end();
  }

  std::int64_t advance(double until, std::int64_t max_steps, double max_seconds) override {
    Command command{.call = Call::advance};
    command.until = until, command.max_steps = max_steps, command.max_seconds = max_seconds;
    call(command);
    return own_->advance(until, max_steps, max_seconds);
  }
  double change(const world::Change& change) override {
    call({.call = Call::change});
    comm::broadcast(communicator_, change, 0, "change");
    return own_->change(change);
  }
  void interrupt() override { own_->interrupt(); }
  Glance glance(std::int64_t every, bool with_ids) const override {
    Command command{.call = Call::glance};
    command.max_steps = every, command.after = with_ids ? 1 : 0;
    call(command);
    return own_->glance(every, with_ids);
  }
  std::vector<observe::Raster> rasters(std::span<const observe::Quantity> quantities,
                                       const observe::Plane& plane) const override {
    Command command{.call = Call::rasters};
    command.plane = plane;
    command.after = static_cast<std::int64_t>(quantities.size());
    std::ranges::copy(quantities, command.quantities.begin());
    call(command);
    return own_->rasters(quantities, plane);
  }
  std::vector<observe::Series> take_series() override {
    call({.call = Call::take_series});
    return own_->take_series();
  }
  Checksum checksum() const override {
    call({.call = Call::checksum});
    return own_->checksum();
  }
  Statistics statistics() const override {
    call({.call = Call::statistics});
    return own_->statistics();
  }
  std::vector<RankShare> shares() const override {
    call({.call = Call::shares});
    return own_->shares();
  }
  void keep_timeline(std::int64_t laps) override {
    Command command{.call = Call::keep_timeline};
    command.max_steps = laps;
    call(command);
    own_->keep_timeline(laps);
  }
  std::vector<std::vector<Lap>> timeline() const override {
    call({.call = Call::timeline});
    return own_->timeline();
  }
  void keep_traffic() override {
    call({.call = Call::keep_traffic});
    own_->keep_traffic();
  }
  comm::TrafficLog traffic() const override {
    call({.call = Call::traffic});
    return own_->traffic();
  }

  void keep_checksums(std::int64_t every) override {
    Command command{.call = Call::keep_checksums};
    command.max_steps = every;
    call(command);
    own_->keep_checksums(every);
  }
  std::vector<std::pair<std::int64_t, Checksum>> take_checksums() override {
    call({.call = Call::take_checksums});
    return own_->take_checksums();
  }
  std::vector<std::byte> save(int rank) override {
    if (rank == 0) return own_->save(0);
    Command command{.call = Call::save};
    command.max_steps = rank;
    call(command);
    std::uint64_t size = 0;
    receive(std::as_writable_bytes(std::span(&size, 1)), rank);
    std::vector<std::byte> part(size);
    receive(part, rank);
    return part;
  }
  void restore(const std::function<std::vector<std::byte>()>& next) override {
    call({.call = Call::restore});
    own_->restore(next);
  }

  int dimensions() const override { return own_->dimensions(); }
  int threads() const override { return own_->threads(); }
  double time() const override { return own_->time(); }
  double time_step() const override { return own_->time_step(); }
  std::int64_t steps() const override { return own_->steps(); }
  std::int64_t fluid_count() const override { return own_->fluid_count(); }
  std::int64_t wall_count() const override { return own_->wall_count(); }

  std::span<const std::int64_t> id() const override { return own_->id(); }
  std::span<const double> mass() const override { return own_->mass(); }
  std::span<const std::uint8_t> buffer() const override { return own_->buffer(); }
  Vectors position() const override { return own_->position(); }
  Vectors velocity() const override { return own_->velocity(); }
  std::vector<double> density() const override { return own_->density(); }
  std::vector<double> pressure() const override { return own_->pressure(); }
  std::span<const double> thermal_energy() const override { return own_->thermal_energy(); }
  std::vector<double> surface() const override { return own_->surface(); }
  Vectors wall_position() const override { return own_->wall_position(); }
  std::span<const std::int32_t> wall_owner() const override { return own_->wall_owner(); }
  std::vector<double> wall_pressure() const override { return own_->wall_pressure(); }
  std::vector<Record> records(Kind kind, std::int64_t after, std::int64_t limit) const override {
    Command command{.call = Call::records};
    command.kind = kind, command.after = after, command.max_steps = limit;
    call(command);
    return own_->records(kind, after, limit);
  }

 private:
  void receive(std::span<std::byte> into, int rank) const {
    const auto requests = communicator_.requests();
    requests->receive(into, rank, comm::Tag::state);
    comm::wait(communicator_, *requests, "checkpoint");
  }
  void call(const Command& command) const { comm::broadcast(communicator_, command, 0, "command"); }

  std::unique_ptr<Simulation> own_;
  comm::Communicator& communicator_;
  bool ended_ = false;
};

/// Does one call; what goes wrong for all is told by the root.
void join(Simulation& own, const Command& command, comm::Communicator& communicator) {
  switch (command.call) {
    case Call::advance: own.advance(command.until, command.max_steps, command.max_seconds); break;
    case Call::glance: own.glance(command.max_steps, command.after != 0); break;
    case Call::change: own.change(comm::broadcast(communicator, world::Change{}, 0, "change")); break;
    case Call::rasters:
      own.rasters({command.quantities.data(), static_cast<std::size_t>(command.after)}, command.plane);
      break;
    case Call::take_series: own.take_series(); break;
    case Call::checksum: own.checksum(); break;
    case Call::statistics: own.statistics(); break;
    case Call::shares: own.shares(); break;
    case Call::keep_timeline: own.keep_timeline(command.max_steps); break;
    case Call::timeline: own.timeline(); break;
    case Call::keep_traffic: own.keep_traffic(); break;
    case Call::traffic: own.traffic(); break;
    case Call::keep_checksums: own.keep_checksums(command.max_steps); break;
    case Call::take_checksums: own.take_checksums(); break;
    case Call::records: own.records(command.kind, command.after, command.max_steps); break;
    case Call::save: {
      if (command.max_steps != communicator.rank()) break;
      const std::vector<std::byte> part = own.save(communicator.rank());
      const std::uint64_t size = part.size();
      const auto requests = communicator.requests();
      requests->send(std::as_bytes(std::span(&size, 1)), 0, comm::Tag::state);
      requests->send(part, 0, comm::Tag::state);
      comm::wait(communicator, *requests, "checkpoint");
      break;
    }
    case Call::restore: own.restore({}); break;
    case Call::end: break;
  }
}

}  // namespace

std::unique_ptr<Simulation> lead(std::unique_ptr<Simulation> own, comm::Communicator& communicator) {
  return std::make_unique<Leader>(std::move(own), communicator);
}

void follow(Simulation& own, comm::Communicator& communicator) {
  for (;;) {
    const double patience = communicator.patience.exchange(0);  // the root may be painting
    const auto command = comm::broadcast(communicator, Command{}, 0, "command");
    communicator.patience = patience;
    if (command.call == Call::end) return own.end();
    try {
      join(own, command, communicator);
    } catch (const StepError&) {
      continue;  // on all ranks at once: the root tells
    } catch (const UserError&) {
      continue;
    }
  }
}

}  // namespace eddyline::driver
