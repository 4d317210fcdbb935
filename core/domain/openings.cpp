#include "domain/openings.hpp"

#include <algorithm>
#include <cstring>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "particles/id.hpp"

namespace eddyline::domain {

template <int D>
std::array<double, D> Opening<D>::velocity_of(std::int64_t id, const Vec3& x) const {
  if (world.inflow) return velocity[static_cast<std::size_t>(particles::site_of_opening_id(id))];
  std::int64_t lower[2], upper[2];
  double share[2];
  for (int k = 0; k < 2; ++k) {
    const int d = k == 0 ? sites.first : sites.second;
    const double place = sites.count[k] == 1 ? 0 : within((x[d] - sites.origin[d]) / sites.step[d], sites.count[k] - 1);
    lower[k] = std::min<std::int64_t>(static_cast<std::int64_t>(place), std::max(0, sites.count[k] - 2));
    upper[k] = std::min<std::int64_t>(lower[k] + 1, sites.count[k] - 1);
    share[k] = place - static_cast<double>(lower[k]);
  }
  const auto at = [&](std::int64_t a, std::int64_t b) -> const std::array<double, D>& {
    return velocity[static_cast<std::size_t>(b * sites.count[0] + a)];
  };
  std::array<double, D> v;
  for (std::size_t d = 0; d < D; ++d) {
    const double low = (1 - share[0]) * at(lower[0], lower[1])[d] + share[0] * at(upper[0], lower[1])[d];
    const double high = (1 - share[0]) * at(lower[0], upper[1])[d] + share[0] * at(upper[0], upper[1])[d];
    v[d] = (1 - share[1]) * low + share[1] * high;
  }
  return v;
}

template <int D>
Openings<D>::Openings(const world::World& world) : far_field_(world) {
  for (const auto& opening : world.openings) {
    Opening<D> o;
    o.world = opening;
    o.sites = particles::opening_sites(world, opening);
    o.first_node = nodes_;
    o.layers = opening.inflow ? o.sites.columns : k_outflow_layers;
    o.velocity.assign(static_cast<std::size_t>(o.sites.sites()), {});
    nodes_ += o.layers * static_cast<std::int32_t>(o.sites.sites());
    all_.push_back(std::move(o));
  }
}

template <int D>
Vec3 Openings<D>::node(std::int32_t number) const {
  const auto after = std::upper_bound(all_.begin(), all_.end(), number,
                                      [](std::int32_t n, const Opening<D>& o) { return n < o.first_node; });
  const Opening<D>& o = *(after - 1);
  const std::int64_t local = number - o.first_node, layer = local / o.sites.sites();
  Vec3 x = o.sites.site(local % o.sites.sites());
  x[o.sites.axis] += o.sites.inward * (static_cast<double>(layer) + 0.5) * o.sites.pitch;
  return x;
}

template <int D>
void Openings<D>::save(ArchiveWriter& archive) const {
  far_field_.save(archive);
  for (const Opening<D>& o : all_) {
    const std::string name = "opening." + o.world.name + ".";
    archive.put_value(name + "ruled",
                      std::array{o.pace, o.pressure, o.reference_speed, o.lead, o.slope, o.allowed_depth});
    archive.put(name + "velocity", std::span<const std::array<double, D>>(o.velocity));
    if (o.world.stream) archive.put(name + "sound", std::span<const typename Opening<D>::Sound>(o.sound));
    archive.put_value(name + "known", static_cast<std::uint8_t>(o.is_here));
    archive.put_value(name + "mass", o.mass);
    for (std::size_t d = 0; d < D; ++d) archive.put_value(name + "momentum" + "xyz"[d], o.momentum[d]);
  }
}

template <int D>
void Openings<D>::restore(const std::vector<ArchiveReader>& parts, comm::Communicator& communicator) {
  far_field_.restore(parts, communicator);
  for (Opening<D>& o : all_) {
    const std::string name = "opening." + o.world.name + ".";
    std::array<double, 6> ruled{};
    bool known = false;
    comm::agree(communicator, "checkpoint", [&] {
      if (communicator.is_root()) parts.at(0).get_value(name + "ruled", ruled);
      known = take_flow(o, parts);
    });
    ruled = comm::broadcast(communicator, ruled, 0, "checkpoint");
    o.pace = ruled[0], o.pressure = ruled[1], o.reference_speed = ruled[2], o.lead = ruled[3], o.slope = ruled[4];
    share_sites(o, known, communicator);
  }
}

/// Restores the mass flow through an opening, and its velocities from a part of a rank that had cells at it; they are
/// the same in all such parts. Returns whether there was one.
template <int D>
bool Openings<D>::take_flow(Opening<D>& o, const std::vector<ArchiveReader>& parts) {
  const std::string name = "opening." + o.world.name + ".";
  o.mass = {}, o.momentum = {};
  bool known = false;
  for (const auto& part : parts) {
    ReproducibleSum own;
    part.get_value(name + "mass", own);
    o.mass.merge(own);
    for (std::size_t d = 0; d < D; ++d) {
      part.get_value(name + "momentum" + "xyz"[d], own);
      o.momentum[d].merge(own);
    }
    std::uint8_t was_here = 0;
    part.get_value(name + "known", was_here);
    if (was_here == 0 || known) continue;
    const auto values = part.template get<std::array<double, D>>(name + "velocity");
    if (values.size() != o.velocity.size())
      throw UserError("checkpoint: opening " + o.world.name +
                      " has other injection points than the world; the checkpoint was written for another world.");
    o.velocity = values;
    if (o.world.stream) o.sound = part.template get<typename Opening<D>::Sound>(name + "sound");
    std::array<double, 6> ruled{};
    part.get_value(name + "ruled", ruled);
    o.allowed_depth = ruled[5];
    known = true;
  }
  return known;
}

template <int D>
void Openings<D>::share(comm::Communicator& communicator) {
  for (Opening<D>& o : all_) share_sites(o, o.is_here, communicator);
}

/// Broadcasts the values of sites. `known`: whether this rank has them; all ranks that have them hold the same values.
template <int D>
void Openings<D>::share_sites(Opening<D>& o, bool known, comm::Communicator& communicator) {
  double source = known ? communicator.rank() : -1;
  comm::maximum(communicator, {&source, 1}, "openings");
  const auto share = [&]<class Value>(std::vector<Value>& values) {
    const auto own = std::as_bytes(std::span(values));
    const auto all =
        comm::broadcast(communicator, std::vector(own.begin(), own.end()), static_cast<int>(source), "openings");
    values.resize(all.size() / sizeof(Value));
    if (!all.empty()) std::memcpy(values.data(), all.data(), all.size());
  };
  share(o.velocity);
  if (source >= 0)
    o.allowed_depth = comm::broadcast(communicator, o.allowed_depth, static_cast<int>(source), "openings");
  if (o.world.stream) share(o.sound);
}

template struct Opening<2>;
template struct Opening<3>;
template class Openings<2>;
template class Openings<3>;

}  // namespace eddyline::domain
