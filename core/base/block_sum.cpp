#include "base/block_sum.hpp"

#include "base/block_kernel.hpp"
#include "base/lanes.hpp"

namespace eddyline {

void BlockSum::add(ReproducibleSum& sum, Numbers& value, std::size_t count) {
  using Kernel = BlockKernel<Pack4d>;
  const double magnitude = Kernel::copy(value.data(), count, value.data());
  add(Kernel(), sum, value.data(), count, magnitude);
}

}  // namespace eddyline
