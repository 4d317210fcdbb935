#include "solvers/multiblock/observe/loads.hpp"

#include <algorithm>
#include <array>

#include "comm/sums.hpp"
#include "physics/artificial_compressibility/terms.hpp"
#include "solvers/multiblock/gas_rows.hpp"

namespace eddyline::multiblock {

namespace {

namespace terms = physics::artificial_compressibility;

constexpr std::size_t k_sums = 10;  // of an owner: pressure, friction, torque, power

}  // namespace

template <class E>
Loads<E>::Loads(Flow<E>& flow)
    : flow_(flow), owners_(solver::loaded_solids(flow.world())), has_work_(solver::has_work(flow.world())) {}

template <class E>
bool Loads<E>::has_power(std::int32_t owner) const {
  return owner >= 0 && flow_.world().bodies[static_cast<std::size_t>(owner)].motion.has_value();
}

template <class E>
Vec3 Loads<E>::pivot_of(std::int32_t owner) const {
  if (owner < 0) return {};
  const world::Body& body = flow_.world().bodies[static_cast<std::size_t>(owner)];
  if (body.motion) {
    const world::Pose pose = body.motion->at(flow_.time);
    return pose.pivot + pose.displacement;
  }
  const auto [lowest, highest] = body.shape->bounds();
  return 0.5 * (lowest + highest);
}

/// Force of the fluid on the wall of a face, as the residual has it.
template <class E>
typename Loads<E>::FaceForce Loads<E>::on(const BoundaryFace& face) const {
  const PieceFields<E>& piece = flow_.finest().pieces[static_cast<std::size_t>(face.piece)];
  const auto cell = static_cast<std::size_t>(face.cell), ghost = static_cast<std::size_t>(face.ghost);
  const auto& values = piece.values();
  FaceForce force;
  force.pressure = flow_.pressure_unit() * 0.5 * (values[0][ghost] + values[0][cell]) * face.area * face.normal;
  if (face.condition != Condition::wall) return force;
  terms::Vector<double, D> outwards, line;
  for (std::size_t d = 0; d < D; ++d) {
    outwards[d] = face.area * face.normal[static_cast<int>(d)];
    line[d] = piece.center[d][ghost] - piece.center[d][cell];
  }
  const bool full = flow_.residual_terms().needs_gradients(flow_.finest());
  const auto mean = [&](std::size_t v, std::size_t c) {
    return full ? 0.5 * (piece.gradient[1 + v][c][cell] + piece.gradient[1 + v][c][ghost]) : 0.0;
  };
  const double per_volume = 2 / (piece.volume[ghost] + piece.volume[cell]);
  terms::Vector<double, D> friction;
  if constexpr (E::k_is_gas) {
    namespace gas = physics::compressible;
    const auto inner = load_cell<double>(piece, face.cell), outer = load_cell<double>(piece, face.ghost);
    const Scheme& scheme = flow_.residual_terms().scheme();
    const double mu = viscosity_of(scheme, 0.5 * (inner.theta + outer.theta));
    gas::Gradient<double, D> gradient;
    for (std::size_t v = 0; v <= D; ++v)
      for (std::size_t c = 0; c < D; ++c) gradient[v][c] = mean(v, c);
    friction = full ? gas::full_friction<double, D>(inner, outer, gradient, line, outwards, mu, 0.0).stress
                    : gas::thin_layer_friction<double, D>(inner, outer, outwards, per_volume, mu, 0.0).stress;
  } else {
    terms::Unknowns<double, D> inner, outer;
    terms::Gradient<double, D> gradient{};
    for (std::size_t d = 0; d < D; ++d) {
      inner[1 + d] = piece.state[1 + d][cell], outer[1 + d] = piece.state[1 + d][ghost];
      for (std::size_t c = 0; c < D; ++c) gradient[d][c] = mean(d, c);
    }
    const double nu = flow_.world().fluid.kinematic_viscosity;
    friction = full ? terms::full_friction<double, D>(inner, outer, gradient, line, outwards, nu)
                    : terms::thin_layer_friction<double, D>(inner, outer, outwards, per_volume, nu);
  }
  for (int d = 0; d < D; ++d) force.viscous[d] = -flow_.pressure_unit() * friction[static_cast<std::size_t>(d)];
  return force;
}

template <class E>
void Loads<E>::add(comm::Sums& sums) {
  const bool has_gradients = flow_.residual_terms().needs_gradients(flow_.finest());
  flow_.prepare(has_gradients ? Prepared::gradients : Prepared::ghosts);
  const std::size_t count = owners_.size() + 1;  // the last: power of sides
  std::vector<ReproducibleSum> own(count * k_sums);
  for (const BoundaryFace& face : flow_.finest().faces) {
    const auto found = std::ranges::find(owners_, face.owner);
    if (found == owners_.end()) continue;
    const FaceForce force = on(face);
    const Vec3 total = force.pressure + force.viscous;
    const Vec3 torque = cross_product(face.center - pivot_of(face.owner), total);
    const double power = -dot(total, face.velocity);
    const auto first = static_cast<std::size_t>(found - owners_.begin()) * k_sums;
    for (int d = 0; d < 3; ++d) {
      const auto k = first + static_cast<std::size_t>(d);
      own[k].add(force.pressure[d]);
      own[k + 3].add(force.viscous[d]);
      own[k + 6].add(torque[d]);
    }
    own[first + 9].add(power);
    if (face.owner < 0) own[owners_.size() * k_sums].add(power);
  }
  for (std::size_t k = 0; k < own.size(); ++k) {
    const std::size_t index = sums.add(own[k]);
    if (k == 0) index_ = index;
  }
}

template <class E>
solver::Load Loads<E>::load(std::size_t k, const comm::Sums& sums) const {
  const auto v = sums.template values<k_sums>(index_ + k * k_sums);
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}, v[9]};
}

template <class E>
double Loads<E>::power_of_sides(const comm::Sums& sums) const {
  return sums.value(index_ + owners_.size() * k_sums);
}

template class Loads<Incompressible<2>>;
template class Loads<Incompressible<3>>;
template class Loads<Gas<2>>;
template class Loads<Gas<3>>;

}  // namespace eddyline::multiblock
