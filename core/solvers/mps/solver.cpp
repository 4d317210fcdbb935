#include "solvers/mps/solver.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/affinity.hpp"
#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "solvers/mps/fields.hpp"
#include "solvers/mps/loads.hpp"
#include "solvers/mps/sampler.hpp"
#include "solvers/mps/series.hpp"
#include "solvers/mps/step.hpp"

namespace eddyline::mps {

namespace {

/// Threads that gain more than they wait for each other.
int paying_threads(std::int64_t particles, int most) {
  constexpr std::int64_t k_share = 100;
  return static_cast<int>(std::clamp<std::int64_t>(particles / k_share, 1, most));
}

template <int D>
class Solver final : public solver::Solver {
 public:
  Solver(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
      : liquid_(world, execution, communicator),
        step_(liquid_),
        loads_(liquid_, step_),
        threads_(execution.threads > 0 ? execution.threads
                                       : paying_threads(liquid_.fluid.size(), omp_get_max_threads())) {
    omp_set_num_threads(threads_);
    place_threads(threads_);
  }

  const world::World& world() const override { return liquid_.world(); }
  comm::Communicator& communicator() const override { return liquid_.communicator(); }
  solver::Clock clock() const override { return {step_.control.time, liquid_.steps}; }
  int threads() const override { return threads_; }
  std::string instructions() const override { return liquid_.execution().instructions; }
  Timers& timers() override { return liquid_.timers; }

  solver::Outcome start() override {
    const double settle = world().start.settle;
    step_.control.time = settle > 0 ? -settle : 0.0;
    step_.damping = settling_rate();
    step_.start();
    return outcome();
  }
  double next_time_step() const override { return step_.control.time_step; }
  solver::Outcome advance(solver::StepRequest ask) override {
    step_.control.stop = ask.stop;
    step_.advance(ask.loads);
    if (step_.control.good && step_.damping > 0 && step_.control.time >= 0) {
      step_.control.time = step_.damping = 0;
      step_.start();
    }
    return outcome();
  }
  solver::Outcome agree() override { return outcome(); }

  const solver::FieldSets& fields() const override { return fields_; }
  const solver::Points* points() const override { return &fields_; }
  solver::Sampler& sampler() override { return sampler_; }
  solver::Loads& loads() override { return loads_; }
  std::vector<std::unique_ptr<solver::Observer>> observers() override {
    std::vector<std::unique_ptr<solver::Observer>> own;
    own.push_back(std::make_unique<Budget<D>>(liquid_, step_));
    own.push_back(std::make_unique<SolverSeries<D>>(liquid_, step_));
    for (const auto& opening : liquid_.openings.all())
      own.push_back(std::make_unique<OpeningSeries<D>>(liquid_, loads_, opening));
    return own;
  }
  solver::Checksum checksum() const override {
    solver::Checksum sum;
    const auto& fluid = liquid_.fluid;
    for (std::size_t i = 0; i < fluid.id.size(); ++i) {
      solver::MemberHash hash(fluid.id[i]);
      for (int d = 0; d < D; ++d) hash.add(fluid.x[d][i]), hash.add(fluid.v[d][i]);
      hash.add(fluid.p[i]);
      hash.add_to(sum);
    }
    return sum;
  }

  double apply(const world::Change& change) override {
    const double displaced = liquid_.change(change);
    step_.world_changed();
    loads_.world_changed();
    return displaced;
  }

  std::array<std::int32_t, 3> kind() const override { return {D, sizeof(float), k_number}; }
  void save(ArchiveWriter& archive) override {
    liquid_.save(archive);
    step_.save(archive);
  }
  void restore(const std::vector<ArchiveReader>& parts) override {
    liquid_.restore(parts);
    step_.restore(parts);
    step_.damping = settling_rate();
    liquid_.settles = step_.damping > 0;
  }

  void count(solver::Counters& counters) override;
  solver::RankShare share() const override;
  exchange::Trials exchange_trials() const override { return liquid_.fluid_halo.trials(); }
  solver::Diagnosis diagnose() const override;

 private:
  static constexpr std::int32_t k_number = 2;     // of the method, in checkpoints
  static constexpr double k_settle_damping = 15;  // rate of the damping times the time of settling, as of sph

  double settling_rate() const { return step_.control.time < 0 ? k_settle_damping / world().start.settle : 0.0; }

  solver::Outcome outcome() const { return {step_.control.good, step_.control.stop}; }
  std::array<const exchange::Halo*, 3> halos() const {
    return {&liquid_.fluid_halo, &liquid_.wall_halo, &step_.pressure().equation.halo()};
  }

  Liquid<D> liquid_;
  Step<D> step_;
  Fields<D> fields_{liquid_, step_};
  Sampler<D> sampler_{liquid_};
  Loads<D> loads_;
  int threads_;
};

template <int D>
void Solver<D>::count(solver::Counters& counters) {
  exchange::Traffic traffic;
  for (const exchange::Halo* halo : halos()) traffic += halo->traffic();
  std::int64_t stored = 0, padded = 0, list_bytes = 0;
  for (const neighbors::NeighborList* list : {&liquid_.fluid_fluid, &liquid_.fluid_wall, &liquid_.wall_fluid})
    stored += list->stored(), padded += list->padded(), list_bytes += static_cast<std::int64_t>(list->bytes());
  const auto memory = liquid_.memory() + static_cast<std::int64_t>(step_.pressure().equation.bytes());
  counters.same("steps", liquid_.steps);
  counters.same("rebuilds", liquid_.rebuilds);
  counters.same("iterations", step_.control.iterations);
  counters.same("levels", static_cast<std::int64_t>(step_.pressure().equation.levels()));
  counters.sum("fluid_particles", liquid_.fluid.size());
  counters.sum("wall_particles", liquid_.wall.size());
  counters.sum("stored_pairs", stored);
  counters.sum("padded_pairs", padded);
  counters.sum("memory_bytes", memory);
  counters.sum("list_bytes", list_bytes);
  counters.sum("messages", traffic.copies + traffic.sent.messages);
  counters.sum("message_bytes", traffic.sent.bytes);
  counters.sum("messages_between_sites", traffic.sent.messages_between);
  counters.sum("bytes_between_sites", traffic.sent.bytes_between);
  counters.sum("ghost_bytes", traffic.copied_bytes);
  counters.sum("migrants", liquid_.migrants);
  counters.sum("contacts", step_.control.contacts);
  counters.sum("left_particles", liquid_.left_particles);
  counters.same("rebalances", liquid_.balance.times());
  counters.same_real("imbalance", liquid_.balance.imbalance());
  counters.same_real("rebalance_seconds", liquid_.balance.seconds());
}

template <int D>
solver::RankShare Solver<D>::share() const {
  solver::RankShare own;
  own.members = {liquid_.fluid.size(), liquid_.wall.size()};
  own.migrants = liquid_.migrants;
  own.memory_bytes = liquid_.memory();
  own.neighbors = static_cast<std::int64_t>(liquid_.fluid_halo.neighbors());
  for (const exchange::Halo* halo : halos()) own.add(halo->traffic().sent);
  for (std::size_t p = 0; p < own.seconds.size(); ++p) own.seconds[p] = liquid_.timers.seconds(static_cast<Phase>(p));
  return own;
}

template <int D>
solver::Diagnosis Solver<D>::diagnose() const {
  constexpr std::string_view k_phase = "diagnosis";
  solver::Diagnosis found;
  found.step = liquid_.steps;
  found.time = step_.control.time;
  std::ostringstream text;
  text.precision(6);
  text << "step " << found.step << " at t = " << found.time << " s: ";
  const linear::Outcome& solve = step_.control.solve;
  if (liquid_.steps > 0 || solve.iterations > 0) {
    if (!solve.converged() && solve.reason != linear::Reason::not_finite) {
      text << "the pressure equation did not converge: " << linear::describe(solve)
           << ". Raise method.tolerance or method.max_iterations, or try a smaller method.cfl. The run was stopped.";
      found.text = text.str();
      return found;
    }
  }
  struct Offender {
    std::int64_t id;
    Vec3 position, velocity;
  };
  const auto& fluid = liquid_.fluid;
  std::int64_t own = std::numeric_limits<std::int64_t>::max();
  Offender offender{};
  for (std::size_t i = 0; i < fluid.id.size(); ++i) {
    const Vec3 x = vector_of(fluid.x, i), v = vector_of(fluid.v, i);
    if (fluid.id[i] < own && !std::isfinite(norm(x) + norm(v) + fluid.p[i])) own = fluid.id[i], offender = {own, x, v};
  }
  std::int64_t first = own;
  comm::minimum(communicator(), {&first, 1}, k_phase);
  if (first == std::numeric_limits<std::int64_t>::max()) {
    text << "a value of the pressure equation is not finite: try a smaller method.cfl. The run was stopped.";
    found.text = text.str();
    return found;
  }
  double owner = own == first ? communicator().rank() : -1;
  comm::maximum(communicator(), {&owner, 1}, k_phase);
  offender = comm::broadcast(communicator(), offender, static_cast<int>(owner), k_phase);
  found.id = offender.id, found.position = offender.position, found.velocity = offender.velocity;
  found.density = liquid_.constants().rho;
  found.reason = liquid_.steps == 0
                     ? "has a value that is not finite at the start: check velocity and pressure of [start]"
                     : "has a value that is not finite: try a smaller method.cfl";
  text << "particle " << found.id << " " << found.reason << " (position " << found.position.x << ", "
       << found.position.y << ", " << found.position.z << " m; velocity " << found.velocity.x << ", "
       << found.velocity.y << ", " << found.velocity.z << " m/s). The run was stopped.";
  found.text = text.str();
  return found;
}

}  // namespace

std::unique_ptr<solver::Solver> make(const world::World& world, const solver::Execution& execution,
                                     comm::Communicator& communicator) {
  if (world.dimensions == 2) return std::make_unique<Solver<2>>(world, execution, communicator);
  return std::make_unique<Solver<3>>(world, execution, communicator);
}

}  // namespace eddyline::mps
