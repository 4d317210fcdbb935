#pragma once
// Particles that go for good.

#include <cstdint>

#include "integrate/flow/migrate.hpp"

namespace eddyline::integrate {

/// Takes out the particles, of `count`, of which `is_gone(i)` holds; the others close up in their order.
/// for_each_field(visit) visits every field of the particles.
template <class ForEachField, class Gone>
void remove_particles(std::int64_t count, ForEachField&& for_each_field, Gone&& is_gone) {
  std::size_t kept = 0;
  const auto n = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < n; ++i) {
    if (is_gone(i)) continue;
    if (i != kept) copy_particle(for_each_field, i, kept);
    ++kept;
  }
  if (kept == n) return;
  for_each_field([&](auto&& field) { Access<decltype(field)>::resize(field, kept); });
}

}  // namespace eddyline::integrate
