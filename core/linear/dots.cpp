#include "linear/dots.hpp"

#include <omp.h>

#include <algorithm>
#include <stdexcept>

#include "base/block_sum.hpp"
#include "base/instructions.hpp"
#include "base/parallel_for.hpp"

namespace eddyline::linear {

namespace {

const double* in_double(const double* numbers, std::size_t, double*) { return numbers; }
const double* in_double(const float* numbers, std::size_t count, double* memory) {
  std::copy_n(numbers, count, memory);
  return memory;
}

}  // namespace

BlockKernels block_kernels(const std::string& instructions) {
  const std::string chosen = choose_instructions(instructions);
#ifdef EDDYLINE_HAS_AVX2
  if (chosen == "avx2") return block_kernels_avx2();
#endif
#ifdef EDDYLINE_HAS_AVX512
  if (chosen == "avx512") return block_kernels_avx512();
#endif
  return block_kernels_scalar();
}

Dots::Dots(comm::Communicator& communicator, const std::string& instructions)
    : communicator_(communicator), reduction_(communicator), kernels_(block_kernels(instructions)) {}

void Dots::begin(std::span<const DotTerm> terms, std::size_t n) { begin_with(terms, n); }

std::span<const double> Dots::of(std::span<const DotTermOf<float>> terms, std::size_t n) {
  begin_with(terms, n);
  return end();
}

template <class T>
void Dots::begin_with(std::span<const DotTermOf<T>> terms, std::size_t n) {
  if (terms.size() > k_most)
    throw std::logic_error("one reduction carries " + std::to_string(k_most) + " dot products at most, not " +
                           std::to_string(terms.size()));
  count_ = terms.size();
  add_local(terms, n);
  if (communicator_.is_alone()) return;
  packed_.clear();
  for (std::size_t k = 0; k < count_; ++k) {
    const auto packed = sums_[k].pack();
    packed_.insert(packed_.end(), packed.begin(), packed.end());
  }
  reduction_.begin_sum(packed_);
}

std::span<const double> Dots::end() {
  if (!communicator_.is_alone()) {
    reduction_.wait("dot products");
    ReproducibleSum::Packed packed;
    for (std::size_t k = 0; k < count_; ++k) {
      std::copy_n(packed_.begin() + static_cast<std::ptrdiff_t>(k * packed.size()), packed.size(), packed.begin());
      sums_[k] = ReproducibleSum::unpack(packed);
    }
  }
  for (std::size_t k = 0; k < count_; ++k) values_[k] = sums_[k].value();
  return {values_.data(), count_};
}

template <class T>
void Dots::add_local(std::span<const DotTermOf<T>> terms, std::size_t n) {
  constexpr double k_seconds_a_block = 1e-7;
  const auto blocks = static_cast<std::int64_t>((n + BlockSum::k_most - 1) / BlockSum::k_most);
  std::fill_n(sums_.begin(), count_, ReproducibleSum());
  if (omp_get_max_threads() == 1 || !pays_in_parallel(blocks, k_seconds_a_block)) {
    for (std::int64_t b = 0; b < blocks; ++b) add_block(terms, n, b, sums_);
    return;
  }
#pragma omp parallel
  {
    Sums own;
#pragma omp for schedule(static)
    for (std::int64_t b = 0; b < blocks; ++b) add_block(terms, n, b, own);
#pragma omp critical
    for (std::size_t k = 0; k < count_; ++k) sums_[k].merge(own[k]);
  }
}

template <class T>
void Dots::add_block(std::span<const DotTermOf<T>> terms, std::size_t n, std::int64_t number, Sums& sums) const {
  const std::size_t first = static_cast<std::size_t>(number) * BlockSum::k_most;
  const std::size_t size = std::min(BlockSum::k_most, n - first);
  alignas(64) BlockSum::Numbers block;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto [a, b] = terms[k];
    BlockSum::Numbers memory_a, memory_b;
    const double* first_a = in_double(a + first, size, memory_a.data());
    const double magnitude =
        b == nullptr ? kernels_.copy(first_a, size, block.data())
                     : kernels_.multiply(first_a, a == b ? first_a : in_double(b + first, size, memory_b.data()), size,
                                         block.data());
    BlockSum::add(kernels_, sums[k], block.data(), size, magnitude);
  }
}

}  // namespace eddyline::linear
