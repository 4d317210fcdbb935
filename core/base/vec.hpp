#pragma once
// Small fixed-size vectors of double for set-up, geometry and observers. Pair loops use packs instead (pack.hpp).

#include <array>
#include <cmath>
#include <cstdint>

#include "base/host_device.hpp"

namespace eddyline {

/// A point or vector in SI units. Worlds in two dimensions leave z at 0.
struct Vec3 {
  double x = 0, y = 0, z = 0;

  EDDYLINE_HOST_DEVICE double& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
  EDDYLINE_HOST_DEVICE double operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  bool operator==(const Vec3&) const = default;
};

EDDYLINE_HOST_DEVICE inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
EDDYLINE_HOST_DEVICE inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
EDDYLINE_HOST_DEVICE inline Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
EDDYLINE_HOST_DEVICE inline Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
EDDYLINE_HOST_DEVICE inline Vec3 operator*(Vec3 a, double s) { return s * a; }
EDDYLINE_HOST_DEVICE inline Vec3 operator/(Vec3 a, double s) { return {a.x / s, a.y / s, a.z / s}; }
EDDYLINE_HOST_DEVICE inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
EDDYLINE_HOST_DEVICE inline Vec3 cross_product(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
EDDYLINE_HOST_DEVICE inline double norm(Vec3 a) { return std::sqrt(dot(a, a)); }

/// Integer triple: cell coordinates, cell counts, shifts in quanta.
using Int3 = std::array<std::int32_t, 3>;

}  // namespace eddyline
