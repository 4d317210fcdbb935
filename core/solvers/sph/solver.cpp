#include "solvers/sph/solver.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>

#include "base/affinity.hpp"
#include "base/instructions.hpp"
#include "solvers/sph/doctor.hpp"
#include "solvers/sph/observe/loads.hpp"
#include "solvers/sph/observe/particles.hpp"
#include "solvers/sph/observe/sampler.hpp"
#include "solvers/sph/observe/series.hpp"
#include "solvers/sph/step/classic/classic_step.hpp"
#include "solvers/sph/step/delta/delta_step.hpp"
#include "solvers/sph/step/device/state_on_device.hpp"

namespace eddyline::sph {

namespace {

constexpr double k_settle_damping = 15;  // damping rate times settling time: u' = -5 sqrt(g/H) u for 3 sqrt(H/g)

/// Returns the number of threads, at most `most`, that gain more than they wait for each other: below this number of
/// particles for each, two threads are no faster than one. Inflow may fill the whole domain.
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
class Solver final : public solver::Solver {
 public:
  Solver(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
      : parts_(world, execution, communicator),
        step_(parts_),
        loads_(parts_),
        instructions_(choose_instructions(execution.instructions)),
        threads_(execution.threads > 0 ? execution.threads
                                       : paying_threads(world, parts_.state.fluid.size(), omp_get_max_threads())) {
    omp_set_num_threads(threads_);
    place_threads(threads_);
  }

  const world::World& world() const override { return parts_.state.world; }
  comm::Communicator& communicator() const override { return parts_.domain.communicator(); }
  solver::Clock clock() const override { return {parts_.state.time, parts_.state.steps}; }
  int threads() const override { return threads_; }
  std::string instructions() const override { return step_.device() == "cpu" ? instructions_ : step_.device(); }
  Timers& timers() override { return parts_.domain.timers; }

  solver::Outcome start() override {
    const double settle = world().start.settle;
    parts_.state.time = settle > 0 ? -settle : 0.0;
    step_.damping = settling_rate();
    if (step_.damping == 0) set_start_velocity();
    try {
      step_.start();
    } catch (const std::runtime_error&) {
      rethrow_failure(parts_.domain.execution().device);
    }
    return outcome();
  }
  double next_time_step() const override { return step_.choose_time_step(); }
  solver::Outcome advance(solver::StepRequest ask) override {
    parts_.state.control.stop = ask.stop;
    try {
      step_.advance(ask.loads);
    } catch (const std::runtime_error&) {
      rethrow_failure(parts_.domain.execution().device);
    }
    if (!parts_.state.control.bad && step_.damping > 0 && parts_.state.time >= 0) end_settling();
    return outcome();
  }
  solver::Outcome agree() override {
    step_.agree();
    return outcome();
  }
  void finish() override { step_.end(); }

  const solver::FieldSets& fields() const override { return particles_; }
  const solver::Points* points() const override { return &particles_; }
  solver::Sampler& sampler() override { return sampler_; }
  solver::Loads& loads() override { return loads_; }
  std::vector<std::unique_ptr<solver::Observer>> observers() override {
    std::vector<std::unique_ptr<solver::Observer>> own;
    own.push_back(std::make_unique<Budget<T, D>>(parts_.state));
    for (std::size_t o = 0; o < parts_.state.openings.all().size(); ++o)
      own.push_back(std::make_unique<OpeningSeries<T, D>>(parts_, loads_, o));
    return own;
  }
  solver::Checksum checksum() const override {
    step_.hand_back();
    solver::Checksum sum;
    const auto& fluid = parts_.state.fluid;
    for (std::size_t i = 0; i < fluid.id.size(); ++i) {
      solver::MemberHash hash(fluid.id[i]);
      for (int d = 0; d < D; ++d) hash.add(fluid.x[d][i]), hash.add(fluid.v[d][i]);
      hash.add(fluid.s[i]);
      if (fluid.buffer[i] != 0) hash.add(fluid.buffer[i]);
      if (fluid.classic) hash.add(fluid.classic->u[i]);
      hash.add_to(sum);
    }
    return sum;
  }

  double apply(const world::Change& change) override {
    step_.hand_back();
    const double displaced = parts_.change(change);
    step_.world_changed();
    using Kind = world::Change::Kind;
    if (change.kind == Kind::add_body || change.kind == Kind::remove_body) loads_.world_changed();
    return displaced;
  }

  std::array<std::int32_t, 3> kind() const override {
    return {D, sizeof(T), std::is_same_v<Stepper, ClassicStep<T, D>> ? 1 : 0};
  }
  void save(ArchiveWriter& archive) override {
    step_.hand_back();
    parts_.save(archive);
    step_.save(archive);
  }
  void restore(const std::vector<ArchiveReader>& parts) override {
    parts_.restore(parts);
    step_.restore(communicator().is_root() ? &parts.at(0) : nullptr);
    step_.damping = settling_rate();
    loads_.group_walls();
  }

  void count(solver::Counters& counters) override;
  solver::RankShare share() const override;
  exchange::Trials exchange_trials() const override { return fluid_halo().trials(); }
  solver::Diagnosis diagnose() const override { return sph::diagnose(parts_); }

 private:
  /// The outcome of the last step, as known now.
  solver::Outcome outcome() const { return {!parts_.state.control.bad, parts_.state.control.stop}; }

  /// Rate of the damping v' = -rate v before t = 0, while a start settles [1/s].
  double settling_rate() const { return parts_.state.time < 0 ? k_settle_damping / world().start.settle : 0; }

  void end_settling() {
    step_.hand_back();
    step_.damping = 0;
    parts_.state.time = 0;
    set_start_velocity();
    step_.start();
  }

  void set_start_velocity() {
    auto& fluid = parts_.state.fluid;
    for (std::size_t i = 0; i < fluid.id.size(); ++i) {
      const Vec3 x = vector_of(fluid.x, i);
      for (int d = 0; d < D; ++d)
        fluid.v[d][i] = world().start.velocity[static_cast<std::size_t>(d)].evaluate(std::array{x.x, x.y, x.z, 0.0});
    }
  }

  std::array<const exchange::Halo*, 4> halos() const {
    return {&parts_.domain.fluid_halo, &parts_.domain.wall_halo, &parts_.domain.fluid_copies,
            &parts_.domain.wall_copies};
  }
  /// The halo with the messages about fluid of other ranks.
  const exchange::Halo& fluid_halo() const {
    return parts_.domain.lazy.computes_copies() ? parts_.domain.fluid_copies : parts_.domain.fluid_halo;
  }

  Parts<T, D> parts_;
  Stepper step_;
  Particles<T, D> particles_{parts_};
  Sampler<T, D> sampler_{parts_};
  Loads<T, D> loads_;
  std::string instructions_;
  int threads_;
};

template <class T, int D, class Stepper>
void Solver<T, D, Stepper>::count(solver::Counters& counters) {
  step_.write_state_rows();  // pairs are counted in rows of the state
  exchange::Traffic traffic;
  for (const exchange::Halo* halo : halos()) traffic += halo->traffic();
  const auto& pairs = {&parts_.lists.fluid_fluid, &parts_.lists.fluid_wall, &parts_.lists.wall_fluid};
  std::int64_t stored = 0, padded = 0, list_bytes = 0;
  for (const neighbors::NeighborList* list : pairs)
    stored += list->stored(), padded += list->padded(), list_bytes += static_cast<std::int64_t>(list->bytes());

  counters.same("steps", parts_.state.steps);
  counters.same("rebuilds", parts_.domain.rebuilds);
  counters.largest("renewals", parts_.lists.renewals);  // of an average list between rebuilds
  counters.sum("fluid_particles", parts_.state.fluid.size());
  counters.sum("wall_particles", parts_.state.wall.size());
  counters.sum("pairs", count_pairs(parts_));  // directed pairs within R in the last step's lists
  counters.sum("stored_pairs", stored);        // entries of these lists, with what is near
  counters.sum("padded_pairs", padded);        // the same with padding
  counters.sum("memory_bytes", parts_.memory());
  counters.sum("list_bytes", list_bytes);
  counters.sum("messages", traffic.copies + traffic.sent.messages);
  counters.sum("message_bytes", traffic.sent.bytes);
  counters.sum("messages_between_sites", traffic.sent.messages_between);
  counters.sum("bytes_between_sites", traffic.sent.bytes_between);
  counters.sum("ghost_bytes", traffic.copied_bytes);
  counters.sum("migrants", parts_.domain.migrants);
  counters.sum("contacts", parts_.state.contacts);              // particles put back on a wall's surface
  counters.sum("left_particles", parts_.state.left_particles);  // through open sides
  counters.same("rebalances", parts_.domain.balance.times());
  counters.same_real("imbalance", parts_.domain.balance.imbalance());
  counters.same_real("rebalance_seconds", parts_.domain.balance.seconds());
  step_.count(counters);
  if (parts_.domain.lazy.every() <= 1) return;
  counters.same("lazy.every", parts_.domain.lazy.every());
  counters.flag("lazy.exact", parts_.domain.lazy.is_exact());
  counters.same("lazy.cells", parts_.domain.lazy.depth());
  counters.same("lazy.steps", parts_.domain.lazy.steps());
  counters.same("lazy.refreshes", parts_.domain.lazy.refreshes());
  counters.sum("lazy.copies", parts_.domain.fluid_rows.computed() - parts_.domain.fluid_rows.owned());
}

template <class T, int D, class Stepper>
solver::RankShare Solver<T, D, Stepper>::share() const {
  solver::RankShare own;
  own.members = {parts_.state.fluid.size(), parts_.state.wall.size()};
  own.migrants = parts_.domain.migrants;
  own.memory_bytes = parts_.memory();
  own.neighbors = static_cast<std::int64_t>(fluid_halo().neighbors());
  for (const exchange::Halo* halo : halos()) own.add(halo->traffic().sent);
  for (std::size_t p = 0; p < own.seconds.size(); ++p)
    own.seconds[p] = parts_.domain.timers.seconds(static_cast<Phase>(p));
  return own;
}

template <class T, int D>
std::unique_ptr<solver::Solver> make_for(const world::World& world, const solver::Execution& execution,
                                         comm::Communicator& communicator) {
  if (world.method.scheme == world::Scheme::classic)
    return std::make_unique<Solver<T, D, ClassicStep<T, D>>>(world, execution, communicator);
  return std::make_unique<Solver<T, D, DeltaStep<T, D>>>(world, execution, communicator);
}

template <class T>
std::unique_ptr<solver::Solver> make_for(const world::World& world, const solver::Execution& execution,
                                         comm::Communicator& communicator) {
  if (world.dimensions == 2) return make_for<T, 2>(world, execution, communicator);
  return make_for<T, 3>(world, execution, communicator);
}

}  // namespace

std::unique_ptr<solver::Solver> make(const world::World& world, const solver::Execution& execution,
                                     comm::Communicator& communicator) {
  if (world.method.double_precision) return make_for<double>(world, execution, communicator);
  return make_for<float>(world, execution, communicator);
}

}  // namespace eddyline::sph
