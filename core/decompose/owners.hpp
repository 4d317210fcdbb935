#pragma once
// Owners of boxes of cells.

#include <cstdint>
#include <span>
#include <vector>

#include "base/vec.hpp"

namespace eddyline::decompose {

/// Order of places along a space-filling curve (Morton's): the numbers of the places, first to last. Coordinates are at
/// least 0 and below 2^21.
std::vector<std::int32_t> along_curve(std::span<const Int3> places);

/// Rank of each member of a sequence: consecutive members have the same rank or the next one, so that the weights of
/// ranks are as even as single members allow. `weights` in the order of the sequence; all positive. With at least as
/// many members as ranks every rank has one.
std::vector<std::int32_t> even_shares(std::span<const std::int64_t> weights, int ranks);

}  // namespace eddyline::decompose
