#pragma once
// Memory for arrays.

#include <cstddef>

namespace eddyline {

/// Memory of a huge page [bytes].
inline constexpr std::size_t k_huge_page = std::size_t{2} << 20;

/// Memory that begins at a cache line. Of what is larger than a huge page, the system is asked for huge pages: gathers
/// of rows all over it need the page tables less. Throws std::bad_alloc.
std::byte* allocate(std::size_t bytes);
void release(std::byte* memory);

}  // namespace eddyline
