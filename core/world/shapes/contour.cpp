#include "world/shapes/contour.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/portable_math.hpp"
#include "world/shapes/layering.hpp"

namespace eddyline::world {

namespace {

constexpr double k_bend = 35 * std::numbers::pi / 180;  // no regular polygon turns by just this angle
constexpr double k_cos_bend = 0.8191520442889918;

Vec3 on_circle(Vec3 center, double radius, double angle) {
  return center + radius * Vec3{portable::cos(angle), portable::sin(angle), 0};
}

bool bends(const Piece& before, const Piece& after) {
  return dot(before.direction(1), after.direction(0)) < k_cos_bend;
}

/// A point is wanted where `before` ends and `after` begins.
bool parts_the_contour(const Piece& before, const Piece& after) {
  return std::abs(before.sweep) > k_bend || std::abs(after.sweep) > k_bend || bends(before, after);
}

/// Piece i, counted on past the last one.
const Piece& piece(const Contour& contour, std::size_t i) { return contour[i % contour.size()]; }

double length(const Contour& contour, std::size_t first, std::size_t end) {
  double sum = 0;
  for (std::size_t i = first; i < end; ++i) sum += piece(contour, i).length();
  return sum;
}

/// The pieces with which the stretches between two partings begin; none if there is no parting. A stretch shorter than
/// half the spacing has no partings at its ends.
std::vector<std::size_t> stretches(const Contour& contour, double spacing) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < contour.size(); ++i)
    if (parts_the_contour(piece(contour, i + contour.size() - 1), contour[i])) starts.push_back(i);
  const std::size_t n = starts.size();
  std::vector<bool> kept(n, true);
  for (std::size_t s = 0; s < n; ++s) {
    const std::size_t end = s + 1 < n ? starts[s + 1] : starts[0] + contour.size();
    if (length(contour, starts[s], end) < 0.5 * spacing) kept[s] = kept[(s + 1) % n] = false;
  }
  std::vector<std::size_t> result;
  for (std::size_t s = 0; s < n; ++s)
    if (kept[s]) result.push_back(starts[s]);
  return result;
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

double length(const Contour& contour) { return length(contour, 0, contour.size()); }

std::vector<ContourPoint> spread(const Contour& contour, double spacing) {
  const std::vector<std::size_t> starts = stretches(contour, spacing);
  const bool closed = starts.empty();
  std::vector<ContourPoint> points;
  std::vector<std::size_t> firsts;  // the indices of the points that begin a stretch
  for (std::size_t s = 0; s < std::max<std::size_t>(1, starts.size()); ++s) {
    std::size_t at = closed ? 0 : starts[s];
    const std::size_t end = closed                  ? contour.size()
                            : s + 1 < starts.size() ? starts[s + 1]
                                                    : starts[0] + contour.size();
    const double whole = length(contour, at, end);
    const int count = parts(whole, spacing);
    const double interval = whole / count;
    const bool corner = !closed && bends(piece(contour, at + contour.size() - 1), piece(contour, at));
    if (!closed) firsts.push_back(points.size());
    double passed = 0;  // the length of the stretch before piece `at`
    for (int j = 0; j < count; ++j) {
      const double where = (closed ? j + 0.5 : j) * interval;
      while (at + 1 < end && passed + piece(contour, at).length() <= where) passed += piece(contour, at++).length();
      const double fraction = (where - passed) / piece(contour, at).length();
      points.push_back(
          {piece(contour, at).at(fraction), piece(contour, at).direction(fraction), interval, corner && j == 0});
    }
  }
  if (points.empty()) return points;
  // A point between two stretches takes half an interval of each.
  const std::vector<ContourPoint> even = points;
  for (const std::size_t i : firsts)
    points[i].interval = 0.5 * (even[(i + even.size() - 1) % even.size()].interval + even[i].interval);
  return points;
}

std::vector<Vec3> sample(const Contour& contour, double tolerance) {
  std::vector<Vec3> points;
  for (const Piece& part : contour) {
    int n = 1;
    if (part.radius > 0) {
      const double half_angle = half_angle_of_chords(part.radius, tolerance);
      n = std::max(1, static_cast<int>(std::ceil(0.5 * std::abs(part.sweep) / half_angle)));
    }
    for (int j = 0; j < n; ++j) points.push_back(part.at(static_cast<double>(j) / n));
  }
  return points;
}

}  // namespace eddyline::world
