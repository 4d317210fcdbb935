#pragma once
// The device path in loops on the processor: what tests compare with the host's own path. Included by emulated_*.cpp.

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <unordered_map>

#include "base/memory.hpp"
#include "base/parallel_for.hpp"
#include "device/failures.hpp"

namespace eddyline::device {

/// The number in an environment variable; 0: none.
inline std::size_t number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

/// Memory of the processor, and loops over it. Tests give it little memory, and let it fail: with
/// EDDYLINE_EMULATED_MEMORY it has so many bytes, with EDDYLINE_EMULATED_LAUNCHES it fails after so many loops.
class Emulated {
 public:
  static std::string name() { return "emulated"; }
  std::size_t free_bytes() const { return all_ == 0 ? 0 : all_ - used_; }
  std::int64_t launches() const { return launches_; }
  void* allocate(std::size_t bytes) {
    if (all_ > 0 && bytes > all_ - used_) throw_out_of_memory("the emulated device", all_ - used_, all_, bytes);
    void* memory = eddyline::allocate(bytes);
    sizes_[memory] = bytes, used_ += bytes;
    return memory;
  }
  void release(void* memory) {
    const auto found = sizes_.find(memory);
    used_ -= found->second;
    sizes_.erase(found);
    eddyline::release(static_cast<std::byte*>(memory));
  }
  static void upload(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) const {
    check();
    std::memcpy(to, from, bytes);
  }
  static void copy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  static void clear(void* to, std::size_t bytes) { std::memset(to, 0, bytes); }
  template <class Loop>
  void for_each(std::int64_t count, const Loop& loop) {
    if (count <= 0) return;
    ++launches_;
    check();
    constexpr std::int64_t k_block = 256;
    parallel_for(count, k_block, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) loop(i);
    });
  }
  template <class X>
  void scan(const X* from, X* to, std::int64_t count) {
    ++launches_;
    std::exclusive_scan(from, from + count, to, X(0));
  }

 private:
  void check() const {
    if (fails_after_ > 0 && launches_ > fails_after_) throw_failed("the emulated device", "loop", "as a test asks");
  }

  std::size_t all_ = number_in("EDDYLINE_EMULATED_MEMORY"), used_ = 0;
  std::int64_t fails_after_ = static_cast<std::int64_t>(number_in("EDDYLINE_EMULATED_LAUNCHES"));
  std::int64_t launches_ = 0;
  std::unordered_map<void*, std::size_t> sizes_;
};

}  // namespace eddyline::device
