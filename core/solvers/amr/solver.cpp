#include "solvers/amr/solver.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>

#include "base/affinity.hpp"
#include "base/errors.hpp"
#include "base/text.hpp"
#include "comm/collectives.hpp"
#include "solvers/amr/budget.hpp"
#include "solvers/amr/cells.hpp"
#include "solvers/amr/cells_of_levels.hpp"
#include "solvers/amr/loads.hpp"
#include "solvers/amr/options.hpp"
#include "solvers/amr/sampler.hpp"
#include "solvers/amr/solves.hpp"
#include "solvers/amr/state.hpp"
#include "solvers/amr/step.hpp"

namespace eddyline::amr {

namespace {

constexpr std::int64_t k_cells_a_thread = 4000;  // below, threads wait for each other longer than they compute

class Solver final : public solver::Solver {
 public:
  Solver(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
      : state_(world, execution, communicator),
        step_(state_),
        threads_(execution.threads > 0 ? execution.threads
                                       : static_cast<int>(std::clamp<std::int64_t>(
                                             state_.levels().cells() / k_cells_a_thread, 1, omp_get_max_threads()))) {
    omp_set_num_threads(threads_);
    place_threads(threads_);
  }

  const world::World& world() const override { return state_.world(); }
  comm::Communicator& communicator() const override { return state_.communicator(); }
  solver::Clock clock() const override { return {state_.time, state_.steps}; }
  int threads() const override { return threads_; }
  std::string instructions() const override { return state_.instructions(); }
  Timers& timers() override { return state_.timers; }

  solver::Outcome start() override { return {}; }
  double next_time_step() const override { return state_.time_step(); }
  solver::Outcome advance(solver::StepRequest ask) override { return last_ = step_.advance(ask.stop); }
  solver::Outcome agree() override { return last_; }

  const solver::FieldSets& fields() const override { return cells_; }
  solver::Sampler& sampler() override { return sampler_; }
  solver::Loads& loads() override { return loads_; }
  std::vector<std::unique_ptr<solver::Observer>> observers() override {
    std::vector<std::unique_ptr<solver::Observer>> own;
    own.push_back(std::make_unique<Budget>(state_));
    if (state_.levels().most() > 1) own.push_back(std::make_unique<CellsOfLevels>(state_));
    if (state_.potential() != nullptr) own.push_back(std::make_unique<Solves>(state_));
    return own;
  }
  solver::Checksum checksum() const override;

  double apply(const world::Change& change) override;

  std::array<std::int32_t, 3> kind() const override { return {state_.world().dimensions, sizeof(double), 2}; }
  void save(ArchiveWriter& archive) override { state_.save(archive); }
  void restore(const std::vector<ArchiveReader>& parts) override { state_.restore(parts); }

  void count(solver::Counters& counters) override;
  solver::RankShare share() const override;
  exchange::Trials exchange_trials() const override { return state_.levels().trials(); }
  solver::Diagnosis diagnose() const override;

 private:
  State state_;
  Step step_;
  Cells cells_{state_};
  Sampler sampler_{state_};
  Loads loads_{state_};
  int threads_;
  solver::Outcome last_;
};

solver::Checksum Solver::checksum() const {
  solver::Checksum sum;
  cells_.for_each([&](const State::Patch& patch, Int3 cell, std::int64_t i) {
    solver::MemberHash hash(cells_.key(patch.level, cell));
    for (const Array<double>& field : state_.levels()[patch.level].fields(patches::begin))
      hash.add(field[static_cast<std::size_t>(patch.on_level->first + i)]);
    hash.add_to(sum);
  });
  return sum;
}

double Solver::apply(const world::Change& change) {
  using Kind = world::Change::Kind;
  if (change.kind == Kind::add_probe || change.kind == Kind::remove_probe) {
    state_.change_probes(change);
    return 0;
  }
  if (change.kind == Kind::parameter) {
    state_.change_parameter(change);
    return 0;
  }
  throw UserError(
      "the solver amr can change parameters of equations, and add and remove probes while it runs, and change nothing "
      "else.");
}

void Solver::count(solver::Counters& counters) {
  const patches::Levels& levels = state_.levels();
  exchange::Traffic traffic = levels.traffic();
  if (state_.potential() != nullptr) traffic += state_.potential()->traffic();
  counters.same("steps", state_.steps);
  counters.sum("cells", levels.cells());
  counters.sum("patches", levels.patches());
  counters.sum("ghost_cells", levels.foreign_cells());  // of other ranks
  if (levels.most() > 1) {
    counters.same("levels", levels.size());
    counters.sum("cell_steps", step_.cell_steps());
    counters.same("refinements", levels.changes());
  }
  if (state_.potential() != nullptr) counters.same("cycles", state_.cycles());
  counters.sum("memory_bytes", levels.memory());
  counters.sum("messages", traffic.sent.messages);
  counters.sum("message_bytes", traffic.sent.bytes);
  counters.sum("messages_between_sites", traffic.sent.messages_between);
  counters.sum("bytes_between_sites", traffic.sent.bytes_between);
}

solver::RankShare Solver::share() const {
  const patches::Levels& levels = state_.levels();
  solver::RankShare own;
  own.members = {levels.cells()};
  own.memory_bytes = levels.memory();
  own.neighbors = levels.neighbors();
  own.add(levels.traffic().sent);
  for (std::size_t p = 0; p < own.seconds.size(); ++p) own.seconds[p] = state_.timers.seconds(static_cast<Phase>(p));
  return own;
}

/// The first cell, by its key, that fails inspection, at the first stage of the step where one does.
solver::Diagnosis Solver::diagnose() const {
  using Values = std::array<double, physics::k_most_fields>;
  const std::size_t count = state_.equations().fields().size();
  constexpr std::int64_t k_none = std::numeric_limits<std::int64_t>::max();
  std::int64_t earliest = k_none;
  Values values{};
  // The step has ended: its end is the begin of the next one.
  for (const State::Slot slot : {patches::second, patches::third, patches::fourth, patches::begin}) {
    std::int64_t first = k_none;
    std::array<const double*, physics::k_most_fields> at{};
    cells_.for_each([&](const State::Patch& patch, Int3 cell, std::int64_t i) {
      if (slot == patches::second && patch.level > 0) return;  // holds restricted fields by now
      const auto& fields = state_.levels()[patch.level].fields(slot);
      for (std::size_t f = 0; f < count; ++f) at[f] = fields[f].data() + patch.on_level->first + i;
      const std::int64_t key = cells_.key(patch.level, cell);
      if (key > first || state_.equations().inspect(std::span(at).first(count), 1).good) return;
      first = key;
      for (std::size_t f = 0; f < count; ++f) values[f] = *at[f];
    });
    earliest = first;
    comm::minimum(state_.communicator(), std::span(&earliest, 1), "diagnosis");
    if (earliest == k_none) continue;
    double source = first == earliest ? state_.communicator().rank() : -1;
    comm::maximum(state_.communicator(), std::span(&source, 1), "diagnosis");
    values = comm::broadcast(state_.communicator(), values, static_cast<int>(source), "diagnosis");
    break;
  }

  solver::Diagnosis found;
  found.id = earliest == k_none ? 0 : earliest;
  found.step = state_.steps, found.time = state_.time;
  const auto [level, cell] = cells_.named(found.id);
  found.position = state_.centre(level, cell);
  found.reason = "a value is not valid";
  found.text = "step " + std::to_string(found.step) + ", t = " + text_of(found.time) + " s: the cell at (" +
               text_of(found.position.x) + ", " + text_of(found.position.y) + ", " + text_of(found.position.z) + ") m" +
               (state_.levels().most() > 1 ? " of level " + std::to_string(level) : "") + " " +
               state_.equations().complaint(std::span(values).first(count)) + ".";
  if (const std::string of = options_of(state_.world()).equations; of.starts_with("module:"))
    found.text += " The equations are those of " + of + ": look there for a division by zero.";
  return found;
}

}  // namespace

std::unique_ptr<solver::Solver> make(const world::World& world, const solver::Execution& execution,
                                     comm::Communicator& communicator) {
  return std::make_unique<Solver>(world, execution, communicator);
}

}  // namespace eddyline::amr
