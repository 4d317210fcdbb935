#pragma once
// Reductions in loops on a device: maxima and whole numbers only, which do not depend on the order of threads.

#include <cstdint>

#include "base/host_device.hpp"

namespace eddyline::device {

template <class Bits>
EDDYLINE_HOST_DEVICE inline void raise_bits(Bits* most, Bits value) {
#ifdef __CUDA_ARCH__
  if (value > *static_cast<volatile Bits*>(most)) atomicMax(most, value);
#else
  Bits now = __atomic_load_n(most, __ATOMIC_RELAXED);
  while (value > now && !__atomic_compare_exchange_n(most, &now, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

/// Raises `most`, which holds the bits of a number that is not negative, to a value; a NaN is ignored. Numbers that are
/// not negative have the order of their bits.
EDDYLINE_HOST_DEVICE inline void raise(unsigned long long* most, double value) {
  if (value > 0) raise_bits(most, __builtin_bit_cast(unsigned long long, value));
}
EDDYLINE_HOST_DEVICE inline void raise(unsigned int* most, float value) {
  if (value > 0) raise_bits(most, __builtin_bit_cast(unsigned int, value));
}

/// Adds 1 to a counter and returns its value before.
template <class Number>
EDDYLINE_HOST_DEVICE inline Number take_number(Number* next) {
#ifdef __CUDA_ARCH__
  return atomicAdd(next, Number(1));
#else
  return __atomic_fetch_add(next, Number(1), __ATOMIC_RELAXED);
#endif
}

}  // namespace eddyline::device
