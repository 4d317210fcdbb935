#pragma once
// Allocation of memory for arrays.

#include <cstddef>

namespace eddyline {

/// Size of a huge page [bytes].
inline constexpr std::size_t k_huge_page = std::size_t{2} << 20;

/// Allocates memory that begins at a cache line. Blocks larger than a huge page ask the system for huge pages, which
/// reduce page-table look-ups when rows are gathered from all over the block. Throws std::bad_alloc.
std::byte* allocate(std::size_t bytes);
void release(std::byte* memory);

}  // namespace eddyline
