#include "patches/levels.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "patches/copy_cells.hpp"

namespace eddyline::patches {

using grid::IndexBox;

namespace {

std::vector<Array<double>> arrays(std::size_t fields, std::int64_t size) {
  std::vector<Array<double>> made(fields);
  for (auto& each : made) each.resize(static_cast<std::size_t>(size));
  return made;
}

/// Makes undefined fields of this size, in the memory that they have.
void fit(std::vector<Array<double>>& some, std::size_t fields, std::int64_t size) {
  some.resize(fields);
  for (auto& each : some) {
    each.resize(0);
    each.resize(static_cast<std::size_t>(size));
  }
}

/// Memory of a thread for all fields of a box of cells. It stays: memory that the system gives page by page would take
/// as long as a stage.
struct Memory {
  std::vector<std::vector<double>> fields;
  std::vector<double*> pointers;
  Transfer::Scratch transfer;

  static Memory& of_thread(std::size_t fields) {
    thread_local Memory memory;
    memory.fields.resize(fields);
    memory.pointers.resize(fields);
    return memory;
  }
  /// Room for a field in `size` cells; its address is the pointer of the field.
  double* make_room(std::size_t field, std::size_t size) {
    fields[field].resize(std::max(fields[field].size(), size));
    return pointers[field] = fields[field].data();
  }
};

}  // namespace

Levels::Levels(Setup setup, comm::Communicator& communicator) : setup_(std::move(setup)), communicator_(communicator) {
  for (const FieldKind& field : setup_.fields)
    transfers_.emplace_back(field.meaning, setup_.ghosts >= 3 ? 3 : 2, setup_.dimensions);
  for (const FieldKind& field : setup_.fields) has_means_ = has_means_ || field.meaning == Meaning::average;
  for (std::size_t f = 1; f < fields(); ++f)
    if (transfers_[f].reach() > transfers_[widest_].reach()) widest_ = f;
  if (setup_.levels > 1) units_ = Units(setup_.cells, setup_.dimensions, setup_.unit, setup_.levels, setup_.periodic);
  levels_.resize(static_cast<std::size_t>(setup_.levels));
  below_.resize(levels_.size());
  for (int level = 0; level < setup_.levels; ++level) {
    const auto halo = [&](const std::string& name) {
      return exchange::BoxHalo(communicator_, setup_.exchange, setup_.between,
                               tags_.take(name + " " + std::to_string(level)));
    };
    halos_.push_back(
        std::unique_ptr<Halos>(new Halos{halo("siblings"), halo("rim"), halo("restricted"), halo("fluxes")}));
    if (!Parcels::pay(setup_.exchange, communicator_)) continue;
    Parcels& parcels = parcels_.emplace_back();
    for (int p = 0; p < PatchSet::k_parcels; ++p)
      parcels.add(std::make_unique<exchange::BoxHalo>(halo("parcel " + std::to_string(p) + " of")));
  }
  fresh_.assign(levels_.size(), 0);
  travels_.resize(parcels_.size());
  build(0);
  complete(0);
}

PatchSet Levels::set_of(int level) const {
  const std::int64_t fewest = communicator_.size() * setup_.boxes;
  PatchSet set;
  if (setup_.levels == 1) {
    set = {Tiling(setup_.cells, setup_.dimensions, setup_.patch, fewest), setup_.dimensions, setup_.periodic};
  } else {
    Tiling units(units_.cells(level), setup_.dimensions, setup_.unit, 0);
    set = {std::move(units), setup_.dimensions, setup_.periodic, units_.present(level), setup_.patch, fewest};
  }
  // Ghosts between levels take about as long as a cell.
  std::vector<std::int64_t> weights;
  for (std::size_t k = 0; k < set.size(); ++k) {
    std::int64_t weight = set.box(k).cells();
    if (level > 0)
      set.for_each_piece(set.box(k).grown(setup_.ghosts, setup_.dimensions),
                         [&](std::int32_t patch, const IndexBox& cells, const Int3&) {
                           if (patch < 0) weight += cells.cells();
                         });
    weights.push_back(weight);
  }
  set.assign(weights, communicator_.size());
  return set;
}

/// Patches and memory of a level, but for the end of a step. Fields are undefined.
void Levels::build(int level) {
  const auto l = static_cast<std::size_t>(level);
  Level& here = levels_[l];
  here.layout = Layout(set_of(level), setup_.ghosts, rank());
  for (const Slot slot : {begin, second, third, fourth}) fit(here.fields(slot), fields(), here.layout.cells());
  fit(here.foreign, fields(), here.layout.foreign_cells());
  here.layout.connect(halos_[l]->siblings);
  fresh_[l] = 0;
  if (has_parcels()) {
    parcels_[l].connect(here.layout.ghosts_of_patches());
    travels_[l] = {};
  }
  if (level == 0) return;
  Below& below = below_[l];
  const PatchSet& coarser = levels_[l - 1].layout.set();
  below.rim = Rim(here.layout, coarser, transfers_[widest_], rank());
  below.coarse = arrays(fields() * k_states, 0);
  for (auto& state : below.values) state = arrays(fields(), 0);
  below.rim.coarse_cells().connect(halos_[l]->rim);
  below.set = here.layout.set().coarsened();
  std::vector<Gather::Target> targets;
  for (std::size_t k = 0; k < coarser.size(); ++k) targets.push_back({coarser.owner(k), coarser.box(k)});
  below.restricted = Gather(below.set, targets, rank());
  below.received = arrays(fields(), below.restricted.foreign_cells());
  below.restricted.connect(halos_[l]->restricted);
  if (!has_means_) return;
  below.registers = FluxRegisters(levels_[l - 1].layout, here.layout, below.set, units_, level - 1, fields(), rank());
  below.registers.connect(halos_[l]->fluxes);
}

void Levels::complete(int level) {
  Level& here = levels_[static_cast<std::size_t>(level)];
  fit(here.fields(end), fields(), here.layout.cells());
}

const Composite& Levels::composite() const {
  if (composite_changes_ != changes_) composite_ = Composite(units_);
  composite_changes_ = changes_;
  return composite_;
}

std::int64_t Levels::cells() const {
  std::int64_t sum = 0;
  for (const Level& level : levels_) sum += level.layout.cells();
  return sum;
}
std::int64_t Levels::foreign_cells() const {
  std::int64_t sum = 0;
  for (const Level& level : levels_) sum += level.layout.foreign_cells();
  for (const Below& below : below_) sum += below.rim.coarse_cells().foreign_cells();
  return sum;
}
std::int64_t Levels::patches() const {
  std::int64_t sum = 0;
  for (const Level& level : levels_) sum += static_cast<std::int64_t>(level.layout.patches().size());
  return sum;
}
std::int64_t Levels::memory() const {
  std::size_t numbers = 0;
  const auto add = [&](const std::vector<Array<double>>& some) {
    for (const auto& each : some) numbers += each.size();
  };
  for (const Level& level : levels_) {
    for (const auto& slot : level.slot) add(slot);
    add(level.foreign);
  }
  for (const Below& below : below_) {
    for (const auto& state : below.values) add(state);
    add(below.coarse), add(below.received);
  }
  return static_cast<std::int64_t>(numbers * sizeof(double));
}
std::int64_t Levels::neighbors() const {
  std::size_t most = 0;
  for (const auto& halos : halos_)
    most = std::max({most, halos->siblings.neighbors(), halos->rim.neighbors(), halos->restricted.neighbors()});
  return static_cast<std::int64_t>(most);
}
exchange::Traffic Levels::traffic() const {
  exchange::Traffic all;
  for (const auto& halos : halos_)
    for (const exchange::BoxHalo* halo : {&halos->siblings, &halos->rim, &halos->restricted, &halos->fluxes})
      all += halo->traffic();
  for (const Parcels& parcels : parcels_) all += parcels.traffic();
  return all;
}

Levels::Group Levels::group(const Gather& gather, std::span<const double* const> own,
                            std::span<double* const> foreign) {
  Group group;
  std::vector<exchange::BoxField<double>> fields;
  group.views.reserve(own.size());
  for (std::size_t f = 0; f < own.size(); ++f) {
    group.views.push_back(gather.views(own[f], foreign[f]));
    fields.push_back(group.views.back().field());
  }
  group.fields = exchange::BoxFields<double>(std::move(fields));
  return group;
}

/// Ghosts of a level that other ranks have: of the fields whose ghosts a stage reads, or of all.
Levels::Group Levels::siblings(Level& level, Slot slot, bool all) {
  std::vector<const double*> own;
  std::vector<double*> foreign;
  for (std::size_t f = 0; f < fields(); ++f) {
    if (!all && !setup_.fields[f].has_ghosts) continue;
    own.push_back(level.fields(slot)[f].data());
    foreign.push_back(level.foreign[f].data());
  }
  return group(level.layout.ghosts_of_patches(), own, foreign);
}

void Levels::start(int level, Slot slot) {
  const auto l = static_cast<std::size_t>(level);
  is_pending_ = slot != begin || fresh_[l] == 0;
  fresh_[l] = 0;
  if (!is_pending_) return;
  if (!has_parcels()) {
    pending_ = siblings(levels_[l], slot, false);
    halos_[l]->siblings.start(pending_.fields);
    return;
  }
  if (!parcels_[l].has_next()) send_rest(level, slot, false);
  travels_[l].all = travels_[l].all_next;
  parcels_[l].turn();
}

void Levels::finish(int level) {
  if (!is_pending_) return;
  if (has_parcels())
    wait(level, Parcels::k_all);
  else
    halos_[static_cast<std::size_t>(level)]->siblings.finish(pending_.fields);
}

/// The memory for ghosts of other ranks.
const Levels::Group& Levels::receivers(int level, bool all) {
  const auto l = static_cast<std::size_t>(level);
  Group& group = travels_[l].received[all ? 1 : 0];
  if (group.views.empty()) group = siblings(levels_[l], begin, all);
  return group;
}

bool Levels::arrived(int level, std::uint32_t parcels) {
  const auto l = static_cast<std::size_t>(level);
  return parcels_[l].arrived(parcels, receivers(level, travels_[l].all).fields);
}

void Levels::wait(int level, std::uint32_t parcels) {
  const auto l = static_cast<std::size_t>(level);
  parcels_[l].wait(parcels, receivers(level, travels_[l].all).fields);
}

void Levels::send_ahead(int level, std::uint32_t parcels, Slot slot, bool all) {
  const auto l = static_cast<std::size_t>(level);
  travels_[l].all_next = all;
  parcels_[l].send(parcels, siblings(levels_[l], slot, all).fields, receivers(level, travels_[l].all).fields);
}

void Levels::send_rest(int level, Slot slot, bool all) {
  const auto l = static_cast<std::size_t>(level);
  travels_[l].all_next = all;
  parcels_[l].send_rest(siblings(levels_[l], slot, all).fields, receivers(level, travels_[l].all).fields);
}

void Levels::receive_ahead(int level) {
  const auto l = static_cast<std::size_t>(level);
  if (!has_parcels() || !parcels_[l].has_next()) return;
  travels_[l].all = travels_[l].all_next;
  parcels_[l].turn();
  wait(level, Parcels::k_all);
  fresh_[l] = travels_[l].all ? k_all_fresh : k_some_fresh;
}

/// Ghosts of other ranks at the begin of a step: of all fields, or of those whose ghosts a stage reads.
void Levels::gather_siblings(int level, bool all) {
  const auto l = static_cast<std::size_t>(level);
  receive_ahead(level);
  const std::uint8_t wanted = all ? k_all_fresh : k_some_fresh;
  if (fresh_[l] >= wanted) return;
  const Group ghosts = siblings(levels_[l], begin, all);
  halos_[l]->siblings.gather_between(ghosts.fields);
  fresh_[l] = wanted;
}

/// The sum of the states of the coarser level with some weights, at the ghosts of the parts of a patch, which lie one
/// after another. In a thread's memory, unless it is one of the states.
const double* Levels::sum_of_states(const Below& below, std::size_t field, const StateWeights& weights,
                                    std::span<const Rim::Part> parts) {
  const auto state = [&](std::size_t s) { return below.values[s][field].data() + parts.front().first; };
  const auto is_one = [](double weight) { return weight == 1; };
  if (std::ranges::count(weights, 0.0) + 1 == k_states && std::ranges::any_of(weights, is_one))
    return state(static_cast<std::size_t>(std::ranges::find_if(weights, is_one) - weights.begin()));
  thread_local std::vector<double> sum;
  const auto count = static_cast<std::size_t>(parts.back().first + parts.back().ghosts.cells() - parts.front().first);
  sum.resize(std::max(sum.size(), count));
  const StateWeights w = weights;
  const double *a = state(0), *b = state(1), *c = state(2), *d = state(3), *e = state(4);
  double* to = sum.data();
  for (std::size_t i = 0; i < count; ++i) to[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i] + w[4] * e[i];
  return to;
}

void Levels::fill(int level, const Layout::Patch& patch, Slot slot, const StateWeights& weights, double time,
                  std::span<double* const> scratch) const {
  const auto l = static_cast<std::size_t>(level);
  const Level& here = levels_[l];
  const IndexBox grown = here.layout.grown(patch);
  for (std::size_t f = 0; f < scratch.size(); ++f) {
    double* to = scratch[f];
    if (to == nullptr) continue;
    here.layout.fill(patch, here.values(slot, f), to);
    if (level == 0) continue;
    const Below& below = below_[l];
    const std::span<const Rim::Part> parts = below.rim.parts_of(here.layout.number_of(patch));
    if (parts.empty()) continue;
    const double* values = sum_of_states(below, f, weights, parts);
    for (const Rim::Part& part : parts)
      copy_cells(values + (part.first - parts.front().first), part.ghosts, to, grown, part.ghosts);
  }
  if (setup_.sides) setup_.sides(level, grown, scratch, time);
}

void Levels::prepare(int level, double time, double time_step) {
  constexpr std::array k_all{begin, second, third, fourth, end};
  const double middle = time + 0.5 * time_step, last = time + time_step;
  interpolate(level, k_all, std::array{time, middle, middle, last, last}, false);
}

/// Ghosts of a level from states of the coarser one: of fields whose ghosts a stage reads, and of the others only at
/// the end of the step, or of `all`.
void Levels::interpolate(int level, std::span<const Slot> states, std::span<const double> times, bool all) {
  const auto l = static_cast<std::size_t>(level);
  Level& coarser = levels_[l - 1];
  Below& below = below_[l];
  const Gather& gather = below.rim.coarse_cells();
  const auto is_needed = [&](std::size_t f, Slot state) { return all || setup_.fields[f].has_ghosts || state == end; };
  const auto coarse = [&](std::size_t f, Slot state) -> Array<double>& { return below.coarse[k_states * f + state]; };
  std::vector<const double*> own;
  std::vector<double*> foreign;
  for (std::size_t f = 0; f < fields(); ++f)
    for (const Slot state : states) {
      if (!is_needed(f, state)) continue;
      coarse(f, state).resize(static_cast<std::size_t>(gather.foreign_cells()));
      below.values[state][f].resize(static_cast<std::size_t>(below.rim.cells()));
      own.push_back(coarser.fields(state)[f].data());
      foreign.push_back(coarse(f, state).data());
    }
  const Group group = Levels::group(gather, own, foreign);
  halos_[l]->rim.gather_between(group.fields);
  const auto parts = static_cast<std::int64_t>(below.rim.parts().size());
#pragma omp parallel
  {
    Memory& memory = Memory::of_thread(fields());
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < parts; ++k) {
      const Rim::Part& part = below.rim.parts()[static_cast<std::size_t>(k)];
      const IndexBox box = gather.target(static_cast<std::size_t>(k));
      for (std::size_t s = 0; s < states.size(); ++s) {
        const Slot state = states[s];
        for (std::size_t f = 0; f < fields(); ++f) {
          memory.pointers[f] = nullptr;
          if (!is_needed(f, state)) continue;
          gather.fill(static_cast<std::size_t>(k), {coarser.fields(state)[f].data(), coarse(f, state).data()}, box,
                      memory.make_room(f, static_cast<std::size_t>(box.cells())));
        }
        if (setup_.sides) setup_.sides(level - 1, box, memory.pointers, times[s]);
        for (std::size_t f = 0; f < fields(); ++f)
          if (memory.pointers[f] != nullptr)
            transfers_[f].prolong(memory.pointers[f], box, part.ghosts, below.values[state][f].data() + part.first,
                                  memory.transfer);
      }
    }
  }
}

bool Levels::needs_fluxes(int level, const Layout::Patch& patch) const {
  if (!has_means_) return false;
  const auto l = static_cast<std::size_t>(level);
  const std::size_t number = levels_[l].layout.number_of(patch);
  return (level > 0 && below_[l].registers.needs_fine(number)) ||
         (level + 1 < size_ && below_[l + 1].registers.needs_coarse(number));
}

void Levels::add_fluxes(int level, const Layout::Patch& patch, const FluxRegisters::Fluxes& fluxes, double weight) {
  const auto l = static_cast<std::size_t>(level);
  const std::size_t number = levels_[l].layout.number_of(patch);
  if (level > 0) below_[l].registers.add_fine(number, fluxes, weight);
  if (level + 1 < size_) below_[l + 1].registers.add_coarse(number, fluxes, weight);
}

/// First every patch is restricted into memory of its own, and only then the coarser level changes: its states still
/// give ghosts to the patches.
void Levels::restrict_to_coarser(int level, double time, double spacing) {
  const auto l = static_cast<std::size_t>(level);
  Level &here = levels_[l], &coarser = levels_[l - 1];
  Below& below = below_[l];
  gather_siblings(level, true);
  const auto patches = static_cast<std::int64_t>(here.layout.patches().size());
#pragma omp parallel
  {
    Memory& memory = Memory::of_thread(fields());
    for (std::size_t f = 0; f < fields(); ++f) memory.make_room(f, here.layout.scratch_size());
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < patches; ++k) {
      const Layout::Patch& patch = here.layout.patches()[static_cast<std::size_t>(k)];
      fill(level, patch, begin, {0, 0, 0, 0, 1}, time, memory.pointers);
      const IndexBox coarse = patches::coarsened(patch.cells, setup_.dimensions);
      for (std::size_t f = 0; f < fields(); ++f)
        transfers_[f].restrict(memory.pointers[f], here.layout.grown(patch), coarse,
                               here.fields(second)[f].data() + (patch.first >> setup_.dimensions), memory.transfer);
    }
  }
  std::vector<const double*> own;
  std::vector<double*> foreign;
  for (std::size_t f = 0; f < fields(); ++f)
    own.push_back(here.fields(second)[f].data()), foreign.push_back(below.received[f].data());
  const Group group = Levels::group(below.restricted, own, foreign);
  halos_[l]->restricted.gather_between(group.fields);
  const auto targets = static_cast<std::int64_t>(coarser.layout.patches().size());
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t k = 0; k < targets; ++k) {
    const Layout::Patch& patch = coarser.layout.patches()[static_cast<std::size_t>(k)];
    for (std::size_t f = 0; f < fields(); ++f)
      below.restricted.fill(static_cast<std::size_t>(k), {own[f], foreign[f]},
                            coarser.fields(end)[f].data() + patch.first);
  }
  if (!has_means_) return;
  std::vector<double*> corrected;
  for (Array<double>& field : coarser.fields(end)) corrected.push_back(field.data());
  below.registers.correct(halos_[l]->fluxes, spacing, corrected);
}

void Levels::end_step(int level) {
  Level& here = levels_[static_cast<std::size_t>(level)];
  for (std::size_t f = 0; f < fields(); ++f) here.fields(begin)[f].swap(here.fields(end)[f]);
}

void Levels::gather(double time, bool all, int levels) {
  constexpr std::array k_first{begin};
  for (int level = 0; level < std::min(levels, size_); ++level) {
    gather_siblings(level, all);
    if (level > 0) interpolate(level, k_first, std::array{time}, all);
  }
}

Units Levels::planned(std::vector<Marks> wanted) const {
  Units units = units_;
  units.refine(std::move(wanted), margin());
  return units;
}

bool Levels::arrange(const Units& units) {
  if (!arrange_but_ends(units)) return false;
  for (int level = 1; level < setup_.levels; ++level) complete(level);
  return true;
}

bool Levels::arrange_but_ends(const Units& units) {
  if (setup_.levels == 1 || units == units_) return false;
  units_ = units;
  ++changes_;
  size_ = 1;
  for (int level = 1; level < setup_.levels; ++level) {
    build(level);
    if (levels_[static_cast<std::size_t>(level)].layout.all_cells() > 0) size_ = level + 1;
  }
  return true;
}

bool Levels::refine(const Units& units, double time) {
  if (setup_.levels == 1 || units == units_) return false;
  const Units before = units_;
  std::vector<Level> old(levels_.size());
  for (std::size_t l = 1; l < levels_.size(); ++l) {
    old[l] = std::exchange(levels_[l], {});
    // New memory would take as long as a step. The old begin is still needed.
    for (const Slot slot : {second, third, fourth}) levels_[l].fields(slot) = std::move(old[l].fields(slot));
    levels_[l].fields(begin) = std::move(old[l].fields(end));
    levels_[l].foreign = std::move(old[l].foreign);
  }
  arrange_but_ends(units);
  for (int level = 1; level < size_; ++level) {
    move_from(level, old[static_cast<std::size_t>(level)]);
    interpolate_new(level, before.present(level), time);
  }
  for (std::size_t l = 1; l < levels_.size(); ++l) {
    levels_[l].fields(end) = std::move(old[l].fields(begin));
    complete(static_cast<int>(l));
  }
  return true;
}

/// Fields of cells that the level had before, from the ranks that had them.
void Levels::move_from(int level, Level& before) {
  Level& here = levels_[static_cast<std::size_t>(level)];
  if (before.layout.all_cells() == 0) return;
  const PatchSet& set = here.layout.set();
  std::vector<Gather::Target> targets;
  for (std::size_t k = 0; k < set.size(); ++k) targets.push_back({set.owner(k), set.box(k)});
  const Gather moved(before.layout.set(), targets, rank());
  exchange::BoxHalo halo(communicator_, "nonblocking", {}, tags_.take("moved patches"));
  moved.connect(halo);
  auto received = arrays(fields(), moved.foreign_cells());
  std::vector<const double*> own;
  std::vector<double*> foreign;
  for (std::size_t f = 0; f < fields(); ++f)
    own.push_back(before.fields(begin)[f].data()), foreign.push_back(received[f].data());
  const Group group = Levels::group(moved, own, foreign);
  halo.gather_between(group.fields);
  for (std::size_t k = 0; k < here.layout.patches().size(); ++k)
    for (std::size_t f = 0; f < fields(); ++f)
      moved.fill(k, {own[f], foreign[f]}, here.fields(begin)[f].data() + here.layout.patches()[k].first);
}

/// Fields of units that the level did not have before, from the coarser level.
void Levels::interpolate_new(int level, const Marks& before, double time) {
  Level &here = levels_[static_cast<std::size_t>(level)], &coarser = levels_[static_cast<std::size_t>(level) - 1];
  struct Part {
    std::size_t patch;
    IndexBox cells;
  };
  std::vector<Part> parts;
  std::vector<Gather::Target> targets;
  const PatchSet& set = here.layout.set();
  for (std::size_t k = 0; k < set.size(); ++k) {
    std::vector<IndexBox> fresh;
    const Int3 first = units_.unit_of(set.box(k).lower);
    Int3 last = set.box(k).upper;
    for (std::int32_t& cell : last) --cell;
    last = units_.unit_of(last);
    for_each_cell(IndexBox{first, {last[0] + 1, last[1] + 1, last[2] + 1}}, [&](Int3 unit) {
      if (before[units_.index(level, unit)] == 0) fresh.push_back(units_.cells_of(unit));
    });
    for (const IndexBox& cells : merged(std::move(fresh))) {
      targets.push_back({set.owner(k), transfers_[widest_].needed(cells)});
      if (set.owner(k) == rank()) parts.push_back({static_cast<std::size_t>(set.number(k)), cells});
    }
  }
  const Gather gather(coarser.layout.set(), targets, rank());
  exchange::BoxHalo halo(communicator_, "nonblocking", {}, tags_.take("new patches"));
  gather.connect(halo);
  auto received = arrays(fields(), gather.foreign_cells());
  std::vector<const double*> own;
  std::vector<double*> foreign;
  for (std::size_t f = 0; f < fields(); ++f)
    own.push_back(coarser.fields(begin)[f].data()), foreign.push_back(received[f].data());
  const Group group = Levels::group(gather, own, foreign);
  halo.gather_between(group.fields);
  const auto count = static_cast<std::int64_t>(parts.size());
#pragma omp parallel
  {
    Memory& memory = Memory::of_thread(fields());
    std::vector<double> fine;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const Part& part = parts[static_cast<std::size_t>(k)];
      const Layout::Patch& patch = here.layout.patches()[part.patch];
      const IndexBox box = gather.target(static_cast<std::size_t>(k));
      for (std::size_t f = 0; f < fields(); ++f) {
        gather.fill(static_cast<std::size_t>(k), {own[f], foreign[f]}, box,
                    memory.make_room(f, static_cast<std::size_t>(box.cells())));
      }
      if (setup_.sides) setup_.sides(level - 1, box, memory.pointers, time);
      fine.resize(std::max(fine.size(), static_cast<std::size_t>(part.cells.cells())));
      for (std::size_t f = 0; f < fields(); ++f) {
        transfers_[f].prolong(memory.pointers[f], box, part.cells, fine.data(), memory.transfer);
        copy_cells(fine.data(), part.cells, here.fields(begin)[f].data() + patch.first, patch.cells, part.cells);
      }
    }
  }
}

}  // namespace eddyline::patches
