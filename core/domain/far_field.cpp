#include "domain/far_field.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "comm/collectives.hpp"

namespace eddyline::domain {

namespace {

/// Limit of the strength of a source or vortex: its speed at half of the domain's shortest side, over that of the
/// stream. A start or an accelerating body may exert a much larger force for a moment than any steady flow.
constexpr double k_largest = 0.2;

/// Returns the velocity of the stream, which is the same everywhere and at all times.
Vec3 stream_velocity(const world::World& world) {
  Vec3 U;
  const auto stream = std::ranges::find_if(world.openings, [](const auto& opening) { return opening.stream; });
  if (stream == world.openings.end()) return U;
  for (int d = 0; d < world.dimensions; ++d)
    U[d] = stream->velocity[static_cast<std::size_t>(d)].evaluate(std::array{0.0, 0.0, 0.0, 0.0});
  return U;
}

}  // namespace

template <int D>
FarField<D>::FarField(const world::World& world)
    : is_needed_(std::ranges::any_of(world.openings, [](const auto& opening) { return opening.stream; })) {}

template <int D>
void FarField<D>::clear_forces(std::size_t bodies) {
  forces_.assign(D * bodies, {});
}

template <int D>
void FarField<D>::follow(const world::World& world, double density, double t, double dt) {
  if (!is_needed_) return;
  const Vec3 U = stream_velocity(world);
  const double speed = norm(U), half = 0.5 * std::min(world.size.x, world.size.y);
  const double share = std::min(1.0, dt * speed / half);
  const double most = k_largest * speed * 2 * std::numbers::pi * half;
  bodies_.resize(world.bodies.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const auto& body = world.bodies[b];
    Disturbance& of = bodies_[b];
    if (body.shape == nullptr || !(speed > 0)) {
      of = {};
      continue;
    }
    const auto [low, high] = body.shape->bounds();
    Vec3 middle = 0.5 * (low + high), relative = U;
    if (body.motion) {
      const world::Pose pose = body.motion->at(t);
      middle = pose.place(middle);
      relative = U - pose.velocity_at(middle);
    }
    of.x = middle.x, of.y = middle.y;
    if (D * b + 1 < forces_.size()) {
      of.force_x += share * (forces_[D * b].value() - of.force_x);
      of.force_y += share * (forces_[D * b + 1].value() - of.force_y);
    }
    const double drag = (of.force_x * U.x + of.force_y * U.y) / speed;
    const double lift = (of.force_y * U.x - of.force_x * U.y) / speed;
    of.source = std::clamp(drag / (density * speed), -most, most);
    of.vortex = std::clamp(-lift / (density * speed), -most, most);
    const double room = body.shape->volume() / std::numbers::pi;
    of.dipole_x = room * relative.x, of.dipole_y = room * relative.y;
  }
}

template <int D>
std::array<double, D> FarField<D>::velocity(const Vec3& x) const {
  std::array<double, D> v{};
  for (const Disturbance& of : bodies_) {
    const double rx = x.x - of.x, ry = x.y - of.y, r2 = rx * rx + ry * ry;
    if (!(r2 > 0)) continue;
    const double to_strength = 1 / (2 * std::numbers::pi * r2);
    const double along = 2 * (of.dipole_x * rx + of.dipole_y * ry) / r2;
    v[0] += to_strength * (of.source * rx - of.vortex * ry) - (along * rx - of.dipole_x) / r2;
    v[1] += to_strength * (of.source * ry + of.vortex * rx) - (along * ry - of.dipole_y) / r2;
  }
  return v;
}

template <int D>
void FarField<D>::save(ArchiveWriter& archive) const {
  if (is_needed_) archive.put("far_field", std::span<const Disturbance>(bodies_));
}

template <int D>
void FarField<D>::restore(const std::vector<ArchiveReader>& parts, comm::Communicator& communicator) {
  if (!is_needed_) return;
  std::vector<std::byte> bytes;
  comm::agree(communicator, "checkpoint", [&] {
    if (!communicator.is_root()) return;
    const auto found = parts.at(0).get<Disturbance>("far_field");
    const auto own = std::as_bytes(std::span(found));
    bytes.assign(own.begin(), own.end());
  });
  bytes = comm::broadcast(communicator, std::move(bytes), 0, "checkpoint");
  bodies_.resize(bytes.size() / sizeof(Disturbance));
  if (!bytes.empty()) std::memcpy(bodies_.data(), bytes.data(), bytes.size());
}

template class FarField<2>;
template class FarField<3>;

}  // namespace eddyline::domain
