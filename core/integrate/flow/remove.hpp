#pragma once
// Particles that go for good.

#include <cstdint>

#include "integrate/flow/migrate.hpp"

namespace eddyline::integrate {

/// Takes out the particles, of `count`, of which `is_gone(i)` holds; it is asked once of each. The last ones fill the
/// gaps: whoever calls this sorts them next. for_each_field(visit) visits every field of the particles.
template <class ForEachField, class Gone>
void remove_particles(std::int64_t count, ForEachField&& for_each_field, Gone&& is_gone) {
  auto kept = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < kept; ++i) {
    if (!is_gone(i)) continue;
    do --kept;
    while (kept > i && is_gone(kept));
    if (kept > i) copy_particle(for_each_field, kept, i);
  }
  if (kept == static_cast<std::size_t>(count)) return;
  for_each_field([&](auto&& field) { Access<decltype(field)>::resize(field, kept); });
}

}  // namespace eddyline::integrate
