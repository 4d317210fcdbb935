#include "world/shapes/offset.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string>

#include "base/errors.hpp"
#include "base/portable_math.hpp"
#include "world/shapes/layering.hpp"

namespace eddyline::world {

namespace {

double cross(Vec3 a, Vec3 b) { return a.x * b.y - a.y * b.x; }

/// Corner i, counted on past the last one.
const Vec3& around(const std::vector<Vec3>& points, std::size_t i) { return points[i % points.size()]; }

double twice_area(const std::vector<Vec3>& points) {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    sum += cross(points[i] - points[0], around(points, i + 1) - points[0]);
  return sum;
}

std::vector<Vec3> without_repetitions(const std::vector<Vec3>& points) {
  std::vector<Vec3> result;
  for (const Vec3& p : points) {
    require_finite("a point", p);
    const Vec3 flat{p.x, p.y, 0};
    if (result.empty() || !(flat == result.back())) result.push_back(flat);
  }
  while (result.size() > 1 && result.back() == result.front()) result.pop_back();
  return result;
}

std::vector<Vec3> at_least_three(std::vector<Vec3> points) {
  if (points.size() >= 3) return points;
  throw UserError("a polygon needs at least three points that are not on one line, found " +
                  std::to_string(points.size()));
}

std::vector<Vec3> without_straight_corners(const std::vector<Vec3>& points) {
  constexpr double k_straight = 1e-12;  // sine of the angle
  std::vector<Vec3> result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 before = points[i] - around(points, i + points.size() - 1), after = around(points, i + 1) - points[i];
    const bool straight = std::abs(cross(before, after)) <= k_straight * norm(before) * norm(after);
    if (straight && dot(before, after) < 0)
      throw UserError("the polygon turns back on itself at point " + std::to_string(i + 1) + "; remove that point");
    if (!straight) result.push_back(points[i]);
  }
  return result;
}

/// True if the segments a-b and c-d have a point in common.
bool meet(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
  const double abc = cross(b - a, c - a), abd = cross(b - a, d - a);
  const double cda = cross(d - c, a - c), cdb = cross(d - c, b - c);
  if (((abc > 0) != (abd > 0)) && ((cda > 0) != (cdb > 0)) && abc != 0 && abd != 0 && cda != 0 && cdb != 0) return true;
  const auto on = [](Vec3 p, Vec3 q, Vec3 r, double turn) {
    return turn == 0 && dot(r - p, r - q) <= 0;  // r on the segment p-q
  };
  return on(a, b, c, abc) || on(a, b, d, abd) || on(c, d, a, cda) || on(c, d, b, cdb);
}

void refuse_crossings(const std::vector<Vec3>& points) {
  const std::size_t n = points.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 a = points[i], b = around(points, i + 1);
    for (std::size_t j = i + 2; j < n; ++j) {
      if (i == 0 && j == n - 1) continue;  // neighbours
      const Vec3 c = points[j], d = around(points, j + 1);
      if (std::max(a.x, b.x) < std::min(c.x, d.x) || std::max(c.x, d.x) < std::min(a.x, b.x)) continue;
      if (meet(a, b, c, d))
        throw UserError("the polygon crosses or touches itself: the side after point " + std::to_string(i + 1) +
                        " meets the side after point " + std::to_string(j + 1) +
                        "; put its points in order along the outline");
    }
  }
}

struct Box {
  Vec3 low, high;
  bool overlaps(const Box& other, double margin) const {
    return low.x <= other.high.x + margin && other.low.x <= high.x + margin && low.y <= other.high.y + margin &&
           other.low.y <= high.y + margin;
  }
};

Box box_of(const Piece& piece) {
  if (piece.radius > 0) {
    const Vec3 reach{piece.radius, piece.radius, 0};
    return {piece.center - reach, piece.center + reach};
  }
  return {{std::min(piece.from.x, piece.to.x), std::min(piece.from.y, piece.to.y), 0},
          {std::max(piece.from.x, piece.to.x), std::max(piece.from.y, piece.to.y), 0}};
}

/// The fraction of an arc at which the point p of its circle lies; outside 0 .. 1 if it is not on the arc.
double fraction_on_arc(const Piece& arc, Vec3 p) {
  double angle = portable::atan2(p.y - arc.center.y, p.x - arc.center.x) - arc.start;
  if (arc.sweep < 0) angle = -angle;
  angle -= k_two_pi * std::floor(angle / k_two_pi);
  return angle / std::abs(arc.sweep);
}

/// The fractions of a segment at which its line meets a circle.
void meet_circle(const Piece& segment, const Piece& arc, std::vector<double>& fractions) {
  const Vec3 r = segment.to - segment.from, c = arc.center - segment.from;
  const double rr = dot(r, r), middle = dot(r, c) / rr, height = cross(r, c);
  const double square = arc.radius * arc.radius / rr - height * height / (rr * rr);
  if (square < 0) return;
  const double half = std::sqrt(square);
  fractions.push_back(middle - half);
  fractions.push_back(middle + half);
}

/// Appends the fractions of `piece` at which it may cross `other` (or the line or circle that `other` is part of).
void crossings(const Piece& piece, const Piece& other, std::vector<double>& fractions) {
  if (piece.radius <= 0 && other.radius <= 0) {
    const Vec3 r = piece.to - piece.from, w = other.to - other.from;
    const double turn = cross(r, w);
    if (turn != 0) fractions.push_back(cross(other.from - piece.from, w) / turn);
  } else if (piece.radius <= 0) {
    meet_circle(piece, other, fractions);
  } else if (other.radius <= 0) {
    std::vector<double> on_segment;
    meet_circle(other, piece, on_segment);
    for (const double f : on_segment)
      fractions.push_back(fraction_on_arc(piece, other.from + f * (other.to - other.from)));
  } else {
    const Vec3 between = other.center - piece.center;
    const double square = dot(between, between);
    const double height = piece.radius * piece.radius - 0.25 * square;  // both radii are the same
    if (square == 0 || height < 0) return;
    const Vec3 middle = piece.center + 0.5 * between;
    const Vec3 up = std::sqrt(height / square) * Vec3{-between.y, between.x, 0};
    fractions.push_back(fraction_on_arc(piece, middle + up));
    fractions.push_back(fraction_on_arc(piece, middle - up));
  }
}

}  // namespace

Outline::Outline(const std::vector<Vec3>& corners)
    : corners_(at_least_three(without_straight_corners(at_least_three(without_repetitions(corners))))) {
  refuse_crossings(corners_);
  if (twice_area(corners_) < 0) std::reverse(corners_.begin(), corners_.end());
  Vec3 low = corners_[0], high = corners_[0];
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const Vec3 side = around(corners_, i + 1) - corners_[i];
    normals_.push_back(Vec3{side.y, -side.x, 0} / norm(side));
    low = {std::min(low.x, corners_[i].x), std::min(low.y, corners_[i].y), 0};
    high = {std::max(high.x, corners_[i].x), std::max(high.y, corners_[i].y), 0};
  }
  tolerance_ = 1e-12 * norm(high - low);
}

double Outline::signed_distance(Vec3 p) const {
  p.z = 0;
  double nearest = std::numeric_limits<double>::infinity();
  bool inside = false;
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const Vec3 a = corners_[i], b = around(corners_, i + 1), side = b - a, r = p - a;
    const Vec3 foot = r - std::clamp(dot(r, side) / dot(side, side), 0.0, 1.0) * side;
    nearest = std::min(nearest, dot(foot, foot));
    // A ray towards +x crosses the side.
    if ((a.y > p.y) != (b.y > p.y) && (cross(side, r) > 0) == (b.y > a.y)) inside = !inside;
  }
  return inside ? -std::sqrt(nearest) : std::sqrt(nearest);
}

std::vector<Piece> Outline::candidates(double offset) const {
  std::vector<Piece> result;
  const std::size_t n = corners_.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 before = normals_[(i + n - 1) % n], after = normals_[i];
    const double turn = portable::atan2(cross(before, after), dot(before, after));
    if (offset * turn > 0) {
      const Vec3 first = offset * before;
      result.push_back(make_arc(corners_[i], std::abs(offset), portable::atan2(first.y, first.x), turn));
    }
    result.push_back(make_segment(corners_[i] + offset * after, around(corners_, i + 1) + offset * after));
  }
  return result;
}

bool Outline::is_valid(Vec3 p, double offset) const {
  const double distance = signed_distance(p);
  return offset < 0 ? distance <= offset + tolerance_ : distance >= offset - tolerance_;
}

std::vector<Piece> Outline::parallel(double offset) const {
  std::vector<Piece> all = candidates(offset);
  if (offset == 0) return all;
  std::vector<Box> boxes;
  for (const Piece& piece : all) boxes.push_back(box_of(piece));
  std::vector<Piece> kept;
  std::vector<double> fractions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Along a candidate the nearest part of the polygon changes only where another candidate crosses it.
    fractions = {0, 1};
    for (std::size_t j = 0; j < all.size(); ++j)
      if (j != i && boxes[i].overlaps(boxes[j], tolerance_)) crossings(all[i], all[j], fractions);
    std::erase_if(fractions, [](double f) { return !(f >= 0 && f <= 1); });
    std::sort(fractions.begin(), fractions.end());
    const double shortest = tolerance_ / all[i].length();
    double first = 0, last = 0;  // of the stretch that is valid so far
    bool open = false;
    const auto close = [&] {
      if (open) kept.push_back(all[i].between(first, last));
      open = false;
    };
    for (std::size_t f = 0; f + 1 < fractions.size(); ++f) {
      if (fractions[f + 1] - fractions[f] <= shortest) continue;
      if (is_valid(all[i].at(0.5 * (fractions[f] + fractions[f + 1])), offset)) {
        if (!open) first = fractions[f];
        last = fractions[f + 1];
        open = true;
      } else {
        close();
      }
    }
    close();
  }
  return kept;
}

double Outline::area(double offset) const {
  double sum = 0;
  for (Piece piece : parallel(offset)) {
    piece.from = piece.from - corners_[0];
    piece.to = piece.to - corners_[0];
    sum += piece.area_term();
  }
  return sum;
}

std::vector<Contour> join(std::vector<Piece> pieces) {
  std::vector<Contour> contours;
  while (!pieces.empty()) {
    Contour contour{pieces.front()};
    pieces.erase(pieces.begin());
    while (true) {
      const Vec3 end = contour.back().to;
      double nearest = norm(contour.front().from - end);
      std::size_t next = pieces.size();
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const double distance = norm(pieces[i].from - end);
        if (distance < nearest) {
          nearest = distance;
          next = i;
        }
      }
      if (next == pieces.size()) break;
      contour.push_back(pieces[next]);
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(next));
    }
    contours.push_back(std::move(contour));
  }
  return contours;
}

}  // namespace eddyline::world
