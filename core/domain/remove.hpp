#pragma once
// Removes particles.

#include <cstdint>

#include "base/arrays.hpp"
#include "domain/migrate.hpp"

namespace eddyline::domain {

/// Removes the particles, of `count`, with the numbers in `gone`, in ascending order. The last particles fill the gaps,
/// so that the caller must sort them. for_each_field(visit) visits every field of the particles.
template <class ForEachField>
void remove_particles(std::int64_t count, const Array<std::int32_t>& gone, ForEachField&& for_each_field) {
  if (gone.size() == 0) return;
  std::int64_t kept = count;
  std::size_t last = gone.size();
  for (std::size_t g = 0; g < last; ++g) {
    --kept;
    for (; last - 1 > g && gone[last - 1] == kept; --last) --kept;
    if (kept > gone[g])
      copy_particle(for_each_field, static_cast<std::size_t>(kept), static_cast<std::size_t>(gone[g]));
  }
  for_each_field([&](auto&& field) { Access<decltype(field)>::resize(field, static_cast<std::size_t>(kept)); });
}

/// Removes the particles for which is_gone(i) is true; it is called once for each particle.
template <class ForEachField, class Gone>
void remove_particles_if(std::int64_t count, ForEachField&& for_each_field, Gone&& is_gone) {
  Array<std::int32_t> gone;
  for (std::int64_t i = 0; i < count; ++i)
    if (is_gone(static_cast<std::size_t>(i))) gone.push_back(static_cast<std::int32_t>(i));
  remove_particles(count, gone, for_each_field);
}

}  // namespace eddyline::domain
