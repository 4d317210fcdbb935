#include "observe/raster.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "base/errors.hpp"

namespace eddyline::observe {

std::int32_t quantity_of(const solver::Sampler& sampler, std::string_view name) {
  const auto quantities = sampler.quantities();
  const auto found = std::ranges::find(quantities, name, &solver::Column::name);
  if (found != quantities.end()) return static_cast<std::int32_t>(found - quantities.begin());
  std::string names;
  for (const auto& quantity : quantities) names += (names.empty() ? "" : ", ") + quantity.name;
  throw UserError("quantity = \"" + std::string(name) + "\"; must be one of " + names + ".");
}

void spread(const solver::Raster& raster, float none, std::span<float> pixels) {
  std::ranges::fill(pixels, none);
  std::size_t value = 0;
  for (std::size_t byte = 0; byte < raster.known.size(); ++byte)
    for (std::uint8_t left = raster.known[byte]; left != 0;) {
      const int first = std::countl_zero(left);
      pixels[8 * byte + static_cast<std::size_t>(first)] = raster.values[value++];
      left = static_cast<std::uint8_t>(left & ~(0x80U >> first));
    }
}

}  // namespace eddyline::observe
