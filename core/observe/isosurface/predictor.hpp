#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "observe/isosurface/signs.hpp"

namespace eddyline::observe {

/// A cut edge: its lower end, its axis, and whether the lower end is inside.
struct Edge {
  std::int32_t x, y, z;
  int axis;
  bool inside;
};

/// The expected code of a vertex.
struct Guess {
  int cut;              // 0 to 255
  std::int32_t beside;  // a vertex beside it, -1: none
};

/// Predicts where an edge is cut from edges of the same axis beside it, as if the surface were plane. Only earlier
/// edges with the same sign at the lower end count; the surface may leave an edge for the next one along the axis.
/// Edges come in the order of vertices.
class Predictor {
 public:
  explicit Predictor(const Signs& signs) : nx_(signs.count()[0]), ny_(signs.count()[1]) {
    for (auto& layer : layers_)
      for (auto& vertices : layer)
        vertices.assign(static_cast<std::size_t>(nx_) * static_cast<std::size_t>(ny_), k_none);
  }

  Guess guess(const Edge& edge) {
    enter(edge.z);
    const auto at = [&](int dx, int dy, int dz) { return near(edge, dx, dy, dz); };
    const Near first = edge.axis == 0 ? at(0, -1, 0) : at(-1, 0, 0);
    const Near second = edge.axis == 2 ? at(0, -1, 0) : at(0, 0, -1);
    int cut = 128;
    if (first.known() && second.known()) {
      const Near third = edge.axis == 0 ? at(0, -1, -1) : edge.axis == 1 ? at(-1, 0, -1) : at(-1, -1, 0);
      cut = third.known() ? first.cut + second.cut - third.cut : (first.cut + second.cut) >> 1;
    } else if (first.known() || second.known()) {
      cut = first.known() ? first.cut : second.cut;
    }
    return {std::clamp(cut, 0, 255), first.known() ? first.vertex : second.vertex};
  }

  void learn(const Edge& edge, std::uint32_t vertex, std::uint8_t code) {
    layer(edge.z, edge.axis)[index(edge.x, edge.y)] = static_cast<std::int32_t>(vertex);
    codes_.push_back(static_cast<std::uint16_t>(code | (edge.inside ? k_inside : 0)));
  }

 private:
  static constexpr std::int32_t k_none = -1;
  static constexpr std::uint16_t k_inside = 256;

  /// A cut near an edge, counted from the edge's lower end in 1/256.
  struct Near {
    int cut = 0;
    std::int32_t vertex = k_none;
    bool known() const { return vertex != k_none; }
  };

  std::size_t index(std::int32_t x, std::int32_t y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(nx_) + static_cast<std::size_t>(x);
  }
  std::vector<std::int32_t>& layer(std::int32_t z, int axis) {
    return layers_[static_cast<std::size_t>(z & 1)][static_cast<std::size_t>(axis)];
  }

  /// Forgets the layer before the last one.
  void enter(std::int32_t z) {
    for (; entered_ < z; ++entered_)
      for (int axis = 0; axis < 3; ++axis) std::ranges::fill(layer(entered_ + 1, axis), k_none);
  }

  /// The cut of the edge (dx, dy, dz) away from another one across its axis; if it has none of the same sign, that of
  /// the next or of the previous edge along the axis.
  Near near(const Edge& edge, int dx, int dy, int dz) {
    const std::int32_t x = edge.x + dx, y = edge.y + dy, z = edge.z + dz;
    if (Near here = look(edge, x, y, z, 0); here.known()) return here;
    if (edge.axis == 0) {
      if (Near up = look(edge, x + 1, y, z, 256); up.known()) return up;
      return look(edge, x - 1, y, z, -256);
    }
    if (edge.axis == 1) {
      if (dz < 0)
        if (Near up = look(edge, x, y + 1, z, 256); up.known()) return up;
      return look(edge, x, y - 1, z, -256);
    }
    return look(edge, x, y, z - 1, -256);
  }
  Near look(const Edge& edge, std::int32_t x, std::int32_t y, std::int32_t z, int along) {
    if (x < 0 || y < 0 || z < 0 || x >= nx_ || y >= ny_) return {};
    const std::int32_t vertex = layer(z, edge.axis)[index(x, y)];
    if (vertex == k_none) return {};
    const std::uint16_t code = codes_[static_cast<std::size_t>(vertex)];
    if (((code & k_inside) != 0) != edge.inside) return {};
    return {(code & 255) + along, vertex};
  }

  std::int32_t nx_, ny_, entered_ = 0;
  std::array<std::array<std::vector<std::int32_t>, 3>, 2> layers_;  // vertices of edges, of two successive layers
  std::vector<std::uint16_t> codes_;                                // of vertices
};

}  // namespace eddyline::observe
