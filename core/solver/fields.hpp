#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace eddyline::solver {

/// Doubles in memory, `components` for each member: component d of member i is data[i + d * stride].
struct Doubles {
  const double* data = nullptr;
  std::size_t size = 0, stride = 0;
  int components = 1;
  bool is_vector = false;
};

/// Values of one field of the members on a rank: a view of the solver's memory, or a computed copy.
using Field = std::variant<Doubles, std::span<const std::int64_t>, std::span<const std::int32_t>,
                           std::span<const std::uint8_t>, std::vector<double>>;

/// Sets of points or cells with the same fields, such as the particles of the fluid and those of walls: read access to
/// a solver's state for Python, snapshots and comparisons. SI units.
class FieldSets {
 public:
  FieldSets() = default;
  FieldSets(const FieldSets&) = delete;
  FieldSets& operator=(const FieldSets&) = delete;
  virtual ~FieldSets() = default;

  struct Set {
    std::string_view name;     // "fluid"
    std::string_view members;  // "fluid_particles", as counts of a run name them
  };
  virtual std::span<const Set> sets() const = 0;
  /// Members of a set on all ranks.
  virtual std::int64_t count(std::size_t set) const = 0;
  /// A field of the members of this rank. Throws UserError if the set has no such field.
  virtual Field field(std::string_view set, std::string_view name) const = 0;
};

}  // namespace eddyline::solver
