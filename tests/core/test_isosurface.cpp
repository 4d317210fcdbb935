// Surfaces of lattices: closed, of the right size, the same for any division of the lattice, and exact after decoding.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "comm/single_process.hpp"
#include "harness.hpp"
#include "observe/isosurface/codec.hpp"
#include "observe/isosurface/corner_rule.hpp"
#include "observe/isosurface/cuts.hpp"
#include "observe/isosurface/isosurface.hpp"
#include "observe/isosurface/mesh.hpp"

using namespace eddyline;
using namespace eddyline::observe;

namespace {

constexpr float k_none = std::numeric_limits<float>::quiet_NaN();

/// A lattice on the unit cube: n points along each axis, of which the outermost have no value.
struct Field {
  int n;
  std::vector<float> values;

  template <class Value>
  Field(int points, Value&& value) : n(points), values(static_cast<std::size_t>(points) * points * points, k_none) {
    for (int z = 1; z < n - 1; ++z)
      for (int y = 1; y < n - 1; ++y)
        for (int x = 1; x < n - 1; ++x)
          values[static_cast<std::size_t>((z * n + y) * n + x)] = static_cast<float>(value(at(x), at(y), at(z)));
  }
  double spacing() const { return 1.0 / (n - 1); }
  double at(int k) const { return k * spacing(); }
  Int3 count(int layers) const { return {n, n, layers}; }
  std::span<const float> layers(int first, int last) const {
    const auto layer = static_cast<std::size_t>(n * n);
    return std::span(values).subspan(static_cast<std::size_t>(first) * layer,
                                     static_cast<std::size_t>(last - first) * layer);
  }
};

Field sphere(int n, double radius) {
  return Field(n, [=](double x, double y, double z) { return radius - std::hypot(x - 0.5, y - 0.5, z - 0.5); });
}
Field torus(int n) {
  return Field(
      n, [](double x, double y, double z) { return 0.1 - std::hypot(std::hypot(x - 0.5, y - 0.5) - 0.3, z - 0.5); });
}
double random_of(std::uint32_t k) {
  k ^= k >> 16, k *= 0x7feb352dU, k ^= k >> 15, k *= 0x846ca68bU, k ^= k >> 16;
  return k * 0x1p-32;
}
Field noise(int n) {
  std::uint32_t k = 0;
  return Field(n, [&](double, double, double) { return random_of(++k); });
}
/// Noise in whose midst many points have no value.
Field holes(int n) {
  std::uint32_t k = 0;
  return Field(n, [&](double x, double, double) {
    const double value = random_of(++k);
    return value < 0.3 + 0.2 * x ? static_cast<double>(k_none) : value;
  });
}
Field waves(int n) {
  return Field(n, [](double x, double y, double z) {
    return 0.5 + 0.2 * (std::sin(26 * x) * std::cos(23 * y) + std::sin(28 * y) * std::cos(20 * z) +
                        std::sin(24 * z) * std::cos(29 * x));
  });
}

/// The surface at a level, from layers cut at `cuts` and put together. Colours: the values of another field.
Surface surface_of(const Field& field, float level, const std::vector<int>& cuts = {}, const Field* colours = nullptr) {
  Surface surface;
  surface.signs = Signs(field.count(field.n));
  surface.spacing = {field.spacing(), field.spacing(), field.spacing()};
  surface.level = level, surface.time = 0.25, surface.colour_high = 1;
  std::size_t word = 0;
  std::vector<int> ends = cuts;
  ends.push_back(field.n);
  int first = 0;
  for (const int last : ends) {
    const int with_next = std::min(last + 1, field.n);
    const SurfaceLayers part =
        cut_layers(field.count(with_next - first), last - first, field.layers(first, with_next),
                   colours ? colours->layers(first, with_next) : std::span<const float>{}, level);
    for (const std::uint64_t bits : part.signs) surface.signs.bits()[word++] = bits;
    surface.cuts.insert(surface.cuts.end(), part.cuts.begin(), part.cuts.end());
    for (const float colour : part.colours)
      surface.colours.push_back(static_cast<std::uint8_t>(std::isfinite(colour) ? 255 * colour : 0));
    first = last;
  }
  return surface;
}

/// Each edge of a triangle belongs to one other triangle, which passes it the other way round, and no triangle is flat.
bool is_closed(const Mesh& mesh) {
  std::vector<std::uint64_t> ways, back;
  for (const auto& corners : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint64_t a = corners[k], b = corners[(k + 1) % 3];
      if (a == b) return false;
      ways.push_back(a << 32 | b), back.push_back(b << 32 | a);
    }
  std::ranges::sort(ways), std::ranges::sort(back);
  return ways == back && std::ranges::adjacent_find(ways) == ways.end();
}

double smallest_area(const Mesh& mesh) {
  double smallest = 1;
  for (const auto& [a, b, c] : mesh.triangles)
    smallest = std::min(
        smallest, 0.5 * norm(cross_product(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a])));
  return smallest;
}

std::int64_t euler_number(const Mesh& mesh) {
  return static_cast<std::int64_t>(mesh.vertices.size()) - static_cast<std::int64_t>(mesh.triangles.size() * 3 / 2) +
         static_cast<std::int64_t>(mesh.triangles.size());
}

double volume(const Mesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += dot(mesh.vertices[a], cross_product(mesh.vertices[b], mesh.vertices[c])) / 6;
  return sum;
}

struct Case {
  const char* name;
  Field field;
  float level;
};
std::vector<Case> cases() {
  return {{"sphere", sphere(37, 0.4), 0},
          {"torus", torus(41), 0},
          {"waves", waves(70), 0.5F},
          {"noise", noise(30), 0.5F},
          {"noise, most of it inside", noise(30), 0.2F},
          {"holes", holes(29), 0.5F}};
}

/// A solver's fluid: a ball that turns about the z axis. It knows rasters only.
class TurningBall final : public solver::Sampler {
 public:
  static constexpr double k_spin = 3, k_radius = 0.3;

  std::span<const solver::Column> quantities() const override {
    static const std::vector<solver::Column> columns{
        {"cover", "1"}, {"velocity_x", "m/s"}, {"velocity_y", "m/s"}, {"velocity_z", "m/s"}};
    return columns;
  }
  std::vector<solver::Raster> rasters(std::span<const std::int32_t> wanted, const solver::Plane& plane) override {
    std::vector<solver::Raster> drawn;
    for (const std::int32_t quantity : wanted) {
      solver::Raster raster{std::vector<std::uint8_t>((plane.pixels() + 7) / 8), {}};
      std::size_t pixel = 0;
      for (std::int32_t row = 0; row < plane.rows; ++row)
        for (std::int32_t column = 0; column < plane.columns; ++column, ++pixel) {
          const Vec3 x = plane.centre(column, row) - Vec3{0.5, 0.5, 0.5};
          const double cover = 0.5 + 5 * (k_radius - norm(x));
          if (quantity > 0 && cover < 0.5) continue;
          raster.known[pixel / 8] |= static_cast<std::uint8_t>(0x80U >> (pixel % 8));
          const double values[] = {cover, -k_spin * x.y, k_spin * x.x, 0};
          raster.values.push_back(static_cast<float>(values[quantity]));
        }
      drawn.push_back(std::move(raster));
    }
    return drawn;
  }
  std::span<const solver::Column> probe_columns() const override { return {}; }
  std::vector<double> at(std::span<const Vec3>) override { return {}; }
  double height(Vec3, int) override { return 0; }
  double front(int) override { return 0; }
};

}  // namespace

TEST(all_surfaces_are_closed) {
  for (const Case& c : cases()) {
    const Mesh mesh = mesh_of(surface_of(c.field, c.level));
    CHECK(mesh.triangles.size() > 1000);
    CHECK(is_closed(mesh));
    CHECK(smallest_area(mesh) > 0);
  }
}

TEST(spheres_and_tori_have_their_euler_numbers) {
  CHECK(euler_number(mesh_of(surface_of(sphere(37, 0.4), 0))) == 2);
  CHECK(euler_number(mesh_of(surface_of(torus(41), 0))) == 0);
}

TEST(the_volume_of_a_sphere_is_right) {
  const double exact = 4.0 / 3 * 3.141592653589793 * 0.4 * 0.4 * 0.4;
  const double coarse = volume(mesh_of(surface_of(sphere(33, 0.4), 0))) / exact - 1;
  const double fine = volume(mesh_of(surface_of(sphere(65, 0.4), 0))) / exact - 1;
  CHECK(std::abs(coarse) < 4e-3);
  CHECK(std::abs(fine) < 1e-3);
  CHECK(std::abs(fine) < std::abs(coarse) / 3);  // second order
}

TEST(surfaces_do_not_depend_on_how_the_lattice_is_divided) {
  for (const Case& c : cases()) {
    const Field colours = waves(c.field.n);
    const auto whole = encode(surface_of(c.field, c.level, {}, &colours));
    std::vector<int> each;  // layers one point thick
    for (int z = 1; z < c.field.n; ++z) each.push_back(z);
    CHECK(encode(surface_of(c.field, c.level, each, &colours)) == whole);
    CHECK(encode(surface_of(c.field, c.level, {1, c.field.n / 2, c.field.n / 2 + 1, c.field.n - 1}, &colours)) ==
          whole);
    CHECK(encode(surface_of(c.field, c.level, {0, 7, 7}, &colours)) == whole);  // some of them empty
  }
}

TEST(decoding_gives_back_the_surface) {
  for (const Case& c : cases()) {
    const Field colours = noise(c.field.n);
    const Surface surface = surface_of(c.field, c.level, {}, &colours);
    const auto bytes = encode(surface);
    CHECK(bytes.size() == k_surface_header + body_size(bytes));
    const Surface decoded = decode(bytes);
    CHECK(decoded.cuts == surface.cuts);
    CHECK(decoded.colours == surface.colours);
    CHECK(decoded.level == surface.level && decoded.time == surface.time);
    const Mesh before = mesh_of(surface), after = mesh_of(decoded);
    CHECK(before.triangles == after.triangles);
    double apart = 0;  // the origin of the cropped lattice is rounded
    for (std::size_t k = 0; k < before.vertices.size(); ++k)
      apart = std::max(apart, norm(before.vertices[k] - after.vertices[k]));
    CHECK(apart < 1e-15);
    CHECK(encode(decoded) == bytes);
  }
}

TEST(cuts_are_predicted) {
  // An eighth of all residuals would be below 16 if nothing were known.
  const auto bytes = encode(surface_of(sphere(65, 0.4), 0));
  const Surface decoded = decode(bytes);
  std::size_t small = 0;
  for (std::size_t k = bytes.size() - decoded.vertices(); k < bytes.size(); ++k) small += bytes[k] < std::byte{32};
  CHECK(static_cast<double>(small) > 0.5 * static_cast<double>(decoded.vertices()));
}

TEST(a_cut_without_a_value_lies_in_the_middle) {
  CHECK(cut_code(1, k_none, 0.5F) == k_middle);
  CHECK(cut_code(k_none, 1, 0.5F) == k_middle);
  CHECK(cut_code(1, -std::numeric_limits<float>::infinity(), 0.5F) == k_middle);
  CHECK(cut_code(0, 1, 0.25F) == 64);
  CHECK(cut_code(1, 0, 0.25F) == 192);
  CHECK(cut_code(0, 1e-30F, 1e-30F) == 255);
}

TEST(an_empty_surface_has_no_bytes_but_its_header) {
  const Surface none = surface_of(sphere(20, 0.3), 1);
  const auto bytes = encode(none);
  CHECK(bytes.size() == k_surface_header);
  CHECK(mesh_of(decode(bytes)).triangles.empty());
}

TEST(bytes_that_are_no_surface_are_refused) {
  const auto bytes = encode(surface_of(torus(25), 0));
  CHECK_THROWS(decode(std::span(bytes).first(100)), "100 bytes");
  CHECK_THROWS(decode(std::span(bytes).first(bytes.size() - 1)), "its header says");
  auto other = bytes;
  other[0] = std::byte{'X'};
  CHECK_THROWS(decode(other), "EISO");
  other = bytes, other[4] = std::byte{7};
  CHECK_THROWS(decode(other), "format 7");
  other = bytes, other[k_surface_header] = std::byte{255};
  CHECK_THROWS(decode(other), "border");
  other = bytes, other[120] ^= std::byte{1};  // of the number of vertices, which is even
  other.push_back(std::byte{0});
  CHECK_THROWS(decode(other), "number of vertices");
  other = bytes, other[31] = std::byte{0x7f};
  CHECK_THROWS(decode(other), "points along an axis");
}

TEST(a_surface_that_is_not_closed_is_refused) {
  Surface open = surface_of(sphere(20, 0.3), 0);
  open.signs.bits()[5] |= 1;
  CHECK_THROWS(encode(open), "border");
}

TEST(rasters_are_enough_for_surfaces) {
  TurningBall ball;
  world::World world;
  world.dimensions = 3, world.size = {1, 1, 1}, world.spacing = 1.0 / 32;
  const auto alone = comm::single_process();
  const auto quantity = [&](const char* text) {
    const QuantityText made(text);
    check_quantity(ball, world, made);
    return made;
  };
  CHECK(surface_quantities(ball, world).size() == 7);
  SurfaceRequest request{.quantity = quantity("fluid"), .colour = quantity("vorticity"), .level = 0.5};
  const Surface fluid = decode(isosurface(ball, nullptr, world, *alone, 0, request).bytes);
  const double exact = 4.0 / 3 * 3.141592653589793 * 0.3 * 0.3 * 0.3;
  CHECK(is_closed(mesh_of(fluid)));
  CHECK_NEAR(volume(mesh_of(fluid)), exact, 0.01 * exact);
  // Differences are exact for a uniform rotation, one-sided ones too; points beyond the ball get their neighbours'
  // value.
  CHECK_NEAR(fluid.colour_low, 2 * TurningBall::k_spin, 1e-4);
  CHECK_NEAR(fluid.colour_high, 2 * TurningBall::k_spin, 1e-4);

  request = {.quantity = quantity("q"), .level = 5, .bins = 4};
  const Isosurface q = isosurface(ball, nullptr, world, *alone, 0, request);
  CHECK_NEAR(q.histogram.low, TurningBall::k_spin * TurningBall::k_spin, 1e-3);
  CHECK_NEAR(q.histogram.high, TurningBall::k_spin * TurningBall::k_spin, 1e-3);
  std::int64_t inside = 0;
  for (const std::int64_t count : q.histogram.counts) inside += count;
  CHECK_NEAR(static_cast<double>(inside) / (32 * 32 * 32), exact, 0.02 * exact);
  CHECK(is_closed(mesh_of(decode(q.bytes))));

  request = {.quantity = quantity("velocity_x"), .level = 0.2, .resolution = 0.5, .stride = 2};
  const Mesh cap = mesh_of(decode(isosurface(ball, nullptr, world, *alone, 0, request).bytes));
  CHECK(is_closed(cap));
  CHECK(volume(cap) > 0 && volume(cap) < 0.5 * exact);  // where -w y > 0.2

  // A formula: its parts may be quantities of any kind, and a point needs all of them.
  request = {.quantity = quantity("sqrt(velocity_x^2 + velocity_y^2) - 0.5*vorticity*0.2 + strain"), .level = 0};
  const Mesh ring = mesh_of(decode(isosurface(ball, nullptr, world, *alone, 0, request).bytes));
  CHECK(is_closed(ring));
  const double height = std::sqrt(0.3 * 0.3 - 0.2 * 0.2);  // the ball without its part closer to the axis than 0.2
  CHECK_NEAR(volume(ring), 4.0 / 3 * 3.141592653589793 * height * height * height, 0.06 * exact);
  CHECK_THROWS(quantity("cover"), "must be one of fluid, velocity_x");
  CHECK_THROWS(quantity("2 * speed"), "unknown name `speed`");
  CHECK_THROWS(quantity("2 + 3"), "name a quantity in it");
  CHECK_THROWS(quantity(std::string(600, 'x').c_str()), "at most 511");
  world.dimensions = 2;
  CHECK_THROWS(quantity("fluid"), "two dimensions");
}
