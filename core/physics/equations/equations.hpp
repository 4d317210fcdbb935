#pragma once
// The interface between equations on Cartesian cells and the solver that stores, exchanges and advances them. Virtual
// calls are made for whole patches; loops over cells are templates behind them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grid/index_box.hpp"
#include "physics/equations/settings.hpp"
#include "physics/equations/solid.hpp"

namespace eddyline::physics {

/// Kind of the number of a cell: the value at its centre, or the mean over it. Means are conserved: they change by
/// fluxes through faces.
enum class Meaning { point, average };
/// The neighbours of a cell that its rate of change depends on: none, those along axes, or all in a box.
enum class Reach { none, star, box };

/// Largest number of fields of a set.
inline constexpr std::size_t k_most_fields = 64;

struct Field {
  std::string name, unit;
  Meaning meaning = Meaning::point;
  Reach reach = Reach::none;
  int axis = -1;         // of a component of a vector: it changes its sign in a mirror across this axis
  int second_axis = -1;  // of a component of a tensor: it changes its sign once more across this one

  bool is_odd_across(int mirror) const { return (axis == mirror) != (second_axis == mirror); }
};

/// A number that is derived from fields or summed over cells.
struct Named {
  std::string name, unit;
};

/// A patch in its level.
struct Place {
  int level = 0;
  double spacing = 0;  // edge of a cell [m]
  Vec3 origin;         // lowest corner of the domain [m]
  grid::IndexBox cells, domain;
  double time = 0;  // of the fields that are read [s]; account() only

  Vec3 centre(Int3 cell, int dimensions) const {
    Vec3 x;
    for (int d = 0; d < dimensions; ++d) x[d] = origin[d] + (cell[static_cast<std::size_t>(d)] + 0.5) * spacing;
    return x;
  }
};

/// Values of a field on a patch: `at` is that of its first cell, `stride` the distance to the next cell along each
/// axis. A field of reach none lies in the patch's own memory, others in memory with ghosts around the patch.
struct Input {
  const double* at = nullptr;
  std::array<std::ptrdiff_t, 3> stride{};
};

/// Cells in a row along x of a patch: `place.cells`.
struct Row {
  Place place;
  std::span<const Input> in;                    // at the first of them
  std::span<const double* const> coefficients;  // of the patch's cells, one after another
  std::ptrdiff_t cell = 0;                      // the first one, counted in the patch
};

/// One stage of the classical Runge-Kutta method on a patch. With the state y_0 at the begin of a step and the rates F,
/// stages keep
///
///   y_2 = y_0 + dt/2 F(y_0),  y_3 = y_0 + dt/2 F(y_2),  y_4 = y_0 + dt F(y_3)
///
/// and the last one needs nothing else:  y = ((y_2 - y_0) + 2 y_3 + y_4)/3 + dt/6 F(y_4).
struct Stage {
  Place place;
  double time = 0;                              // of this stage [s]
  std::span<const Input> in;                    // values of this stage, field by field
  double weight = 0;                            // dt/2, dt or dt/6 [s]
  bool last = false;                            //
  std::array<const double* const*, 4> slots{};  // y_0, y_2, y_3, y_4: the patch's own values, field by field
  double* const* to = nullptr;                  // where the result goes
  /// Averages: where the fluxes through faces across each axis go, one more than cells along it, field after field,
  /// row-major; null: nowhere.
  std::array<double*, 3> fluxes{};
  const Solid* solid = nullptr;                 // where bodies touch the patch; null: nowhere
  std::span<const double* const> coefficients;  // of the patch's cells, one after another
  double signal = 0;                            // at this stage
};

/// An equation laplace(u) = f - mean of f that holds at all times. The solver satisfies it at the start and after each
/// step of level 0, and then sets the rate of change of u for the next step, which the equations read as a field.
struct Constraint {
  std::size_t unknown = 0, rate = 0;  // numbers of the fields u and du/dt, which are points
};

/// Findings in the cells of a patch, before the next step.
struct Inspection {
  double speed = 0;  // largest sum over axes of the fastest signals along them [m/s]; dt = cfl dx / speed
  bool good = true;  // all values are finite, and positive where they must be
};

/// Kind of the cells beyond a side of the domain.
enum class Beyond {
  periodic,
  mirror,  // the mirrored cells: vectors change the sign of their normal component
  odd,     // the mirrored cells with the other sign
  copy,    // the last cell before the side
  own      // as Equations::fill_beyond() says
};

/// A row of cells across a side: inside(k) is the k-th cell from the side inwards, ghost(k) the k-th one beyond it.
struct AcrossSide {
  std::size_t side = 0;                   // as in World::sides
  std::span<double* const> first_inside;  // by field
  std::ptrdiff_t outwards = 0;            // distance to the next cell outwards
  std::int32_t ghosts = 0;
  double spacing = 0;
  Vec3 position;  // of the side at this row [m]
  double time = 0;

  double inside(std::size_t field, std::int32_t k) const { return first_inside[field][-k * outwards]; }
  double& ghost(std::size_t field, std::int32_t k) const { return first_inside[field][(k + 1) * outwards]; }
};

/// A set of equations with the parameters of a world.
class Equations {
 public:
  Equations() = default;
  Equations(const Equations&) = delete;
  Equations& operator=(const Equations&) = delete;
  virtual ~Equations() = default;

  /// Takes other parameters, during a run. Throws UserError, and then nothing has changed.
  virtual void set_parameters(const Settings& settings) = 0;

  virtual const std::vector<Field>& fields() const = 0;
  /// Layers of ghosts around a patch.
  virtual std::int32_t ghosts() const = 0;
  /// Computes a stage of a patch.
  virtual void advance(const Stage& stage) const = 0;
  /// Inspects `cells` cells in a row, field by field. `spacing`: edge of a cell [m]; 0: only their values matter, as
  /// the speed leaves out what depends on it.
  virtual Inspection inspect(std::span<const double* const> fields, std::int64_t cells, double spacing = 0) const = 0;
  /// True if the speed of signals never changes, and with it the time step.
  virtual bool has_constant_speed() const = 0;
  /// Strength of the variation of the fields at each cell of a patch: a dimensionless number, 0 where they are smooth.
  virtual void indicate(const Place& place, std::span<const Input> in, double* out) const = 0;

  /// The fields at a place at the start.
  virtual void start(const Vec3& x, std::span<double> values) const = 0;
  /// The names that the world's [start.fields] may use.
  virtual const std::vector<std::string>& start_names() const = 0;
  /// Throws UserError if the equations have no such side.
  virtual Beyond side(std::size_t number) const = 0;
  /// Fills the ghosts of a row across a side of the kind `own`.
  virtual void fill_beyond(const AcrossSide& row) const = 0;

  /// Quantities that pictures and probes show, from the fields at a place.
  virtual const std::vector<Named>& quantities() const = 0;
  virtual void derive(std::span<const double> fields, std::span<double> quantities) const = 0;
  /// Columns of the budget: integrals over the domain, and largest values.
  virtual const std::vector<Named>& integrals() const = 0;
  virtual const std::vector<Named>& largest() const = 0;
  /// Densities of the integrals per volume at the cells of a row, integral by integral. Raises `largest` to the values
  /// of these cells.
  virtual void account(const Row& row, double* const* densities, std::span<double> largest) const = 0;
  /// True if account() reads the neighbours of no other fields than rates do, see Reach.
  virtual bool accounts_within_reach() const = 0;

  /// The constraint of these equations, if they have one; f at a cell from its fields, a mean over the cell.
  virtual std::optional<Constraint> constraint() const { return std::nullopt; }
  virtual double right_side(std::span<const double> fields) const {
    (void)fields;
    return 0;
  }

  /// Line that says what is wrong with the fields of a cell that failed inspection, and what to change.
  virtual std::string complaint(std::span<const double> fields) const = 0;

  /// Number of values of each cell that never change, such as those of formulas of places.
  virtual std::size_t coefficients() const { return 0; }
  virtual void find_coefficients(const Vec3& x, std::span<double> values) const { (void)x, (void)values; }
  /// A number that rates at all cells read; t: the time of a stage [s].
  virtual double signal(double t) const {
    (void)t;
    return 0;
  }

  /// True if bodies may stand in the fluid.
  virtual bool has_walls() const = 0;
  /// True if walls hold the fluid that do not let it slip.
  virtual bool has_friction() const = 0;
  /// Force on a wall, from the fields of the cells before it and of the next place, if there are walls.
  virtual WallForce wall(std::span<const double> fields, std::span<const double> next, const Wall& wall) const = 0;
};

/// The names of all sets.
std::vector<std::string> equation_names();
/// The set that settings.name names, computed with an instruction set (scalar, avx2, avx512): one of the core, or
/// "module:NAME" of the library that the option "library" names. Throws UserError.
std::unique_ptr<Equations> make_equations(const std::string& instructions, const Settings& settings);
/// The set in a periodic domain, for its names and units; with default parameters but for these options.
std::unique_ptr<Equations> default_equations(const std::string& name, int dimensions,
                                             const std::map<std::string, world::OptionValue>& options = {});

}  // namespace eddyline::physics
