// Time and bytes of isosurfaces of 128^3 values, on one thread; `python benchmarks/surfaces.py` completes the table.
//
//   cmake -S . -B build/benchmarks -DEDDYLINE_TESTS=ON -DEDDYLINE_PYTHON=OFF
//   cmake --build build/benchmarks --target benchmark_surfaces && build/benchmarks/benchmark_surfaces [FOLDER]
//
// With a folder it writes the values (NAME.f32) and the bytes of the surfaces, not deflated (NAME.surface).
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "observe/isosurface/codec.hpp"
#include "observe/isosurface/cuts.hpp"
#include "observe/isosurface/mesh.hpp"

using namespace eddyline;
using namespace eddyline::observe;

namespace {

constexpr int k_points = 128, k_repetitions = 9;

double core_milliseconds() {
  std::timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// Random numbers from -1 to 1 at whole places, interpolated smoothly.
double noise(double x, double y, double z) {
  const auto at = [](int i, int j, int k) {
    std::uint32_t h = static_cast<std::uint32_t>(i) * 73856093U ^ static_cast<std::uint32_t>(j) * 19349663U ^
                      static_cast<std::uint32_t>(k) * 83492791U;
    h ^= h >> 16, h *= 0x7feb352dU, h ^= h >> 15, h *= 0x846ca68bU, h ^= h >> 16;
    return h * 0x1p-31 - 1;
  };
  const int i = static_cast<int>(x), j = static_cast<int>(y), k = static_cast<int>(z);
  const auto part = [](double t) { return t * t * (3 - 2 * t); };
  const double a = part(x - i), b = part(y - j), c = part(z - k);
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const int p = corner & 1, q = corner >> 1 & 1, r = corner >> 2;
    sum += at(i + p, j + q, k + r) * (p ? a : 1 - a) * (q ? b : 1 - b) * (r ? c : 1 - c);
  }
  return sum;
}

double value(const std::string& field, double x, double y, double z) {  // of places from 0 to 1
  constexpr double k_turn = 6.283185307179586;
  if (field == "sphere") return 0.4 - std::hypot(x - 0.5, y - 0.5, z - 0.5);
  if (field == "waves")
    return std::sin(4.13 * k_turn * x) * std::cos(3.71 * k_turn * y) +
           std::sin(4.41 * k_turn * y) * std::cos(3.17 * k_turn * z) +
           std::sin(3.83 * k_turn * z) * std::cos(4.57 * k_turn * x) +
           0.3 * std::sin(k_turn * (6.3 * x + 3.1 * y - 4.7 * z)) - 0.1;
  const double n = k_points;
  return noise(x * n / 8, y * n / 8, z * n / 8) + 0.5 * noise(x * n / 4 + 7, y * n / 4, z * n / 4) - 0.2;
}

std::vector<float> values_of(const std::string& field) {
  std::vector<float> values;
  for (int z = 0; z < k_points; ++z)
    for (int y = 0; y < k_points; ++y)
      for (int x = 0; x < k_points; ++x) {
        const bool outside = std::min({x, y, z}) == 0 || std::max({x, y, z}) == k_points - 1;
        const double n = k_points;
        values.push_back(outside ? -1.0F : static_cast<float>(value(field, x / n, y / n, z / n)));
      }
  return values;
}

void write(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

int main(int argc, char** argv) {
  omp_set_num_threads(1);
  constexpr Int3 k_count{k_points, k_points, k_points};
  for (const std::string field : {"sphere", "waves", "noise"}) {
    const std::vector<float> values = values_of(field);
    double cut = INFINITY, encoded = INFINITY, decoded = INFINITY, triangles = INFINITY;
    std::vector<std::byte> bytes;
    std::size_t count = 0;
    for (int k = 0; k < k_repetitions; ++k) {
      const double start = core_milliseconds();
      SurfaceLayers part = cut_layers(k_count, k_points, values, {}, 0);
      cut = std::min(cut, core_milliseconds() - start);
      Surface surface;
      surface.signs = Signs(k_count);
      std::ranges::copy(part.signs, surface.signs.bits().begin());
      surface.cuts = std::move(part.cuts);
      surface.spacing = {1, 1, 1};
      const double before = core_milliseconds();
      bytes = encode(surface);
      const double between = core_milliseconds();
      const Surface read = decode(bytes);
      const double after = core_milliseconds();
      count = mesh_of(read).triangles.size();
      triangles = std::min(triangles, core_milliseconds() - after);
      encoded = std::min(encoded, between - before), decoded = std::min(decoded, after - between);
    }
    std::printf("%s %zu %.2f %.2f %.2f %.2f\n", field.c_str(), count, cut, encoded, decoded, triangles);
    if (argc < 2) continue;
    write(std::string(argv[1]) + "/" + field + ".f32", std::as_bytes(std::span(values)));
    write(std::string(argv[1]) + "/" + field + ".surface", bytes);
  }
}
