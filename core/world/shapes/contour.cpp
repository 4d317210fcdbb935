#include "world/shapes/contour.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/portable_math.hpp"
#include "world/shapes/layering.hpp"

namespace eddyline::world {

namespace {

constexpr double k_bend = std::numbers::pi / 6;

Vec3 on_circle(Vec3 center, double radius, double angle) {
  return center + radius * Vec3{portable::cos(angle), portable::sin(angle), 0};
}

bool bends(const Piece& before, const Piece& after) {
  return dot(before.direction(1), after.direction(0)) < std::numbers::sqrt3 / 2;  // cos 30 degrees
}

/// A point is wanted where `before` ends and `after` begins.
bool parts_the_contour(const Piece& before, const Piece& after) {
  return std::abs(before.sweep) > k_bend || std::abs(after.sweep) > k_bend || bends(before, after);
}

}  // namespace

double Piece::length() const { return radius > 0 ? radius * std::abs(sweep) : norm(to - from); }

Vec3 Piece::at(double fraction) const {
  if (fraction <= 0) return from;
  if (fraction >= 1) return to;
  return radius > 0 ? on_circle(center, radius, start + fraction * sweep) : from + fraction * (to - from);
}

Vec3 Piece::direction(double fraction) const {
  if (radius <= 0) return (to - from) / norm(to - from);
  const double angle = start + fraction * sweep;
  return (sweep < 0 ? -1.0 : 1.0) * Vec3{-portable::sin(angle), portable::cos(angle), 0};
}

Piece Piece::between(double first, double last) const {
  return {at(first), at(last), center, radius, start + first * sweep, (last - first) * sweep};
}

double Piece::area_term() const {
  const double chord = 0.5 * (from.x * to.y - from.y * to.x);
  if (radius <= 0) return chord;
  return chord + 0.5 * radius * radius * (sweep - portable::sin(sweep));
}

Piece make_segment(Vec3 from, Vec3 to) { return {from, to, {}, 0, 0, 0}; }

Piece make_arc(Vec3 center, double radius, double start, double sweep) {
  return {on_circle(center, radius, start), on_circle(center, radius, start + sweep), center, radius, start, sweep};
}

double length(const Contour& contour) {
  double sum = 0;
  for (const Piece& piece : contour) sum += piece.length();
  return sum;
}

std::vector<ContourPoint> spread(const Contour& contour, double spacing) {
  const std::size_t n = contour.size();
  std::size_t first = 0;  // begin at a parting, if there is one
  bool closed = true;
  for (std::size_t i = 0; i < n && closed; ++i) {
    first = i;
    closed = !parts_the_contour(contour[(i + n - 1) % n], contour[i]);
  }
  if (closed) first = 0;

  const auto piece_at = [&](std::size_t i) -> const Piece& { return contour[(first + i) % n]; };

  std::vector<ContourPoint> points;
  std::vector<std::size_t> partings;  // indices of the points between two stretches
  for (std::size_t done = 0; done < n;) {
    std::size_t end = done;  // the stretch: the pieces from done to end
    double stretch = 0;
    do {
      stretch += piece_at(end++).length();
    } while (end < n && (closed || !parts_the_contour(piece_at(end - 1), piece_at(end))));
    const int count = parts(stretch, spacing);
    const double interval = stretch / count;
    if (!closed) partings.push_back(points.size());
    const bool corner = !closed && bends(piece_at(done + n - 1), piece_at(done));
    double passed = 0;  // the length of the stretch before piece `done`
    for (int j = 0; j < count; ++j) {
      const double where = (closed ? j + 0.5 : j) * interval;
      while (done + 1 < end && passed + piece_at(done).length() <= where) passed += piece_at(done++).length();
      const Piece& piece = piece_at(done);
      const double fraction = (where - passed) / piece.length();
      points.push_back({piece.at(fraction), piece.direction(fraction), interval, corner && j == 0});
    }
    done = end;
  }
  // A point between two stretches takes half an interval of each.
  const std::vector<ContourPoint> even = points;
  for (const std::size_t i : partings)
    points[i].interval = 0.5 * (even[(i + even.size() - 1) % even.size()].interval + even[i].interval);
  return points;
}

std::vector<Vec3> sample(const Contour& contour, double tolerance) {
  std::vector<Vec3> points;
  for (const Piece& piece : contour) {
    int n = 1;
    if (piece.radius > 0) {
      // A chord of angle 2 a lies within radius (1 - cos a) of its arc.
      const double half_angle = portable::acos(std::fmax(0.5, 1 - tolerance / piece.radius));
      n = static_cast<int>(std::ceil(0.5 * std::abs(piece.sweep) / half_angle));
      if (n < 1) n = 1;
    }
    for (int j = 0; j < n; ++j) points.push_back(piece.at(static_cast<double>(j) / n));
  }
  return points;
}

}  // namespace eddyline::world
