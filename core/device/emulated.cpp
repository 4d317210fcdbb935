// The device path in loops on the processor: what tests compare with the host's own path.

#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>

#include "base/memory.hpp"
#include "base/parallel_for.hpp"
#include "device/delta_on.hpp"

namespace eddyline::device {

namespace {

/// Memory of the processor, and loops over it.
struct Emulated {
  static std::string name() { return "emulated"; }
  static std::size_t free_bytes() { return 0; }
  std::int64_t launches() const { return launches_; }
  static void* allocate(std::size_t bytes) { return eddyline::allocate(bytes); }
  static void release(void* memory) { eddyline::release(static_cast<std::byte*>(memory)); }
  static void upload(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  static void download(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  static void copy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  static void clear(void* to, std::size_t bytes) { std::memset(to, 0, bytes); }
  template <class Loop>
  void for_each(std::int64_t count, const Loop& loop) {
    if (count <= 0) return;
    ++launches_;
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
  std::int64_t launches_ = 0;
};

}  // namespace

template <class T, int D>
std::unique_ptr<Delta<T, D>> make_emulated() {
  return std::make_unique<DeltaOn<Emulated, T, D>>(Emulated{});
}

template std::unique_ptr<Delta<float, 2>> make_emulated();
template std::unique_ptr<Delta<float, 3>> make_emulated();
template std::unique_ptr<Delta<double, 2>> make_emulated();
template std::unique_ptr<Delta<double, 3>> make_emulated();

}  // namespace eddyline::device
