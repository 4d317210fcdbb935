#include "world/formula_region.hpp"

#include <array>
#include <utility>

#include "base/errors.hpp"

namespace eddyline::world {

FormulaRegion::FormulaRegion(Formula inside, Vec3 lowest, Vec3 highest, int dimensions)
    : inside_(std::move(inside)), lowest_(lowest), highest_(highest), dimensions_(dimensions) {}

bool FormulaRegion::holds(Vec3 p) const {
  const double truth = inside_.evaluate(std::array{p.x, p.y, p.z, 0.0});
  return truth > 0 || truth < 0;
}

bool FormulaRegion::is_in_box(Vec3 p) const {
  for (int d = 0; d < dimensions_; ++d)
    if (p[d] < lowest_[d] || p[d] > highest_[d]) return false;
  return true;
}

double FormulaRegion::depth(Vec3 p, Vec3 up, double step) const {
  const auto belongs = [&](double above) { return is_in_box(p + above * up) && holds(p + above * up); };
  if (!belongs(0)) return 0;
  std::int64_t steps = 1;
  while (belongs(static_cast<double>(steps) * step)) ++steps;
  double in = static_cast<double>(steps - 1) * step, out = static_cast<double>(steps) * step;
  for (int k = 0; k < 20; ++k) {
    const double middle = 0.5 * (in + out);
    (belongs(middle) ? in : out) = middle;
  }
  return 0.5 * (in + out);
}

std::vector<SurfacePoint> FormulaRegion::layers(double, int, bool) const {
  throw UserError("a region given by a formula has no layers of particles; only shapes of bodies have");
}

std::vector<std::vector<Vec3>> FormulaRegion::outline(double) const {
  throw UserError("a region given by a formula has no exact outline");
}

double FormulaRegion::volume() const { throw UserError("a region given by a formula has no exact volume"); }

ShapePtr make_formula_region(const Formula& inside, Vec3 lowest, Vec3 highest, int dimensions) {
  return std::make_shared<FormulaRegion>(inside, lowest, highest, dimensions);
}

}  // namespace eddyline::world
