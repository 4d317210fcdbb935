#pragma once
// Layers of points parallel to a polygon.

#include <vector>

#include "world/shapes.hpp"
#include "world/shapes/offset.hpp"

namespace eddyline::world {

/// Shape::layers for polygons.
///
/// A layer's points stand on the polygon's parallel curve in the middle of the layer, on its corners and evenly
/// between them. Where less than 0.7 spacings are left to the middle line of the shape (or of a notch, outside), the
/// points of both sides share that line; sharp tips that reach beyond the last corner point get points along their
/// middle line. Points of a layer are never nearer than 0.6 spacings to each other: of two that would be, the later
/// one gives its volume to the other; nor are they nearer than half a spacing to points of the layer before.
///
/// The volumes of a layer add up to the area between its two parallel curves, which is computed exactly. Each point's
/// own share is its length along the curve times the thickness of the layer there, which is exact wherever the
/// layer's curves all have the same sides and arcs; elsewhere it is scaled so that the sum is right. Outside, the parts
/// of notches that are narrower than a spacing stay empty, and the first layer has so much less.
std::vector<SurfacePoint> polygon_layers(const Outline& outline, double spacing, int count, bool inside);

}  // namespace eddyline::world
