// The scheme delta on the emulated device.

#include "device/delta_on.hpp"
#include "device/emulated.hpp"

namespace eddyline::device {

template <>
std::unique_ptr<Delta<float, 2>> make_emulated<Delta, float, 2>() {
  return std::make_unique<DeltaOn<Emulated, float, 2>>(Emulated{});
}
template <>
std::unique_ptr<Delta<float, 3>> make_emulated<Delta, float, 3>() {
  return std::make_unique<DeltaOn<Emulated, float, 3>>(Emulated{});
}
template <>
std::unique_ptr<Delta<double, 2>> make_emulated<Delta, double, 2>() {
  return std::make_unique<DeltaOn<Emulated, double, 2>>(Emulated{});
}
template <>
std::unique_ptr<Delta<double, 3>> make_emulated<Delta, double, 3>() {
  return std::make_unique<DeltaOn<Emulated, double, 3>>(Emulated{});
}

}  // namespace eddyline::device
