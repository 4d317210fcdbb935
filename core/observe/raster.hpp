#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "solver/sampler.hpp"

namespace eddyline::observe {

/// Number of a quantity of the sampler, by its name. Throws UserError if it has no such quantity.
std::int32_t quantity_of(const solver::Sampler& sampler, std::string_view name);

/// Expands a raster to all pixels; those without a value get `none`.
void spread(const solver::Raster& raster, float none, std::span<float> pixels);

}  // namespace eddyline::observe
