#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/arrays.hpp"
#include "comm/communicator.hpp"
#include "exchange/box_fields.hpp"
#include "exchange/halo.hpp"
#include "patches/dense_output.hpp"
#include "patches/flux_registers.hpp"
#include "patches/gather.hpp"
#include "patches/layout.hpp"
#include "patches/parcels.hpp"
#include "patches/rim.hpp"
#include "patches/transfers.hpp"
#include "patches/units.hpp"

namespace eddyline::patches {

/// The states that a step keeps: at its begin and at its stages. The stages stay until the next step: with them the
/// solution is known at all times of the step.
enum Slot : std::size_t { begin, second, third, fourth, end, slots };

/// Properties of a field that levels use.
struct FieldKind {
  Meaning meaning = Meaning::point;
  bool has_ghosts = true;  // whether a stage reads ghosts of it
};

/// One level on this rank: its patches and the values of its fields.
struct Level {
  Layout layout;
  std::array<std::vector<Array<double>>, slots> slot;  // by field, patch by patch
  std::vector<Array<double>> foreign;                  // by field: ghosts of other ranks

  std::vector<Array<double>>& fields(Slot which) { return slot[which]; }
  const std::vector<Array<double>>& fields(Slot which) const { return slot[which]; }
  Values values(Slot which, std::size_t field) const { return {slot[which][field].data(), foreign[field].data()}; }
};

/// Levels of patches over one domain, and everything that passes between them: fields, ghosts, refinement. Level 0
/// covers the domain; each further level has half the spacing, lies within the one before it, and takes two steps for
/// each of its steps (Berger & Oliger 1984). Fields of coarser levels exist below finer ones as well.
class Levels {
 public:
  struct Setup {
    Int3 cells{1, 1, 1};  // of level 0
    int dimensions = 2;
    std::array<bool, 3> periodic{true, true, true};
    int levels = 1;         // at most
    std::int32_t unit = 8;  // cells along an edge in which levels are refined; not used with one level
    std::int32_t patch = 32;
    std::int64_t boxes = 1;   // fewest patches of a rank on a level
    std::int32_t ghosts = 2;  // layers
    std::vector<FieldKind> fields;
    std::string exchange = "nonblocking";
    exchange::BetweenSites between;
    /// Sets the values of all fields beyond sides that are not periodic, in a box that reaches beyond them; none if all
    /// sides are periodic. A null pointer: that field is not there.
    std::function<void(int level, const grid::IndexBox& box, std::span<double* const> fields, double time)> sides;
  };

  Levels(Setup setup, comm::Communicator& communicator);

  int most() const { return setup_.levels; }
  /// Levels that have patches.
  int size() const { return size_; }
  Level& operator[](int level) { return levels_[static_cast<std::size_t>(level)]; }
  const Level& operator[](int level) const { return levels_[static_cast<std::size_t>(level)]; }
  const Setup& setup() const { return setup_; }
  const Units& units() const { return units_; }
  /// Made when first asked for, by one thread.
  const Composite& composite() const;
  /// True if a cell of a level is covered by the next finer one.
  bool is_covered(int level, Int3 cell) const { return level + 1 < size_ && units_.is_covered(level, cell); }
  /// Calls visit(first, end) for the parts of a row of cells along x, from `cell` to below `end`, that no finer level
  /// covers.
  template <class Visit>
  void for_each_uncovered(int level, Int3 cell, std::int32_t end, Visit&& visit) const;
  /// Times that patches have changed.
  std::int64_t changes() const { return changes_; }
  std::int64_t cells() const;          // of this rank
  std::int64_t foreign_cells() const;  // ghosts of other ranks
  std::int64_t patches() const;        // of this rank
  std::int64_t memory() const;         // [bytes]
  std::int64_t neighbors() const;
  /// The tags of all halos of the solver.
  comm::Tags tags() const { return tags_; }
  exchange::Traffic traffic() const;
  /// Weights of the first of the states.
  static constexpr StateWeights k_begin{1, 0, 0, 0, 0};
  exchange::Trials trials() const { return halos_.front()->siblings.trials(); }

  // Functions within a step of a level.

  /// Sends the ghosts that a stage reads to other ranks, unless they are there already or travel since send_ahead().
  /// Collective.
  void start(int level, Slot slot);
  /// Waits for them. Collective.
  void finish(int level);
  /// True if ghosts travel in parcels, see Parcels. Then, between start() and finish():
  bool has_parcels() const { return !parcels_.empty(); }
  /// Receives what has arrived of them; true if these parcels are there.
  bool arrived(int level, std::uint32_t parcels);
  void wait(int level, std::uint32_t parcels);
  /// Parcels of another state of which all patches have been computed leave at once; the `rest` follows after finish().
  /// What is started next must be this state, with its begin for its end. `all`: of all fields, for
  /// restrict_to_coarser().
  void send_ahead(int level, std::uint32_t parcels, Slot slot, bool all);
  void send_rest(int level, Slot slot, bool all);
  /// Receives the begin of the next step of a level, if it travels.
  void receive_ahead(int level);
  /// The fields at the begin of a step have changed otherwise than by a step.
  void forget_ghosts() { fresh_.assign(fresh_.size(), 0); }
  /// Copies the values of a patch with its ghosts into scratch memory, a pointer for each field or null. Ghosts that
  /// the coarser level gives are sums of its states with `weights`, as prepare() has found them.
  void fill(int level, const Layout::Patch& patch, Slot slot, const StateWeights& weights, double time,
            std::span<double* const> scratch) const;
  /// Before the steps of a level within one of the coarser level, from `time` over `time_step`: interpolates the states
  /// of the latter for the ghosts of the former. Collective.
  void prepare(int level, double time, double time_step);
  /// True if add_fluxes() needs the fluxes of a patch: it has means, and faces at the edge of a level.
  bool needs_fluxes(int level, const Layout::Patch& patch) const;
  /// Adds fluxes of a stage, times its part of the time step [s]. Patches may be added by several threads at once.
  void add_fluxes(int level, const Layout::Patch& patch, const FluxRegisters::Fluxes& fluxes, double weight);
  /// After those steps: the fields of a level replace what the coarser level has computed below it, and means around it
  /// are corrected. `spacing`: of the coarser level. Collective.
  void restrict_to_coarser(int level, double time, double spacing);
  /// The end of a step becomes the begin of the next one.
  void end_step(int level);

  // Functions between steps of level 0.

  /// Collects all ghosts at the begin of a step, of all fields or of those whose ghosts a stage reads; of all levels or
  /// of the first ones. Collective.
  void gather(double time, bool all) { gather(time, all, size_); }
  void gather(double time, bool all, int levels);
  /// After gather() of all fields: the values of a patch with all its ghosts.
  void read(int level, const Layout::Patch& patch, double time, std::span<double* const> scratch) const {
    fill(level, patch, begin, k_begin, time, scratch);
  }
  /// The units that refine() would have, with those that nesting adds.
  Units planned(std::vector<Marks> wanted) const;
  /// Refines these units and no others. Fields move to their new owners; new patches are interpolated. True if patches
  /// have changed. Collective.
  bool refine(const Units& units, double time);
  /// The same, but fields of finer levels stay undefined.
  bool arrange(const Units& units);

 private:
  struct Halos {
    exchange::BoxHalo siblings, rim, restricted, fluxes;
  };
  /// Transfers between a level and the next coarser one.
  struct Below {
    Rim rim;
    std::vector<Array<double>> coarse;                        // by field and state: coarse cells of other ranks
    std::array<std::vector<Array<double>>, k_states> values;  // by state and field: ghosts
    Gather restricted;                                        // this rank's coarser patches, from `set`
    PatchSet set;                                             // coarse cells below the level
    std::vector<Array<double>> received;                      // by field: restricted cells of other ranks
    FluxRegisters registers;
  };
  /// A halo of several fields at once, with the memory that it refers to.
  struct Group {
    std::vector<Gather::Views> views;
    exchange::BoxFields<double> fields{{}};
  };

  static Group group(const Gather& gather, std::span<const double* const> own, std::span<double* const> foreign);
  Group siblings(Level& level, Slot slot, bool all);
  const Group& receivers(int level, bool all);
  void gather_siblings(int level, bool all);
  PatchSet set_of(int level) const;
  void build(int level);
  void complete(int level);
  bool arrange_but_ends(const Units& units);
  void move_from(int level, Level& before);
  static const double* sum_of_states(const Below& below, std::size_t field, const StateWeights& weights,
                                     std::span<const Rim::Part> parts);
  void interpolate_new(int level, const Marks& before, double time);
  void interpolate(int level, std::span<const Slot> states, std::span<const double> times, bool all);
  std::int32_t margin() const { return (setup_.ghosts + 1) / 2 + transfers_[widest_].reach() + 1; }
  int rank() const { return communicator_.rank(); }
  std::size_t fields() const { return setup_.fields.size(); }

  Setup setup_;
  comm::Communicator& communicator_;
  comm::Tags tags_;
  std::vector<Transfer> transfers_;  // by field
  std::size_t widest_ = 0;           // field whose prolongation reads most
  bool has_means_ = false;
  Units units_;
  mutable Composite composite_;
  mutable std::int64_t composite_changes_ = -1;  // changes() when it was made
  std::vector<Level> levels_;
  std::vector<Below> below_;
  std::vector<std::unique_ptr<Halos>> halos_;
  int size_ = 1;
  std::int64_t changes_ = 0;
  Group pending_;
  bool is_pending_ = false;  // an exchange of start()
  /// Contents of `foreign`, by level: the begin of a step of no field, of those whose ghosts a stage reads, or of all.
  std::vector<std::uint8_t> fresh_;
  static constexpr std::uint8_t k_some_fresh = 1, k_all_fresh = 2;
  std::vector<Parcels> parcels_;  // by level; none unless they pay
  struct Travel {
    bool all = false, all_next = false;  // whether all fields travel, of the current and of the next state
    std::array<Group, 2> received;       // of some and of all fields
  };
  std::vector<Travel> travels_;
};

template <class Visit>
void Levels::for_each_uncovered(int level, Int3 cell, std::int32_t end, Visit&& visit) const {
  std::int32_t first = cell[0];
  while (level + 1 < size_ && cell[0] < end) {
    const std::int32_t next = std::min(end, (cell[0] / units_.edge() + 1) * units_.edge());
    if (units_.is_covered(level, cell)) {
      if (first < cell[0]) visit(first, cell[0]);
      first = next;
    }
    cell[0] = next;
  }
  if (first < end) visit(first, end);
}

}  // namespace eddyline::patches
