#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/traffic_log.hpp"
#include "exchange/strategy.hpp"
#include "integrate/flow.hpp"
#include "observe/raster.hpp"
#include "observe/series.hpp"

namespace eddyline::driver {

/// What the blow-up doctor found: the first offender (smallest id) of the first bad step.
struct Diagnosis {
  std::int64_t id = 0, step = 0;
  double time = 0, density = 0;
  Vec3 position, velocity, acceleration;
  std::string reason;
  struct Neighbor {
    std::int64_t id;
    double distance;  // [m]
    Vec3 position, velocity;
    double density;
  };
  std::vector<Neighbor> neighbors;  // nearest fluid particles, at most eight
};

/// A step went wrong; the state is as it was when it was found.
struct StepError : std::runtime_error {
  explicit StepError(Diagnosis found);
  Diagnosis diagnosis;
};

/// What a run will need, found without running it.
struct Estimate {
  std::int64_t fluid_particles, wall_particles, memory_bytes;
  double time_step;  // at the start [s]
  particles::Lengths length;
};
Estimate estimate(const world::World& world);

/// The kinematic viscosity between fluid particles [m^2/s]: that of the fluid, or what `method.artificial_viscosity` is
/// worth if that is more. Of the scheme delta.
double effective_viscosity(const world::World& world);

/// Two 64-bit sums of hashes of (id, position, velocity, density and, if there is one, thermal
/// energy): the same for any order of particles.
struct Checksum {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Checksum&) const = default;
};

struct Statistics {
  std::int64_t steps, rebuilds, fluid_particles, wall_particles;
  double renewals;      // of an average list between rebuilds, of the rank that has most
  std::int64_t pairs;   // true directed pairs of the last step's lists: fluid-fluid, fluid-wall and wall-fluid
  std::int64_t stored;  // entries of the neighbour lists
  std::int64_t padded;  // the same with padding
  std::int64_t memory_bytes, list_bytes;
  std::int64_t messages, ghost_rows;
  std::int64_t message_bytes, migrants;          // sent to other ranks; particles that changed ranks
  std::int64_t messages_between, bytes_between;  // of those, what went to other sites
  std::int64_t contacts, left_particles;         // put back on a wall's surface; left through open sides
  int ranks;
  std::int64_t rebalances;  // how often the domain was shared out anew
  double imbalance;         // computing time of the busiest rank over the mean, when it was last looked at
  double rebalance_seconds;
  std::string instructions;
  int threads;
  std::vector<std::pair<std::string, double>> seconds;  // by phase
  exchange::Trials exchange;                            // of the fluid's ghosts, by this rank's clock
  struct {
    int every = 1;
    bool exact = true;
    std::int32_t depth = 0;                 // of the border of copies [cells]
    std::int64_t steps = 0, refreshes = 0;  // since the start; how often ranks brought each other up to date
    std::int64_t copies = 0;                // of fluid particles, since the last rebuild
  } lazy;                                   // see integrate/flow/lazy/laziness.hpp
};

enum class Kind : std::int32_t { fluid, walls };

/// A particle as snapshots and pictures want it.
struct Record {
  std::int64_t id;
  double position[3], velocity[3];  // [m], [m/s]; 0 beyond the dimension; walls have no velocity here
  double density, pressure;         // [kg/m^3], of walls 0; [Pa]
  std::int32_t body;                // of walls: index of the body, or -1 - side
  std::uint16_t surface, buffer;    // of the fluid: 1 at the free surface; 1 + the opening whose buffer it is in
};

/// A particle as somebody who watches wants it, in codes of 16 bits: value = lowest + code / 65535 (highest - lowest).
struct Glimpse {
  std::uint16_t position[3];  // over the domain; 0 beyond the dimension
  std::uint16_t velocity[3];  // from -speed to speed
  std::uint16_t pressure, density;
};

/// The fluid within the domain, or always the same share of it, in no particular order.
struct Glance {
  double speed = 0;             // [m/s]
  double pressure[2] = {0, 0};  // lowest and highest [Pa]
  double density[2] = {0, 0};   // [kg/m^3]
  std::vector<Glimpse> particles;
  std::vector<std::int64_t> ids;  // if asked for
};

/// What one rank did.
struct RankShare {
  std::int64_t fluid_particles = 0, wall_particles = 0, migrants = 0, memory_bytes = 0;
  std::int64_t neighbors = 0, messages = 0, bytes = 0;   // ranks that it sends rows to; sent
  std::int64_t messages_between = 0, bytes_between = 0;  // of those, what went to other sites
  std::array<std::int64_t, 32> sizes{};                  // messages of 2^(k-1) to less than 2^k bytes
  std::array<double, static_cast<std::size_t>(Phase::count)> seconds{};
};

/// A world in motion, whatever its dimension and precision. What is said to be collective all ranks call in the same
/// order; particles, walls and their values are those of this rank.
class Simulation {
 public:
  /// Collective. The communicator must outlive the simulation.
  static std::unique_ptr<Simulation> make(const world::World& world, const integrate::Execution& execution,
                                          double series_interval, comm::Communicator& communicator);
  virtual ~Simulation() = default;

  /// Steps until time >= until, or steps == max_steps, or, on any rank, max_seconds of wall time have passed, or
  /// interrupt(). Returns the steps done; throws StepError. Collective.
  virtual std::int64_t advance(double until, std::int64_t max_steps, double max_seconds) = 0;
  /// Changes the world between two steps. Rows of all series must have been taken. Returns the mass of the fluid that
  /// makes room for a body [kg], kg/m in 2D, else 0. Throws UserError, and then nothing has changed. Collective.
  virtual double change(const world::Change& change) = 0;
  /// May come from any thread.
  virtual void interrupt() = 0;
  /// The run is over, and of the root the other ranks are told so. Nothing collective may follow. Collective.
  virtual void end() = 0;

  virtual int dimensions() const = 0;
  virtual int threads() const = 0;  // of this process
  virtual double time() const = 0;
  virtual double time_step() const = 0;
  virtual std::int64_t steps() const = 0;
  /// Of all ranks.
  virtual std::int64_t fluid_count() const = 0;
  virtual std::int64_t wall_count() const = 0;

  virtual std::span<const std::int64_t> id() const = 0;
  virtual std::span<const double> mass() const = 0;
  virtual std::span<const std::uint8_t> buffer() const = 0;  // 1 + the opening whose buffer it is in; 0: fluid
  /// Component d of particle i is data[i + d * stride].
  struct Vectors {
    const double* data;
    std::size_t size, stride;
  };
  virtual Vectors position() const = 0;
  virtual Vectors velocity() const = 0;
  virtual std::vector<double> density() const = 0;
  virtual std::vector<double> pressure() const = 0;
  virtual std::span<const double> thermal_energy() const = 0;  // [J/kg]; empty unless the scheme is classic
  virtual std::vector<double> surface() const = 0;             // 1 where the free surface is

  virtual Vectors wall_position() const = 0;
  virtual std::span<const std::int32_t> wall_owner() const = 0;
  virtual std::vector<double> wall_pressure() const = 0;

  /// Copies of the particles of all ranks whose ids are larger than `after`: the first `limit` of them in order of id,
  /// on the root. Batch after batch, it needs no room for all. Collective.
  virtual std::vector<Record> records(Kind kind, std::int64_t after, std::int64_t limit) const = 0;

  /// Particles of all ranks whose ids a fixed rule picks, one of `every`; on the root. Collective.
  virtual Glance glance(std::int64_t every, bool with_ids) const = 0;
  /// Collective.
  virtual std::vector<observe::Raster> rasters(std::span<const observe::Quantity> quantities,
                                               const observe::Plane& plane) const = 0;
  /// The same on all ranks.
  virtual std::vector<observe::Series> take_series() = 0;
  /// Of the particles of all ranks. Collective.
  virtual Checksum checksum() const = 0;
  /// From now on a checksum is taken after every so many steps, counted from the start; 0: none. Collective.
  virtual void keep_checksums(std::int64_t every) = 0;
  /// Steps and their checksums since the last call; the same on all ranks.
  virtual std::vector<std::pair<std::int64_t, Checksum>> take_checksums() = 0;
  /// A checkpoint's part: what a rank holds. Collective with ranks other than this one.
  virtual std::vector<std::byte> save(int rank) = 0;
  /// Goes on where a checkpoint was written, whatever has been computed so far: parts, first to last, are asked for one
  /// after the other until one is empty. Any number of ranks. Throws UserError. Collective; `next` is called on the
  /// root.
  virtual void restore(const std::function<std::vector<std::byte>()>& next) = 0;
  /// Sums over all ranks; seconds are the longest of any. Collective.
  virtual Statistics statistics() const = 0;
  /// By rank, on the root. Collective.
  virtual std::vector<RankShare> shares() const = 0;
  /// Keeps the next laps of all ranks' timers, all from the same moment on. Collective.
  virtual void keep_timeline(std::int64_t laps) = 0;
  /// The laps kept, by rank, on the root. Collective.
  virtual std::vector<std::vector<Lap>> timeline() const = 0;
  /// From now on the exchanges of all ranks are noted. Collective.
  virtual void keep_traffic() = 0;
  /// What has been noted, the messages of all ranks in one log, on the root. Collective.
  virtual comm::TrafficLog traffic() const = 0;
};

}  // namespace eddyline::driver
