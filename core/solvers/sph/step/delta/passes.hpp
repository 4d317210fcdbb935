#pragma once

namespace eddyline::sph {

/// The number of passes over pairs after which a loop of the scheme delta runs, see DeferredExchange: after the rates,
/// after the walls. Forces are the last pass.
inline constexpr int k_rates = 1, k_walls = 2;

}  // namespace eddyline::sph
