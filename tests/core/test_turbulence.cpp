// The turbulence model of Spalart and Allmaras: its terms against the published equations, and distances from walls.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/lanes.hpp"
#include "harness.hpp"
#include "meshes.hpp"
#include "physics/turbulence/spalart_allmaras.hpp"
#include "solvers/multiblock/wall_distance.hpp"

using namespace eddyline;
using namespace fixture;

namespace {

namespace model = physics::turbulence;

/// P - D as Allmaras, Johnson & Spalart 2012 print it, with constants of its own.
double published(double nu, double v, double vorticity, double d) {
  const double kappa = 0.41, cb1 = 0.1355, cw1 = 0.1355 / 0.1681 + 1.622 * 1.5;
  if (v < 0) return cb1 * (1 - 1.2) * vorticity * v + cw1 * std::pow(v / d, 2);
  const double chi = v / nu, fv1 = std::pow(chi, 3) / (std::pow(chi, 3) + 357.911), fv2 = 1 - chi / (1 + chi * fv1);
  const double extra = v / std::pow(kappa * d, 2) * fv2;
  const double modified = extra >= -0.7 * vorticity ? vorticity + extra
                                                    : vorticity + vorticity * (0.49 * vorticity + 0.9 * extra) /
                                                                      ((0.9 - 1.4) * vorticity - extra);
  const double r = std::min(v / (modified * std::pow(kappa * d, 2)), 10.0), g = r + 0.3 * (std::pow(r, 6) - r);
  const double fw = g * std::pow(65 / (std::pow(g, 6) + 64), 1.0 / 6), ft2 = 1.2 * std::exp(-0.5 * chi * chi);
  return cb1 * (1 - ft2) * modified * v - (cw1 * fw - cb1 / (kappa * kappa) * ft2) * std::pow(v / d, 2);
}

/// Smallest distance from points close to each other on the sides of the unit square.
double by_points(Vec3 x) {
  double least = std::numeric_limits<double>::infinity();
  for (int n = 0; n <= 4000; ++n)
    for (const Vec3 at :
         {Vec3{n / 4000.0, 0, 0}, Vec3{n / 4000.0, 1, 0}, Vec3{0, n / 4000.0, 0}, Vec3{1, n / 4000.0, 0}})
      least = std::min(least, norm(x - at));
  return least;
}

}  // namespace

TEST(sources_are_those_of_the_published_equations) {
  for (const double ratio : {-30.0, -2.0, -0.1, 1e-3, 0.5, 3.0, 20.0, 700.0})
    for (const double vorticity : {0.0, 0.1, 3.0, 500.0})
      for (const double d : {0.01, 0.2, 5.0}) {
        if (ratio > 0 && vorticity == 0) continue;  // 0 / 0 as published
        const double nu = 2e-3, expected = published(nu, ratio * nu, vorticity, d);
        CHECK_NEAR(model::source(nu, ratio * nu, vorticity, d).rate, expected, 1e-12 * std::abs(expected));
      }
}

TEST(sources_are_finite_without_walls_and_without_vorticity) {
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(std::isfinite(model::source(1e-3, 3e-3, 0, infinite).rate));
  CHECK(std::isfinite(model::source(1e-3, 3e-3, 0, 0.1).rate));
  CHECK(std::isfinite(model::source(1e-3, -3e-3, 1, infinite).rate));
  CHECK(model::source(1e-3, 3e-3, 2, infinite).rate > 0);
}

TEST(the_decay_is_the_slope_of_the_sources_where_they_fall) {
  const double nu = 1e-3, step = 1e-9;
  const auto rate = [&](double v) { return model::source(nu, v, 2, 0.05).rate; };
  CHECK_NEAR(model::source(nu, -4e-3, 2, 0.05).decay, (rate(-4e-3 - step) - rate(-4e-3 + step)) / (2 * step), 1e-3);
  CHECK(model::source(nu, 0.5, 2, 0.05).decay > 0);
}

TEST(eddies_in_a_logarithmic_layer_are_in_balance) {  // nu~ = kappa u_tau d, |curl u| = u_tau / (kappa d), nu -> 0
  const double u_tau = 0.7, d = 0.3, nu = 1e-9, v = 0.41 * u_tau * d;
  const double spread = 1.622 * 1.5 * std::pow(0.41 * u_tau, 2);  // of (1 + cb2) / sigma (d nu~/dy)^2
  CHECK_NEAR(model::source(nu, v, u_tau / (0.41 * d), d).rate, -spread, 1e-5 * spread);
}

TEST(eddy_viscosity_and_diffusion_are_those_of_the_published_equations) {
  using S = Pack4d;
  CHECK_NEAR(model::fv1(S(7.1)).v[0], 0.5, 1e-15);
  CHECK_NEAR(model::fv1(S(30)).v[0], 27000 / 27357.911, 1e-15);
  CHECK(model::fv1(S(-5)).v[0] == 0);
  CHECK_NEAR(model::diffusivity(S(2), S(3)).v[0], 5, 1e-15);
  CHECK_NEAR(model::diffusivity(S(2), S(-3)).v[0], 2 - 3 * (16 - 3.375) / (16 + 3.375), 1e-15);
  CHECK_NEAR(model::diffusion(S(2), S(2)).v[0], 3, 1e-14);  // k / sigma
  CHECK_NEAR(model::diffusion(S(1), S(2)).v[0], 1.5 * (1.5 * 1.622 - 0.622), 1e-14);
  CHECK(model::diffusion(S(5), S(0)).v[0] > 0 && model::diffusion(S(5), S(-2)).v[0] == 0);
}

TEST(distances_are_those_from_the_nearest_wall) {
  const auto mesh = four_blocks(32, 0.3, false);
  world::World world;
  world.mesh = mesh;
  const multiblock::Walls walls(*mesh, multiblock::Boundaries(world));
  for (const Vec3 x : {Vec3{0.5, 0.5, 0}, Vec3{0.1, 0.7, 0}, Vec3{0.93, 0.95, 0}, Vec3{0.4, 1e-7, 0}, Vec3{2, 3, 0}})
    CHECK_NEAR(walls.distance(x), by_points(x), 1e-4);
  CHECK_NEAR(walls.distance({0.4, 1e-7, 0}), 1e-7, 1e-15);
  world.sides[2].slip = world.sides[3].slip = true;
  const multiblock::Walls upright(*mesh, multiblock::Boundaries(world));
  CHECK_NEAR(upright.distance({0.4, 0.01, 0}), 0.4, 1e-12);
}

TEST(walls_are_near_across_periodic_sides_and_absent_without_any) {
  const auto mesh = connected({block("all", 8, 8, [](double s, double t) { return Vec3{s, t, 0}; })},
                              [](Vec3 x) { return x.y < 0.5 ? "plate" : "top"; }, {{1, 0, 0}});
  world::World world;
  world.mesh = mesh;
  world.sides[3].slip = true;
  world.bodies.emplace_back().name = "plate";
  const multiblock::Walls walls(*mesh, multiblock::Boundaries(world));
  CHECK_NEAR(walls.distance({0.3, 0.6, 0}), 0.6, 1e-14);
  CHECK_NEAR(walls.distance({1.5, 0.6, 0}), 0.6, 1e-14);
  world.bodies[0].slip = true;
  CHECK(std::isinf(multiblock::Walls(*mesh, multiblock::Boundaries(world)).distance({0.3, 0.6, 0})));
}
