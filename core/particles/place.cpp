#include "particles/place.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "particles/id.hpp"
#include "particles/openings.hpp"
#include "world/formula_region.hpp"

namespace eddyline::particles {

using world::PressureStart;
using world::SideKind;
using world::World;

namespace {

constexpr double k_smoothing_2d = 2.0, k_smoothing_3d = 1.5;  // h / dx
constexpr double k_smoothing_classic = 1.3;                   // the cubic spline lets more neighbours pair up
// Skins / h, where sorting, lists and sweeps together cost least in a violent flow, with the time steps of the scheme.
constexpr double k_skin_2d = 0.5, k_skin_3d = 0.4, k_skin_2d_classic = 0.55, k_skin_3d_classic = 0.3;

std::int64_t points_along(const World& world, int axis) {
  const double length = world.size[axis] / world.spacing;
  const auto sides = world.sides.begin() + 2 * axis;
  const bool open = sides[0].kind == SideKind::open || sides[1].kind == SideKind::open;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(open ? std::ceil(length - 1e-9) : std::nearbyint(length)));
}

/// Nearest body surface, negative inside a body.
double clearance(const World& world, Vec3 x) {
  double nearest = INFINITY;
  for (const auto& body : world.bodies) nearest = std::min(nearest, body.shape->signed_distance(x));
  return nearest;
}

const world::Region* region_of(const World& world, Vec3 x) {
  for (const auto& region : world.regions)
    if (region.shape->signed_distance(x) < 0) return &region;
  return nullptr;
}

/// Start pressure of the fluid at x, from its region or the world.
class StartPressure {
 public:
  explicit StartPressure(const World& world) : world_(world) {
    const double g = norm(world.gravity);
    up_ = g > 0 ? world.gravity / -g : Vec3{};
    weight_ = world.fluid.density * g;
    domain_top_ = highest(world.origin, world.origin + world.size);
    for (const auto& region : world.regions) {
      const auto [lowest, topmost] = region.shape->bounds();
      region_tops_.push_back(highest(lowest, topmost));
    }
  }

  double operator()(Vec3 x, const world::Region* region) const {
    const bool own = region != nullptr && region->pressure_start != PressureStart::zero;
    const PressureStart kind = own ? region->pressure_start : world_.start.pressure_start;
    if (kind == PressureStart::formula)
      return (own ? region->pressure : world_.start.pressure).evaluate(std::array{x.x, x.y, x.z, 0.0});
    if (kind == PressureStart::hydrostatic) {
      if (const auto* formula =
              region != nullptr ? dynamic_cast<const world::FormulaRegion*>(region->shape.get()) : nullptr)
        return weight_ > 0 ? weight_ * formula->depth(x, up_, world_.spacing) : 0;
      const double top =
          region == nullptr ? domain_top_ : region_tops_[static_cast<std::size_t>(region - world_.regions.data())];
      return weight_ * std::max(0.0, top - dot(up_, x));
    }
    return 0;
  }

 private:
  double highest(Vec3 a, Vec3 b) const {
    double top = 0;
    for (int d = 0; d < 3; ++d) top += std::max(up_[d] * a[d], up_[d] * b[d]);
    return top;
  }

  const World& world_;
  Vec3 up_;
  double weight_ = 0, domain_top_ = 0;
  std::vector<double> region_tops_;
};

/// Start density of a gas at x; 0 for a liquid, where density follows from pressure.
double start_density(const World& world, Vec3 x, const world::Region* region) {
  if (world.fluid.matter != world::Matter::ideal_gas) return 0;
  return (region != nullptr ? region->density : world.start.density).evaluate(std::array{x.x, x.y, x.z, 0.0});
}

using Keeps = std::function<bool(Vec3)>;

/// Places [first, last) of the lattice along an axis.
struct Places {
  std::int32_t first, last;
};

/// The places among `n` that regions reach; all places if there are no regions, because fluid is everywhere.
Places places_in_regions(const World& world, int axis, double step, std::int32_t n) {
  if (world.regions.empty()) return {0, n};
  double lowest = INFINITY, highest = -INFINITY;
  for (const auto& region : world.regions) {
    const auto [lower, upper] = region.shape->bounds();
    lowest = std::min(lowest, lower[axis]), highest = std::max(highest, upper[axis]);
  }
  const auto at = [&](double x, double beside) {
    return static_cast<std::int32_t>(std::clamp((x - world.origin[axis]) / step + beside, 0.0, static_cast<double>(n)));
  };
  return {at(lowest, -1), at(highest, 1)};
}

void place_fluid(const World& world, const Keeps& keeps, Placement& placement) {
  const Vec3 step = lattice_spacing(world);
  const double dx = world.spacing;
  const Int3 n{static_cast<std::int32_t>(points_along(world, 0)), static_cast<std::int32_t>(points_along(world, 1)),
               world.dimensions == 3 ? static_cast<std::int32_t>(points_along(world, 2)) : 1};
  const double volume = step.x * step.y * (world.dimensions == 3 ? step.z : 1.0);
  const StartPressure pressure(world);
  const auto layers = static_cast<int>(std::ceil(lengths(world).interaction_radius / dx));
  const double fitted = world.start.fitted ? layers * dx : 0;

  const auto add = [&](std::int64_t id, Vec3 x, double share) {
    const auto* region = region_of(world, x);
    if (region == nullptr && !world.regions.empty()) return;
    const double p = pressure(x, region), rho = start_density(world, x, region);
    for (int d = 0; d < world.dimensions && world.start.jitter > 0; ++d)
      x[d] += world.start.jitter * dx *
              (2 * uniform_random(static_cast<std::uint64_t>(world.start.seed), static_cast<std::uint64_t>(id),
                                  static_cast<std::uint64_t>(d)) -
               1);
    if (keeps(x)) placement.fluid.push_back({id, x, share, p, rho});
  };

  const auto along = [&](int axis) {
    return axis < world.dimensions ? places_in_regions(world, axis, step[axis], n[static_cast<std::size_t>(axis)])
                                   : Places{0, 1};
  };
  const Places along_x = along(0), along_y = along(1), along_z = along(2);
  for (std::int32_t k = along_z.first; k < along_z.last; ++k)
    for (std::int32_t j = along_y.first; j < along_y.last; ++j)
      for (std::int32_t i = along_x.first; i < along_x.last; ++i) {
        Vec3 x = world.origin + Vec3{(i + 0.5) * step.x, (j + 0.5) * step.y, 0};
        if (world.dimensions == 3) x.z = world.origin.z + (k + 0.5) * step.z;
        const double distance = clearance(world, x);
        if (distance < (fitted > 0 ? fitted : k_clearance * dx)) continue;
        add(make_id(k_source_lattice, (static_cast<std::int64_t>(k) * n[1] + j) * n[0] + i), x, volume);
      }

  if (fitted == 0) return;
  std::int64_t site = 0;
  for (std::size_t b = 0; b < world.bodies.size(); ++b)
    for (const auto& point : world.bodies[b].shape->layers(dx, layers, false)) {
      const std::int64_t id = make_id(k_source_fitted, site++);
      bool inside = true;
      for (int d = 0; d < world.dimensions; ++d)
        inside = inside && point.position[d] > world.origin[d] && point.position[d] < world.origin[d] + world.size[d];
      for (std::size_t other = 0; other < world.bodies.size(); ++other)
        if (other != b) {
          const double distance = world.bodies[other].shape->signed_distance(point.position);
          // Each point belongs to the nearer body if the layers of two bodies overlap.
          inside = inside && distance > world.bodies[b].shape->signed_distance(point.position);
        }
      if (inside) add(id, point.position, point.volume);
    }
}

/// Places the buffers beyond openings. An inflow's buffer is full; an outflow's has fluid where the lattice at its
/// plane has fluid.
void place_buffers(const World& world, const Keeps& keeps, Placement& placement) {
  const StartPressure pressure(world);
  for (std::size_t k = 0; k < world.openings.size(); ++k) {
    const auto& opening = world.openings[k];
    const OpeningSites sites = opening_sites(world, opening);
    const double volume = sites.pitch * sites.area;
    for (std::int64_t site = 0; site < sites.sites(); ++site) {
      Vec3 x = sites.site(site);
      x[sites.axis] = sites.plane + 0.5 * sites.inward * sites.pitch;
      const auto* region = region_of(world, x);
      const double p = pressure(x, region);
      if (!opening.inflow && region == nullptr && !world.regions.empty()) continue;
      for (std::int32_t column = 0; column < sites.columns; ++column) {
        x[sites.axis] = sites.plane - (column + 0.5) * sites.inward * sites.pitch;
        if (keeps(x))
          placement.fluid.push_back({make_opening_id(static_cast<std::int64_t>(k), site, column), x, volume, p, 0.0,
                                     static_cast<std::uint8_t>(k + 1)});
      }
    }
  }
}

std::vector<OpeningSites> all_opening_sites(const World& world) {
  std::vector<OpeningSites> all;
  for (const auto& opening : world.openings) all.push_back(opening_sites(world, opening));
  return all;
}

/// Buffers keep walls and bodies out.
bool is_in_buffer(const std::vector<OpeningSites>& openings, Vec3 x) {
  return std::any_of(openings.begin(), openings.end(), [x](const OpeningSites& sites) { return sites.is_through(x); });
}

bool sticks(const world::Side& side) { return side.kind == SideKind::wall && !side.slip; }

/// Dummy particles outside a side of the domain. Walls cover the corners, go on beyond an open
/// side and along the buffers of openings. A stream has them in its corners, where no buffer lies.
void place_sides(const World& world, const Keeps& keeps, Placement& placement) {
  const Vec3 step = lattice_spacing(world);
  const double radius = lengths(world).interaction_radius;
  const auto openings = all_opening_sites(world);
  Int3 first{0, 0, 0}, last{1, 1, 1};
  std::array<std::int32_t, 3> count{1, 1, 1};
  for (int d = 0; d < world.dimensions; ++d) {
    const auto a = static_cast<std::size_t>(d);
    count[a] = static_cast<std::int32_t>(points_along(world, d));
    const auto layers = static_cast<std::int32_t>(std::ceil(radius / step[d] - 1e-9));
    const auto beyond = [&](std::size_t side) {
      switch (world.sides[side].kind) {
        case SideKind::wall: return layers;
        case SideKind::open: return layers + static_cast<std::int32_t>(std::ceil(k_open_margin * count[a]));
        case SideKind::inflow:
        case SideKind::outflow:
        case SideKind::stream: return layers + buffer_columns(world);
        case SideKind::periodic: break;
      }
      return 0;
    };
    first[a] = -beyond(2 * a);
    last[a] = count[a] + beyond(2 * a + 1);
  }
  const double volume = step.x * step.y * (world.dimensions == 3 ? step.z : 1.0);
  const std::int64_t nx = last[0] - first[0], ny = last[1] - first[1];
  for (std::int32_t k = first[2]; k < last[2]; ++k)
    for (std::int32_t j = first[1]; j < last[1]; ++j)
      for (std::int32_t i = first[0]; i < last[0]; ++i) {
        const Int3 at{i, j, k};
        int owner = -1;  // the wall that the point lies deepest in; the later side wins in a corner
        std::int32_t deepest = 0;
        bool too_deep = false, has_wall = false;
        int sides_beyond = 0;
        for (int d = 0; d < world.dimensions; ++d) {
          const auto a = static_cast<std::size_t>(d);
          const std::int32_t below = -at[a], above = at[a] - count[a] + 1;
          const std::size_t side = 2 * a + (above > 0 ? 1 : 0);
          const std::int32_t depth = std::max(below, above);
          if (depth > 0) ++sides_beyond;
          const SideKind kind = world.sides[side].kind;
          if (depth <= 0 || (kind != SideKind::wall && kind != SideKind::stream)) continue;
          has_wall = has_wall || kind == SideKind::wall;
          too_deep = too_deep || (depth - 1) * step[d] >= radius;
          if (depth >= deepest) {
            deepest = depth;
            owner = static_cast<int>(side);
          }
        }
        if (owner < 0 || too_deep || (!has_wall && sides_beyond < 2)) continue;
        Vec3 x = world.origin + Vec3{(i + 0.5) * step.x, (j + 0.5) * step.y, 0};
        if (world.dimensions == 3) x.z = world.origin.z + (k + 0.5) * step.z;
        if (!keeps(x) || is_in_buffer(openings, x)) continue;
        const std::int64_t site = ((k - first[2]) * ny + (j - first[1])) * nx + (i - first[0]);
        placement.walls.push_back({make_id(k_source_side, site), x, volume, -1 - owner,
                                   sticks(world.sides[static_cast<std::size_t>(owner)])});
      }
}

/// Numbers the sites from `site` on; returns the next free number.
std::int64_t place_one_body(const World& world, std::size_t b, std::int64_t site, std::int64_t addition,
                            const Keeps& keeps, std::deque<PlacedWall>& walls) {
  const auto layers = static_cast<int>(std::ceil(lengths(world).interaction_radius / world.spacing));
  const auto openings = all_opening_sites(world);
  for (const auto& point : world.bodies[b].shape->layers(world.spacing, layers, true)) {
    const std::int64_t id = make_id(k_source_body, site++, addition);
    if (!keeps(point.position) || is_in_buffer(openings, point.position)) continue;
    walls.push_back({id, point.position, point.volume, static_cast<std::int32_t>(b), !world.bodies[b].slip});
  }
  return site;
}

}  // namespace

std::deque<PlacedWall> place_body(const World& world, std::size_t body, std::int64_t addition, const Keeps& keeps) {
  std::deque<PlacedWall> walls;
  place_one_body(world, body, 0, addition, keeps, walls);
  return walls;
}

Lengths lengths(const World& world) {
  Lengths l{};
  l.spacing = world.spacing;
  const bool classic = world.method.scheme == world::Scheme::classic;
  double ratio = world.method.smoothing_ratio;
  if (!(ratio > 0))
    ratio = classic && world.fluid.matter == world::Matter::liquid ? k_smoothing_classic
            : world.dimensions == 2                                ? k_smoothing_2d
                                                                   : k_smoothing_3d;
  l.smoothing_length = world.spacing * ratio;
  l.interaction_radius = 2 * l.smoothing_length;
  const double skin = world.dimensions == 2 ? (classic ? k_skin_2d_classic : k_skin_2d)
                      : classic             ? k_skin_3d_classic
                                            : k_skin_3d;
  l.skin = world.method.skin > 0 ? world.method.skin * world.spacing : skin * l.smoothing_length;
  l.cell_edge = l.interaction_radius + l.skin;
  return l;
}

Vec3 lattice_spacing(const World& world) {
  Vec3 step{world.spacing, world.spacing, world.spacing};
  for (int d = 0; d < world.dimensions; ++d) {
    const auto sides = world.sides.begin() + 2 * d;
    if (sides[0].kind != SideKind::open && sides[1].kind != SideKind::open)
      step[d] = world.size[d] / static_cast<double>(points_along(world, d));
  }
  return step;
}

double fraction_inside_walls(const World& world, Vec3 x) {
  constexpr double k_rounding = 1e-9;  // in spacings: rows on the lattice count fully or not at all
  double share = 1;
  for (int d = 0; d < world.dimensions; ++d) {
    const double inside[] = {x[d] - world.origin[d], world.origin[d] + world.size[d] - x[d]};
    for (std::size_t upper = 0; upper < 2; ++upper)
      if (world.sides[2 * static_cast<std::size_t>(d) + upper].kind == SideKind::wall)
        share *= std::clamp(0.5 + inside[upper] / world.spacing, 0.0, 1.0);
  }
  return share < k_rounding ? 0 : share > 1 - k_rounding ? 1 : share;
}

Placement place(const World& world, const std::function<bool(Vec3)>& keeps) {
  Placement placement;
  place_fluid(world, keeps, placement);
  place_buffers(world, keeps, placement);
  place_sides(world, keeps, placement);
  std::int64_t site = 0;
  for (std::size_t b = 0; b < world.bodies.size(); ++b)
    site = place_one_body(world, b, site, 0, keeps, placement.walls);
  return placement;
}

Placement place(const World& world) {
  Placement placement = place(world, [](Vec3) { return true; });
  if (placement.fluid.empty())
    throw UserError(
        "the world contains no fluid: no lattice point lies in a region and outside all bodies. Check regions and "
        "spacing.");
  return placement;
}

}  // namespace eddyline::particles
