#include "world/shapes/polygon_layers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>

#include "world/shapes/contour.hpp"
#include "world/shapes/layering.hpp"

namespace eddyline::world {

namespace {

constexpr std::size_t k_none = static_cast<std::size_t>(-1);

/// The points of a layer so far, found by place.
class Neighbourhood {
 public:
  /// `reach`: the largest distance that will be asked for [m].
  explicit Neighbourhood(double reach) : reach_(reach) {}

  void add(Vec3 p) {
    cells_[cell(p)].push_back(points_.size());
    points_.push_back(p);
  }

  /// The nearest point within `distance` <= reach, the first of equals; or k_none.
  std::size_t nearest(Vec3 p, double distance) const {
    std::size_t best = k_none;
    const auto [cx, cy] = cell(p);
    for (std::int64_t y = cy - 1; y <= cy + 1; ++y)
      for (std::int64_t x = cx - 1; x <= cx + 1; ++x) {
        const auto found = cells_.find({x, y});
        if (found == cells_.end()) continue;
        for (const std::size_t i : found->second) {
          const double d = norm(points_[i] - p);
          if (d > distance || (d == distance && best != k_none && i > best)) continue;
          distance = d;
          best = i;
        }
      }
    return best;
  }

 private:
  std::pair<std::int64_t, std::int64_t> cell(Vec3 p) const {
    constexpr double k_farthest = 1e15;  // farther out a double does not tell one cell from the next
    const auto index = [&](double x) {
      return static_cast<std::int64_t>(std::fmin(k_farthest, std::fmax(-k_farthest, std::floor(x / reach_))));
    };
    return {index(p.x), index(p.y)};
  }

  double reach_;
  std::vector<Vec3> points_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> cells_;
};

class LayerBuilder {
 public:
  /// `before`: the layer between this one and the outline.
  LayerBuilder(const Outline& outline, double spacing, bool inside, const std::vector<SurfacePoint>& before)
      : outline_(outline), spacing_(spacing), sign_(inside ? -1 : 1), before_(spacing) {
    for (const SurfacePoint& point : before) before_.add(point.position);
  }

  /// The points of the layer between the depths `from` and from + spacing that share `area`.
  std::vector<SurfacePoint> build(double from, double area) {
    // A little less than half way, so that curves which would just touch stay apart.
    const double middle = from + (0.5 - 1e-7) * spacing_;
    const std::vector<Contour> contours = join(outline_.parallel(sign_ * middle));
    double whole = 0;
    bool sharp = false;
    for (const Contour& contour : contours) {
      whole += length(contour);
      sharp = sharp || has_sharp_corner(contour);
    }
    regular_ = std::abs(whole * spacing_ - area) <= 1e-4 * spacing_ * spacing_ + 1e-6 * area;

    Neighbourhood nearby(spacing_);
    for (const Contour& contour : contours)
      for (const ContourPoint& point : spread(contour, spacing_)) add(on_curve(point, middle), nearby);
    if (!regular_ || sharp) fill_rest(from, nearby);

    double sum = 0;
    for (const SurfacePoint& point : points_) sum += point.volume;
    if (!(sum > 0)) return {};  // the layer is thinner than doubles can tell
    for (SurfacePoint& point : points_) point.volume *= (area - left_empty_) / sum;
    return std::move(points_);
  }

 private:
  /// A corner of less than 60 degrees.
  static bool has_sharp_corner(const Contour& contour) {
    for (std::size_t i = 0; i < contour.size(); ++i)
      if (dot(contour[i].direction(1), contour[(i + 1) % contour.size()].direction(0)) < -0.5) return true;
    return false;
  }

  /// Unit vector away from the polygon's outline, given the direction of travel along a parallel curve.
  Vec3 away(Vec3 direction) const { return sign_ * Vec3{direction.y, -direction.x, 0}; }

  /// Largest distance from p, at `depth`, straight away from the outline before another part of the outline is nearer;
  /// at most `limit`.
  double clearance(Vec3 p, Vec3 away_from_outline, double depth, double limit) const {
    const double tolerance = 1e-7 * spacing_;
    const auto clear = [&](double t) {
      return sign_ * outline_.signed_distance(p + t * away_from_outline) >= depth + t - tolerance;
    };
    if (clear(limit)) return limit;
    double low = 0, high = limit;
    for (int i = 0; i < 40; ++i) {
      const double half = 0.5 * (low + high);
      (clear(half) ? low : high) = half;
    }
    return low;
  }

  /// The place and volume of a point of the middle curve: moved, where the layer is thinner than the spacing, to its
  /// real middle, or onto the line where both sides of the shape meet.
  SurfacePoint on_curve(const ContourPoint& point, double middle) const {
    if (regular_ || point.corner) return {point.position, point.interval * spacing_};
    const Vec3 direction = away(point.direction);
    const double beyond = clearance(point.position, direction, middle, 0.5 * spacing_);
    const double thickness = 0.5 * spacing_ + beyond;
    const double shift = thickness < k_share_below * spacing_ ? beyond : -0.5 * (spacing_ - thickness);
    return {point.position + shift * direction, point.interval * thickness};
  }

  bool is_near_layer_before(Vec3 p) const { return before_.nearest(p, 0.5 * spacing_) != k_none; }

  void add(const SurfacePoint& point, Neighbourhood& nearby) {
    if (is_near_layer_before(point.position)) return;
    const std::size_t neighbour = nearby.nearest(point.position, 0.6 * spacing_);
    if (neighbour != k_none) {
      points_[neighbour].volume += point.volume;
      return;
    }
    nearby.add(point.position);
    points_.push_back(point);
  }

  /// Points on the middle line where the layer is so thin that its middle curve does not exist: in tips, in necks, and
  /// in what remains at last. The layer's outer side is walked in short steps.
  void fill_rest(double from, const Neighbourhood& on_curves) {
    const std::size_t first = points_.size();
    Neighbourhood in_rest(spacing_);
    for (const Piece& piece : outline_.parallel(sign_ * from)) {
      const int steps = parts(piece.length(), spacing_ / 16);
      for (int j = 0; j < steps; ++j) {
        const double fraction = (j + 0.5) / steps;
        const Vec3 start = piece.at(fraction), direction = away(piece.direction(fraction));
        const double thickness = clearance(start, direction, from, 0.5 * spacing_);
        if (thickness >= 0.5 * spacing_ || (from > 0 && thickness < k_rest * spacing_)) continue;
        const Vec3 place = start + thickness * direction;
        if (on_curves.nearest(place, 0.8 * spacing_) != k_none || is_near_layer_before(place)) continue;
        const double volume = thickness * piece.length() / steps;
        if (sign_ > 0 && from == 0) {  // a notch without room for fluid
          left_empty_ += volume;
          continue;
        }
        const std::size_t neighbour = in_rest.nearest(place, 0.9 * spacing_);
        if (neighbour == k_none) {
          in_rest.add(place);
          points_.push_back({place, volume});
        } else {
          points_[first + neighbour].volume += volume;
        }
      }
    }
    if (regular_) take_from_curves(first);
  }

  /// Subtracts the volume of the points from `first` on from the nearest points of the curves, which keep at least half
  /// a full volume. In a regular layer the points of the curves already have the whole area.
  void take_from_curves(std::size_t first) {
    for (std::size_t i = first; i < points_.size(); ++i) {
      std::vector<std::pair<double, std::size_t>> order;
      for (std::size_t j = 0; j < first; ++j) order.emplace_back(norm(points_[j].position - points_[i].position), j);
      std::sort(order.begin(), order.end());
      double wanted = points_[i].volume;
      for (const auto& [distance, j] : order) {
        const double given = std::clamp(points_[j].volume - 0.5 * spacing_ * spacing_, 0.0, wanted);
        points_[j].volume -= given;
        wanted -= given;
        if (wanted <= 0) break;
      }
    }
  }

  const Outline& outline_;
  double spacing_;
  double sign_;  // of signed distances in the layer
  Neighbourhood before_;
  bool regular_ = true;
  double left_empty_ = 0;  // area [m^2]
  std::vector<SurfacePoint> points_;
};

}  // namespace

std::vector<SurfacePoint> polygon_layers(const Outline& outline, double spacing, int count, bool inside) {
  const double least = 1e-6 * spacing * spacing;
  std::vector<SurfacePoint> points, layer;
  double near = outline.area(0);
  for (int k = 0; k < count; ++k) {
    double far = outline.area((inside ? -1 : 1) * (k + 1) * spacing);
    if (inside && far < least) far = 0;
    const double area = std::abs(far - near);
    if (k > 0 && area < least) break;
    std::vector<SurfacePoint> next = LayerBuilder(outline, spacing, inside, layer).build(k * spacing, area);
    if (next.empty()) {  // a rest without room for points of its own
      double sum = 0;
      for (const SurfacePoint& point : layer) sum += point.volume;
      for (SurfacePoint& point : layer) point.volume *= 1 + area / sum;
      break;
    }
    points.insert(points.end(), layer.begin(), layer.end());
    layer = std::move(next);
    near = far;
  }
  points.insert(points.end(), layer.begin(), layer.end());
  return points;
}

}  // namespace eddyline::world
