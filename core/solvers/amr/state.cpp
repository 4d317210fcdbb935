#include "solvers/amr/state.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "base/errors.hpp"
#include "base/instructions.hpp"
#include "base/text.hpp"
#include "comm/collectives.hpp"
#include "linear/vectors.hpp"
#include "patches/flags.hpp"
#include "solvers/amr/available_memory.hpp"
#include "solvers/amr/checkpoint.hpp"
#include "solvers/amr/refinement.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using patches::Layout;
using patches::Levels;

namespace {

Int3 cells_of(const world::World& world, double spacing) {
  Int3 cells{1, 1, 1};
  for (int d = 0; d < world.dimensions; ++d)
    cells[static_cast<std::size_t>(d)] = static_cast<std::int32_t>(std::llround(world.size[d] / spacing));
  return cells;
}

/// Bodies that the equations can have. Throws UserError.
Bodies bodies_of(const world::World& world, const physics::Equations& equations) {
  for (const world::Body& body : world.bodies) {
    if (!equations.has_walls()) throw UserError("bodies." + body.name + ": the equations have no bodies. Remove it.");
    if (body.motion)
      throw UserError("bodies." + body.name + ".motion: bodies in the cells of the solver amr rest. Remove it.");
  }
  return {world, equations.ghosts(), equations.has_friction()};
}

/// Adds the start of a cell: of points at the centre, of means over 2 Gauss points along each axis, which integrate
/// polynomials of degree 3 exactly.
class StartOfCell {
 public:
  StartOfCell(const State& state, int level, int dimensions) : equations_(state.equations()) {
    const double offset = 0.5 * std::numbers::inv_sqrt3 * state.spacing(level);
    for (int k = 0; k < 1 << dimensions; ++k)
      points_.push_back({(k & 1) != 0 ? offset : -offset, (k & 2) != 0 ? offset : -offset,
                         dimensions < 3 ? 0.0 : ((k & 4) != 0 ? offset : -offset)});
    for (const physics::Field& field : equations_.fields())
      has_means_ = has_means_ || field.meaning == physics::Meaning::average;
    at_point_.resize(equations_.fields().size());
  }

  void compute(const Vec3& centre, std::span<double> values) {
    equations_.start(centre, values);
    if (!has_means_) return;
    const auto& fields = equations_.fields();
    for (std::size_t f = 0; f < fields.size(); ++f)
      if (fields[f].meaning == physics::Meaning::average) values[f] = 0;
    for (const Vec3& point : points_) {
      equations_.start(centre + point, at_point_);
      for (std::size_t f = 0; f < fields.size(); ++f)
        if (fields[f].meaning == physics::Meaning::average)
          values[f] += at_point_[f] / static_cast<double>(points_.size());
    }
  }

 private:
  const physics::Equations& equations_;
  bool has_means_ = false;
  std::vector<Vec3> points_;
  std::vector<double> at_point_;
};

}  // namespace

State::State(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
    : world_(world),
      options_(options_of(world)),
      communicator_(communicator),
      instructions_(choose_instructions(execution.instructions)),
      equations_(physics::make_equations(instructions_, settings_of(options_, world_))),
      sides_(*equations_, world.dimensions),
      bodies_(bodies_of(world_, *equations_)),
      coefficients_(*equations_, world_.dimensions),
      refine_(refinement_of(options_, *equations_)),
      is_adaptive_(options_.levels > 1 && (options_.tolerance > 0 || can_change(refine_))),
      levels_(setup(execution), communicator) {
  update_patches();
  start();
  start_refined();
  if (equations_->constraint()) {
    const Way way{&communicator_, execution.exchange, execution.between, levels_.tags()};
    const PotentialOptions potential{.residual = options_.residual, .cycles = options_.cycles};
    potential_ = std::make_unique<Potential>(levels_, potential, way, instructions_);
    satisfy_constraint(0);
  }
  find_time_step();
}

Levels::Setup State::setup(const solver::Execution& execution) const {
  if (execution.lazy.every > 1) throw UserError("lazy: the solver amr exchanges ghosts at every stage of a step.");
  Levels::Setup setup;
  setup.levels = static_cast<int>(options_.levels);
  setup.cells = cells_of(world_, spacing(0));
  setup.dimensions = world_.dimensions;
  setup.periodic = sides_.periodic();
  setup.unit = static_cast<std::int32_t>(options_.unit);
  setup.patch = static_cast<std::int32_t>(std::min<std::int64_t>(options_.patch, 1 << 20));
  setup.boxes = execution.boxes;
  setup.ghosts = equations_->ghosts() + (bodies_.empty() ? 0 : Bodies::k_more_ghosts);
  for (const physics::Field& field : equations_->fields())
    setup.fields.push_back(
        {field.meaning == physics::Meaning::average ? patches::Meaning::average : patches::Meaning::point,
         field.reach != physics::Reach::none});
  setup.exchange = execution.exchange;
  setup.between = execution.between;
  setup.sides = [this](int level, const IndexBox& box, std::span<double* const> fields, double at_time) {
    sides_.fill(place(level, box), box, fields, at_time);
  };
  for (std::size_t d = 0; setup.levels > 1 && d < static_cast<std::size_t>(world_.dimensions); ++d)
    if (setup.cells[d] % setup.unit != 0)
      throw UserError("method.unit = " + std::to_string(setup.unit) + " does not divide the " +
                      std::to_string(setup.cells[d]) + " cells of the coarsest level along " + "xyz"[d] +
                      ". Change method.unit, method.levels or domain.spacing.");
  return setup;
}

double State::spacing(int level) const {
  return std::ldexp(world_.spacing, static_cast<int>(options_.levels) - 1 - level);
}

/// Sets the fields of all levels to those of the world.
void State::start() {
  levels_.forget_ghosts();
  const std::vector<Patch> all = patches();
  const auto count = static_cast<std::int64_t>(all.size());
#pragma omp parallel
  {
    std::vector<double> values(equations_->fields().size());
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const Patch& patch = all[static_cast<std::size_t>(k)];
      StartOfCell cell_start(*this, patch.level, world_.dimensions);
      const std::vector<double*> to = values_of(patch, patches::begin);
      std::size_t i = 0;
      for_each_cell(patch.cells(), [&](Int3 cell) {
        cell_start.compute(centre(patch.level, cell), values);
        for (std::size_t f = 0; f < values.size(); ++f) to[f][i] = values[f];
        ++i;
      });
      if (const physics::Solid* solid = this->solid(patch); solid != nullptr)
        start_groups(patch, *solid, cell_start, to);
    }
  }
}

/// Cells of a group start with their mean.
template <class StartOfCell>
void State::start_groups(const Patch& patch, const physics::Solid& solid, StartOfCell& cell_start,
                         const std::vector<double*>& to) const {
  const IndexBox domain = levels_[patch.level].layout.domain();
  std::vector<double> values(to.size()), sum(to.size());
  for (const physics::CellAtBody& cell : solid.cells) {
    if (cell.parts == 1) continue;
    std::ranges::fill(sum, 0.0);
    for (std::size_t k = cell.first; k < cell.first + cell.parts; ++k) {
      Int3 at = solid.parts[k].cell;  // beyond the domain: as at its side
      for (std::size_t d = 0; d < 3; ++d) at[d] = std::clamp(at[d], domain.lower[d], domain.upper[d] - 1);
      cell_start.compute(centre(patch.level, at), values);
      for (std::size_t f = 0; f < sum.size(); ++f) sum[f] += solid.parts[k].volume * values[f];
    }
    const auto i = patch.cells().index(cell.cell);
    for (std::size_t f = 0; f < sum.size(); ++f) to[f][i] = sum[f] / cell.volume;
  }
}

/// Each level shows what the next one has to refine.
void State::start_refined() {
  for (int level = 1; level < levels_.most(); ++level) {
    if (!adapt()) return;
    start();
  }
}

std::vector<State::Patch> State::patches() const {
  std::vector<Patch> all;
  for (int level = 0; level < levels_.size(); ++level)
    for (const Layout::Patch& patch : levels_[level].layout.patches()) all.push_back({level, &patch});
  return all;
}

std::vector<const double*> State::values_of(const Patch& patch, Slot slot) const {
  std::vector<const double*> values;
  for (const Array<double>& field : levels_[patch.level].fields(slot))
    values.push_back(field.data() + patch.on_level->first);
  return values;
}

std::vector<double*> State::values_of(const Patch& patch, Slot slot) {
  std::vector<double*> values;
  for (Array<double>& field : levels_[patch.level].fields(slot)) values.push_back(field.data() + patch.on_level->first);
  return values;
}

std::span<const physics::Input> State::Scratch::fill(const Patch& patch, Slot slot,
                                                     const patches::StateWeights& weights, double at_time,
                                                     bool all_fields) {
  const std::vector<physics::Field>& fields = state_.equations().fields();
  const Layout& layout = state_.levels()[patch.level].layout;
  const IndexBox grown = layout.grown(*patch.on_level);
  const auto strides = [](const IndexBox& box) -> std::array<std::ptrdiff_t, 3> {
    return {1, box.count(0), static_cast<std::ptrdiff_t>(box.count(0)) * box.count(1)};
  };
  memory_.resize(fields.size());
  with_ghosts_.assign(fields.size(), nullptr);
  inputs_.resize(fields.size());
  const std::vector<const double*> own = state_.values_of(patch, slot);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (!all_fields && fields[f].reach == physics::Reach::none) {
      inputs_[f] = {own[f], strides(patch.cells())};
      continue;
    }
    memory_[f].resize(std::max(memory_[f].size(), layout.scratch_size()));
    with_ghosts_[f] = memory_[f].data();
    inputs_[f] = {with_ghosts_[f] + grown.index(patch.cells().lower), strides(grown)};
  }
  state_.levels().fill(patch.level, *patch.on_level, slot, weights, at_time, with_ghosts_);
  return inputs_;
}

physics::Inspection State::inspect() const {
  const std::vector<Patch> all = patches();
  const auto count = static_cast<std::int64_t>(all.size());
  double speed = 0;
  bool good = true;
#pragma omp parallel for schedule(dynamic) reduction(max : speed) reduction(&& : good)
  for (std::int64_t k = 0; k < count; ++k) {
    const Patch& patch = all[static_cast<std::size_t>(k)];
    const physics::Inspection found = equations_->inspect(values_of(patch, patches::begin), patch.cells().cells(),
                                                          place(patch.level, patch.cells()).spacing);
    speed = std::max(speed, found.speed);
    good = good && found.good;
  }
  return {speed, good};
}

/// If nothing moves the step is that of 1 m/s.
void State::set_speed(double speed) { time_step_ = options_.cfl * spacing(0) / (speed > 0 ? speed : 1.0); }

void State::find_time_step() {
  double speed = inspect().speed;
  comm::maximum(communicator_, std::span(&speed, 1), "step");
  set_speed(speed);
}

void State::indicate(const Patch& patch, Scratch& scratch, std::vector<double>& values) const {
  const std::span<const physics::Input> in = scratch.read(patch);
  const physics::Place here = place(patch.level, patch.cells());
  values.assign(static_cast<std::size_t>(patch.cells().cells()), 0.0);
  if (options_.tolerance > 0) {
    equations_->indicate(here, in, values.data());
    for (double& value : values) value /= options_.tolerance;
  }
  if (options_.refine.empty()) return;
  std::vector<double> at(k_place_variables + equations_->quantities().size()), fields(in.size());
  std::size_t i = 0;
  for_each_cell(patch.cells(), [&](Int3 cell) {
    const Vec3 x = here.centre(cell, world_.dimensions);
    at[0] = x.x, at[1] = x.y, at[2] = x.z, at[3] = time, at[4] = patch.level;
    for (std::size_t f = 0; f < in.size(); ++f) {
      const double* value = in[f].at;
      for (std::size_t d = 0; d < 3; ++d) value += (cell[d] - patch.cells().lower[d]) * in[f].stride[d];
      fields[f] = *value;
    }
    equations_->derive(fields, std::span(at).subspan(k_place_variables));
    const double truth = refine_.evaluate(at);
    if (truth != 0 && !std::isnan(truth)) values[i] = std::max(values[i], 2.0);
    ++i;
  });
}

/// Everything that moves with the fastest signals stays within the refined cells until the next adaptation, as far as
/// units allow: a unit asks for those next to it, and for no others.
std::int32_t State::cells_around(int level) const {
  constexpr std::int32_t k_fewest = 2;
  if (options_.tolerance <= 0 && !is_adaptive_) return 0;
  const double cells = std::ldexp(options_.cfl * static_cast<double>(options_.regrid_every), level);
  return std::min(std::max(k_fewest, static_cast<std::int32_t>(std::ceil(cells)) + 1),
                  static_cast<std::int32_t>(options_.unit));
}

bool State::adapt() {
  if (levels_.most() == 1) return false;
  levels_.gather(time, true, levels_.most() - 1);
  patches::Flags flags(levels_.units());
  const std::vector<Patch> all = patches();
  const auto count = static_cast<std::int64_t>(all.size());
#pragma omp parallel
  {
    Scratch scratch(*this);
    std::vector<double> values;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const Patch& patch = all[static_cast<std::size_t>(k)];
      if (patch.level + 1 == levels_.most()) continue;
      indicate(patch, scratch, values);
      indicate_bodies(patch, values);
      flags.add(patch.level, patch.cells(), values.data(), cells_around(patch.level));
    }
  }
  const patches::Units units = levels_.planned(flags.marks(communicator_));
  check_memory(units);
  const bool changed = levels_.refine(units, time);
  if (changed) update_patches();
  return changed;
}

void State::update_patches() {
  std::vector<double> spacings;
  for (int level = 0; level < levels_.size(); ++level) spacings.push_back(spacing(level));
  bodies_.update(levels_, spacings);
  coefficients_.update(levels_, world_.origin, spacings);
}

/// Cells that a surface crosses, and a layer around them.
void State::indicate_bodies(const Patch& patch, std::vector<double>& values) const {
  if (bodies_.empty()) return;
  const physics::Place here = place(patch.level, patch.cells());
  const double near = (0.5 * std::sqrt(world_.dimensions) + static_cast<double>(options_.body_layer)) * here.spacing;
  Vec3 middle, half;
  for (int d = 0; d < world_.dimensions; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    half[d] = 0.5 * here.spacing * patch.cells().count(axis);
    middle[d] = here.origin[d] + here.spacing * patch.cells().lower[axis] + half[d];
  }
  if (std::abs(bodies_.distance(middle)) > near + norm(half)) return;
  std::size_t i = 0;
  for_each_cell(patch.cells(), [&](Int3 cell) {
    if (std::abs(bodies_.distance(here.centre(cell, world_.dimensions))) <= near) values[i] = std::max(values[i], 2.0);
    ++i;
  });
}

/// A u = -f with A = -laplace. The field has been carried along with its last rate; what the solve changes is by how
/// much that rate was wrong.
void State::satisfy_constraint(double time_step) {
  if (!potential_) return;
  levels_.forget_ghosts();
  const physics::Constraint constraint = *equations_->constraint();
  std::vector<Array<double>> right(static_cast<std::size_t>(levels_.size())), before(right.size());
  std::vector<Array<double>*> unknown;
  for (int level = 0; level < levels_.size(); ++level) {
    const auto l = static_cast<std::size_t>(level);
    std::vector<Array<double>>& fields = levels_[level].fields(patches::begin);
    right[l].resize(fields[0].size());
    const auto count = static_cast<std::int64_t>(fields[0].size());
#pragma omp parallel
    {
      std::vector<double> values(fields.size());
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < count; ++i) {
        const auto cell = static_cast<std::size_t>(i);
        for (std::size_t f = 0; f < values.size(); ++f) values[f] = fields[f][cell];
        right[l][cell] = -equations_->right_side(values);
      }
    }
    const Array<double>& old = fields[constraint.unknown];
    before[l].resize(old.size());
    std::copy_n(old.data(), old.size(), before[l].data());
    unknown.push_back(&fields[constraint.unknown]);
  }
  solve_ = potential_->solve(spacing(0), right, unknown);
  cycles_ += solve_.iterations;
  if (!solve_.converged())
    throw UserError("step " + std::to_string(steps) + ", t = " + text_of(time) + " s: the " +
                    equations_->fields()[constraint.unknown].name + " has " + linear::describe(solve_) +
                    "; method.residual asks for " + text_of(options_.residual) +
                    ". Raise method.cycles or method.residual, or reduce method.cfl.");
  if (!(time_step > 0)) return;
  for (int level = 0; level < levels_.size(); ++level) {
    std::vector<Array<double>>& fields = levels_[level].fields(patches::begin);
    const Array<double>&now = fields[constraint.unknown], &old = before[static_cast<std::size_t>(level)];
    Array<double>& rate = fields[constraint.rate];
    linear::for_each_unknown(now.size(), [&](std::size_t i) { rate[i] += (now[i] - old[i]) / time_step; });
  }
}

/// Ranks on one machine share its memory; each needs its part of the cells, and the old ones until fields have moved.
void State::check_memory(const patches::Units& units) const {
  if (units == levels_.units()) return;
  comm::agree(communicator_, "refinement", [&] {
    std::int64_t now = levels_.memory(), cells = 0;
    for (int level = 0; level < units.levels(); ++level)
      cells += std::ranges::count(units.present(level), 1) * units.cells_of({0, 0, 0}).cells();
    const auto bytes = static_cast<double>(cells) * static_cast<double>(patches::slots) *
                       static_cast<double>(equations_->fields().size() * sizeof(double));
    const double available = available_memory();
    if (bytes / communicator_.size() <= available + static_cast<double>(now)) return;
    const auto gigabytes = [](double value) { return text_of(std::round(value / 1e7) / 100) + " GB"; };
    throw UserError("step " + std::to_string(steps) + ": refinement makes " + std::to_string(cells) + " cells, " +
                    gigabytes(bytes) + "; " + gigabytes(available) + " of memory are free. " +
                    (options_.tolerance > 0 ? "Raise method.tolerance" : "Let method.refine choose less") +
                    ", or reduce method.levels.");
  });
}

void State::change_probes(const world::Change& change) {
  const std::string name = change.name.data();
  if (change.kind == world::Change::Kind::add_probe) {
    world_.probes.push_back({name, change.value});
    return;
  }
  if (std::erase_if(world_.probes, [&](const world::Probe& probe) { return probe.name == name; }) == 0)
    throw UserError("there is no probe \"" + name + "\".");
}

void State::change_parameter(const world::Change& change) {
  const world::World before = world_;
  world::set_options(world_, change);
  try {
    options_ = options_of(world_);
    equations_->set_parameters(settings_of(options_, world_));
  } catch (const UserError&) {
    world_ = before;
    options_ = options_of(world_);
    throw;
  }
  find_time_step();
}

void State::save(ArchiveWriter& archive) const {
  archive.put_value("clock", std::array{time, static_cast<double>(steps), static_cast<double>(cycles_)});
  save_levels(levels_, *equations_, archive);
}

void State::restore(const std::vector<ArchiveReader>& parts) {
  std::array<double, 3> clock{};
  comm::agree(communicator_, "checkpoint", [&] {
    if (communicator_.is_root()) parts.at(0).get_value("clock", clock);
  });
  clock = comm::broadcast(communicator_, clock, 0, "checkpoint");
  time = clock[0], steps = static_cast<std::int64_t>(clock[1]);
  restore_levels(levels_, *equations_, parts, communicator_);
  levels_.forget_ghosts();
  update_patches();
  find_time_step();
  cycles_ = static_cast<std::int64_t>(clock[2]);  // not those of the new start
}

}  // namespace eddyline::amr
