// The scheme classic on the emulated device.

#include "device/classic_on.hpp"
#include "device/emulated.hpp"

namespace eddyline::device {

template <>
std::unique_ptr<Classic<float, 2>> make_emulated<Classic, float, 2>() {
  return std::make_unique<ClassicOn<Emulated, float, 2>>(Emulated{});
}
template <>
std::unique_ptr<Classic<float, 3>> make_emulated<Classic, float, 3>() {
  return std::make_unique<ClassicOn<Emulated, float, 3>>(Emulated{});
}
template <>
std::unique_ptr<Classic<double, 2>> make_emulated<Classic, double, 2>() {
  return std::make_unique<ClassicOn<Emulated, double, 2>>(Emulated{});
}
template <>
std::unique_ptr<Classic<double, 3>> make_emulated<Classic, double, 3>() {
  return std::make_unique<ClassicOn<Emulated, double, 3>>(Emulated{});
}

}  // namespace eddyline::device
