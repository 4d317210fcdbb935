#include "solvers/multiblock/solver.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/affinity.hpp"
#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "solvers/multiblock/observe/cells.hpp"
#include "solvers/multiblock/observe/loads.hpp"
#include "solvers/multiblock/observe/sampler.hpp"
#include "solvers/multiblock/observe/series.hpp"

namespace eddyline::multiblock {

namespace {

constexpr std::int64_t k_cells_a_thread = 2000;  // below this, threads wait for each other longer than they compute

template <class E>
class Solver final : public solver::Solver {
  static constexpr int D = E::k_dimensions;

 public:
  Solver(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
      : flow_(world, execution, communicator), sampler_(flow_), loads_(flow_), cells_(flow_) {
    const auto paying = std::clamp<std::int64_t>(flow_.cells() / k_cells_a_thread, 1, omp_get_max_threads());
    threads_ = execution.threads > 0 ? execution.threads : static_cast<int>(paying);
    omp_set_num_threads(threads_);
    place_threads(threads_);
  }

  const world::World& world() const override { return flow_.world(); }
  comm::Communicator& communicator() const override { return flow_.communicator(); }
  solver::Clock clock() const override { return {flow_.time, flow_.steps}; }
  int threads() const override { return threads_; }
  std::string instructions() const override { return "avx2"; }
  Timers& timers() override { return flow_.timers; }

  solver::Outcome start() override { return {flow_.is_good(), false}; }
  double next_time_step() const override { return flow_.time_step(); }
  solver::Outcome advance(solver::StepRequest ask) override {
    flow_.step();
    bool stop = ask.stop;
    if (!communicator().is_alone()) stop = comm::any(communicator(), stop, "end of the run");
    return {flow_.is_good(), stop};
  }
  solver::Outcome agree() override { return {flow_.is_good(), false}; }

  const solver::FieldSets& fields() const override { return cells_; }
  solver::Sampler& sampler() override { return sampler_; }
  solver::Loads& loads() override { return loads_; }
  std::vector<std::unique_ptr<solver::Observer>> observers() override { return make_observers<E>(flow_); }
  solver::Checksum checksum() const override {
    solver::Checksum sum;
    flow_.for_each_cell([&](const PieceFields<E>& piece, Int3 cell, std::size_t c, std::size_t) {
      solver::MemberHash hash(flow_.id_of(piece, cell));
      for (const auto& field : piece.state) hash.add(field[c]);
      if (piece.is_turbulent()) hash.add(piece.turbulence.nu[c]);
      if constexpr (!E::k_is_gas)
        if (flow_.scalars() != nullptr)
          for (const auto& scalar : flow_.scalars()->of(piece).scalars) hash.add(scalar.now[c]);
      hash.add_to(sum);
    });
    return sum;
  }

  double apply(const world::Change& change) override {
    flow_.change(change);
    return 0;
  }

  std::array<std::int32_t, 3> kind() const override { return {D, sizeof(double), k_number}; }
  void save(ArchiveWriter& archive) override { flow_.save(archive); }
  void restore(const std::vector<ArchiveReader>& parts) override { flow_.restore(parts); }

  void count(solver::Counters& counters) override {
    const exchange::Traffic traffic = flow_.traffic();
    counters.same("steps", flow_.steps);
    counters.same("cycles", flow_.cycles);
    counters.same("levels", static_cast<std::int64_t>(flow_.levels().size()));
    counters.sum("cells", flow_.cells());
    counters.sum("pieces", static_cast<std::int64_t>(flow_.finest().pieces.size()));
    counters.sum("memory_bytes", flow_.memory());
    counters.sum("messages", traffic.copies + traffic.sent.messages);
    counters.sum("message_bytes", traffic.sent.bytes);
    counters.sum("messages_between_sites", traffic.sent.messages_between);
    counters.sum("bytes_between_sites", traffic.sent.bytes_between);
    counters.sum("ghost_bytes", traffic.copied_bytes);
    counters.same_real("residual", flow_.residual);
    counters.flag("converged", flow_.converged);
  }
  solver::RankShare share() const override {
    solver::RankShare own;
    own.members = {flow_.cells()};
    own.memory_bytes = flow_.memory();
    own.neighbors = static_cast<std::int64_t>(flow_.finest().ghosts.peers());
    own.add(flow_.traffic().sent);
    for (std::size_t p = 0; p < own.seconds.size(); ++p) own.seconds[p] = flow_.timers.seconds(static_cast<Phase>(p));
    return own;
  }
  exchange::Trials exchange_trials() const override { return flow_.finest().ghosts.trials(); }
  solver::Diagnosis diagnose() const override;

 private:
  static constexpr std::int32_t k_number = E::k_is_gas ? 101 : 100;  // of this method in checkpoints

  Flow<E> flow_;
  Sampler<E> sampler_;
  Loads<E> loads_;
  Cells<E> cells_;
  int threads_ = 1;
};

/// The first cell, by id, whose state is not finite.
template <class E>
solver::Diagnosis Solver<E>::diagnose() const {
  struct Found {
    std::int64_t id = std::numeric_limits<std::int64_t>::max();
    Vec3 position, velocity;
  } found;
  flow_.for_each_cell([&](const PieceFields<E>& piece, Int3 cell, std::size_t c, std::size_t) {
    bool good = std::ranges::all_of(piece.state, [&](const auto& field) { return std::isfinite(field[c]); });
    if constexpr (!E::k_is_gas)
      if (flow_.scalars() != nullptr)
        for (const auto& scalar : flow_.scalars()->of(piece).scalars) good = good && std::isfinite(scalar.now[c]);
    const std::int64_t id = flow_.id_of(piece, cell);
    if (good || id > found.id) return;
    found.id = id;
    for (int d = 0; d < D; ++d) {
      found.position[d] = piece.center[static_cast<std::size_t>(d)][c];
      found.velocity[d] = flow_.values(piece, c)[static_cast<std::size_t>(1 + d)];
    }
  });
  const Found own = found;
  for (const Found& other : comm::gather_values(communicator(), std::span(&own, 1), "diagnosis").second)
    if (other.id < found.id) found = other;
  solver::Diagnosis diagnosis;
  diagnosis.id = found.id, diagnosis.step = flow_.steps, diagnosis.time = flow_.time;
  diagnosis.position = found.position, diagnosis.velocity = found.velocity;
  diagnosis.density = world().fluid.density;
  diagnosis.reason = "the state is not finite";
  std::array<char, 400> line{};
  std::snprintf(
      line.data(), line.size(),
      "Step %lld (t = %.6g s, cycle %lld): the state is not finite, first in cell %lld near (%.4g, %.4g, %.4g) m; the "
      "residual before was at most %.3g 1/s. Reduce method.cfl (now %g), or write method.cycle = \"V\".",
      static_cast<long long>(flow_.steps), flow_.time, static_cast<long long>(flow_.cycles),
      static_cast<long long>(found.id), found.position.x, found.position.y, found.position.z, flow_.largest_residual,
      flow_.cfl());
  diagnosis.text = line.data();
  return diagnosis;
}

}  // namespace

std::unique_ptr<solver::Solver> make(const world::World& world, const solver::Execution& execution,
                                     comm::Communicator& communicator) {
  if (world.fluid.matter == world::Matter::ideal_gas) {
    if (world.dimensions == 2) return std::make_unique<Solver<Gas<2>>>(world, execution, communicator);
    return std::make_unique<Solver<Gas<3>>>(world, execution, communicator);
  }
  if (world.dimensions == 2) return std::make_unique<Solver<Incompressible<2>>>(world, execution, communicator);
  return std::make_unique<Solver<Incompressible<3>>>(world, execution, communicator);
}

}  // namespace eddyline::multiblock
