#pragma once
// Surfaces as bytes, see docs/surfaces.md: a header, signs, and residuals of predicted cuts and colours. A reader of
// these bytes gets exactly the surface that was written.

#include <cstddef>
#include <span>
#include <vector>

#include "observe/isosurface/surface.hpp"

namespace eddyline::observe {

/// Size of the header; what follows is meant to be deflated.
inline constexpr std::size_t k_surface_header = 128;

/// Crops the lattice to the surface and encodes it. Throws UserError if a point at the border of the lattice is inside.
std::vector<std::byte> encode(const Surface& surface);
/// Throws UserError if the bytes are not those of a surface.
Surface decode(std::span<const std::byte> bytes);
/// Size of the bytes that follow a header, not deflated. Throws UserError if it is not the header of a surface.
std::size_t body_size(std::span<const std::byte> header);

}  // namespace eddyline::observe
