#pragma once
// The state of particles as a halo carries it, see exchange/halo.hpp.

#include <cstdint>
#include <type_traits>

#include "base/arrays.hpp"
#include "domain/migrate.hpp"
#include "solvers/sph/state/fluid_state.hpp"

namespace eddyline::sph {

/// Tells whether a field holds real numbers.
template <class Field>
inline constexpr bool k_is_real = false;
template <class U>
inline constexpr bool k_is_real<Array<U>> = std::is_floating_point_v<U>;
template <class U, int D>
inline constexpr bool k_is_real<VectorArray<U, D>> = std::is_floating_point_v<U>;

/// All values of fluid particles that a step changes, by row. Places are those of the owner: no period shifts them.
template <class T, int D>
class StateField {
 public:
  /// `particle`: the particle in each row; empty if it has the row's number.
  StateField(FluidState<T, D>& fluid, const Array<std::int32_t>& particle) : fluid_(fluid), particle_(particle) {}

  std::size_t bytes() const {
    std::size_t sum = 0;
    for_each_changing([&](auto& field) { sum += domain::Access<decltype(field)>::bytes(field); });
    return sum;
  }
  void copy(std::int32_t from, std::int32_t to, std::int32_t count, const Int3&) const {
    for_each_changing([&](auto& field) {
      std::byte value[64];
      for (std::int32_t k = 0; k < count; ++k) {
        domain::Access<decltype(field)>::get(field, at(from + k), value);
        domain::Access<decltype(field)>::put(field, at(to + k), value);
      }
    });
  }
  void pack(std::int32_t first, std::int32_t count, std::byte* to) const {
    for_each_changing([&](auto& field) {
      for (std::int32_t k = 0; k < count; ++k, to += domain::Access<decltype(field)>::bytes(field))
        domain::Access<decltype(field)>::get(field, at(first + k), to);
    });
  }
  void unpack(const std::byte* from, std::int32_t first, std::int32_t count, const Int3&) const {
    for_each_changing([&](auto& field) {
      for (std::int32_t k = 0; k < count; ++k, from += domain::Access<decltype(field)>::bytes(field))
        domain::Access<decltype(field)>::put(field, at(first + k), from);
    });
  }

 private:
  std::size_t at(std::int32_t row) const {
    const auto r = static_cast<std::size_t>(row);
    return particle_.size() == 0 ? r : static_cast<std::size_t>(particle_[r]);
  }
  /// Ids and buffers change in rebuilds only.
  template <class Visit>
  void for_each_changing(Visit&& visit) const {
    fluid_.for_each_array([&](auto& field) {
      using Field = std::remove_cvref_t<decltype(field)>;
      if constexpr (k_is_real<Field>)
        visit(field);
      else if constexpr (std::is_same_v<Field, Array<std::uint8_t>>)
        if (&field != &fluid_.buffer) visit(field);
    });
  }

  FluidState<T, D>& fluid_;
  const Array<std::int32_t>& particle_;
};

}  // namespace eddyline::sph
