#include "world/motion.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/portable_math.hpp"

namespace eddyline::world {

namespace {

constexpr std::size_t k_time = 3;  // among the variables x, y, z, t

class MovedShape final : public Shape {
 public:
  MovedShape(ShapePtr shape, const Pose& pose) : shape_(std::move(shape)), pose_(pose) {}

  double signed_distance(Vec3 p) const override { return shape_->signed_distance(pose_.reference(p)); }

  std::vector<SurfacePoint> layers(double spacing, int count, bool inside) const override {
    auto points = shape_->layers(spacing, count, inside);
    for (auto& point : points) point.position = pose_.place(point.position);
    return points;
  }

  std::vector<std::vector<Vec3>> outline(double tolerance) const override {
    auto lines = shape_->outline(tolerance);
    for (auto& line : lines)
      for (auto& point : line) point = pose_.place(point);
    return lines;
  }

  std::pair<Vec3, Vec3> bounds() const override {
    const auto [lowest, highest] = shape_->bounds();
    return pose_.bounds(lowest, highest);
  }

  double volume() const override { return shape_->volume(); }
  int dimensions() const override { return shape_->dimensions(); }

 private:
  ShapePtr shape_;
  Pose pose_;
};

}  // namespace

Vec3 Pose::turned(Vec3 r, double sine) const {
  return cos * r + sine * cross_product(axis, r) + ((1 - cos) * dot(axis, r)) * axis;
}

std::pair<Vec3, Vec3> Pose::bounds(Vec3 low, Vec3 high) const {
  constexpr double k_none = std::numeric_limits<double>::infinity();
  Vec3 lowest{k_none, k_none, k_none}, highest{-k_none, -k_none, -k_none};
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 at = place({corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z});
    for (int d = 0; d < 3; ++d) {
      lowest[d] = std::min(lowest[d], at[d]);
      highest[d] = std::max(highest[d], at[d]);
    }
  }
  return {lowest, highest};
}

Vec3 Pose::velocity_at(Vec3 x) const {
  return velocity + angular_velocity * cross_product(axis, x - (pivot + displacement));
}

Vec3 Pose::acceleration_at(Vec3 x) const {
  const Vec3 across = cross_product(axis, x - (pivot + displacement));
  return acceleration + angular_acceleration * across +
         (angular_velocity * angular_velocity) * cross_product(axis, across);
}

Pose Motion::at(double t) const {
  Pose pose;
  pose.pivot = pivot;
  pose.axis = axis / norm(axis);
  if (t < 0) return pose;
  const std::array values{0.0, 0.0, 0.0, t};
  for (int d = 0; d < 3; ++d) {
    const Jet x = displacement[static_cast<std::size_t>(d)].differentiate(values, k_time);
    pose.displacement[d] = x.value;
    pose.velocity[d] = x.first;
    pose.acceleration[d] = x.second;
  }
  const Jet turn = rotation.differentiate(values, k_time);
  pose.cos = portable::cos(turn.value);
  pose.sin = portable::sin(turn.value);
  pose.angular_velocity = turn.first;
  pose.angular_acceleration = turn.second;
  return pose;
}

ShapePtr make_moved(ShapePtr shape, const Pose& pose) {
  return std::make_shared<const MovedShape>(std::move(shape), pose);
}

}  // namespace eddyline::world
