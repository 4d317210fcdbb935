#pragma once

#include <cstdint>

namespace eddyline::particles {

/// A particle's 64-bit identity (the law, rule 1): its source, its site, and the number of particles that the site
/// made before. It is the same on any number of boxes, threads and ranks. Bits: source 11, site 36, count 16; the sign
/// bit stays clear.
constexpr std::int64_t make_id(std::int64_t source, std::int64_t site, std::int64_t count = 0) {
  return (source << 52) | (site << 16) | count;
}

/// Sources of the start.
inline constexpr std::int64_t k_source_lattice = 0;   // fluid on the start lattice
inline constexpr std::int64_t k_source_fitted = 1;    // fluid that follows the surface of a body
inline constexpr std::int64_t k_source_side = 2;      // dummy particles of the domain's sides
inline constexpr std::int64_t k_source_body = 3;      // dummy particles of bodies
inline constexpr std::int64_t k_source_opening = 16;  // plus the number of the opening: its buffer

/// An opening has fewer sites than a volume and each makes particles for as long as a run lasts: site 24 bits,
/// count 28.
constexpr std::int64_t make_opening_id(std::int64_t opening, std::int64_t site, std::int64_t count) {
  return ((k_source_opening + opening) << 52) | (site << 28) | count;
}
constexpr std::int64_t site_of_opening_id(std::int64_t id) { return (id >> 28) & 0xffffff; }

}  // namespace eddyline::particles
