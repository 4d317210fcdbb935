#include "base/memory.hpp"

#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace eddyline {

std::byte* allocate(std::size_t bytes) {
  constexpr std::size_t k_cache_line = 64;
  const std::size_t alignment = bytes < k_huge_page ? k_cache_line : k_huge_page;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  // Only whole huge pages, so that the end of an array takes no more than it needs. The system may refuse; that is
  // harmless.
  if (bytes >= k_huge_page) madvise(memory, bytes / k_huge_page * k_huge_page, MADV_HUGEPAGE);
#endif
  return static_cast<std::byte*>(memory);
}

void release(std::byte* memory) { std::free(memory); }

}  // namespace eddyline
