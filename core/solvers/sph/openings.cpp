#include "solvers/sph/openings.hpp"

#include <algorithm>
#include <cstring>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "domain/migrate.hpp"
#include "solvers/sph/state/fluid_state.hpp"

namespace eddyline::sph {

using domain::copy_particle;

namespace {

/// Buffer number of fluid that has left through a stream, until it is removed.
constexpr std::uint8_t k_left_through_stream = 255;

}  // namespace

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
template <class T>
void Openings<D>::pass(FluidState<T, D>& fluid, double ahead) {
  const std::int64_t n = fluid.size();
  const auto count = [&](Opening<D>& opening, std::size_t i, double sign) {
    opening.mass.add(sign * fluid.mass[i]);
    for (int d = 0; d < D; ++d) opening.momentum[static_cast<std::size_t>(d)].add(sign * fluid.mass[i] * fluid.v[d][i]);
  };
  for (auto& opening : all_) opening.allowed_depth = std::max(opening.allowed_depth, ahead * opening.fastest());
  entering_.resize(0);
  const auto place = [&](std::size_t i) {
    Vec3 x = vector_of(fluid.x, i);
    for (std::size_t d = 0; d < D; ++d) x[d] += ahead * fluid.v[d][i];
    return x;
  };
  const auto outflow_of = [&](std::size_t i) {  // the outflow that the particle has passed
    return std::ranges::find_if(
        all_, [&, x = place(i)](const auto& opening) { return !opening.world.inflow && opening.sites.is_through(x); });
  };
  const auto stream_of = [&](std::size_t i) {  // in its corners as well
    return std::ranges::find_if(all_, [&, x = place(i)](const auto& opening) {
      return opening.world.stream && opening.sites.depth(x) > opening.reference_speed &&
             opening.sites.inward * fluid.v[opening.sites.axis][i] < 0;
    });
  };
  const auto is_at_end = [&](std::size_t i) {
    const auto& opening = all_[fluid.buffer[i] - 1u];
    return opening.world.stream && opening.sites.depth(place(i)) > opening.sites.length();
  };
  const auto enters = [&](std::size_t i) {
    const auto& opening = all_[fluid.buffer[i] - 1u];
    return opening.world.inflow && !(opening.sites.depth(place(i)) > 0);
  };
  const bool has_streams = std::ranges::any_of(all_, [](const auto& opening) { return opening.world.stream; });
  sparse_.find(n, 1e-9, [&](std::size_t i) {
    if (fluid.buffer[i] != 0) return enters(i) || is_at_end(i);
    return outflow_of(i) != all_.end() || (has_streams && stream_of(i) != all_.end());
  });
  sparse_.for_each([&](std::size_t i) {
    if (fluid.buffer[i] == 0) {
      if (const auto outflow = outflow_of(i); outflow != all_.end()) {
        fluid.buffer[i] = static_cast<std::uint8_t>(outflow - all_.begin() + 1);
        count(*outflow, i, -1);
      } else if (const auto stream = stream_of(i); stream != all_.end()) {
        fluid.buffer[i] = k_left_through_stream;
        count(*stream, i, -1);
      }
    } else if (enters(i)) {
      count(all_[fluid.buffer[i] - 1u], i, 1);
      entering_.push_back(static_cast<std::int32_t>(i));
    } else if (is_at_end(i)) {
      const auto& sites = all_[fluid.buffer[i] - 1u].sites;
      fluid.x[sites.axis][i] += sites.inward * sites.length();
    }
  });
  fluid.for_each_array([&](auto& array) { array.resize(static_cast<std::size_t>(n) + entering_.size()); });
  for (std::size_t e = 0; e < entering_.size(); ++e) {
    const auto from = static_cast<std::size_t>(entering_[e]), to = static_cast<std::size_t>(n) + e;
    const auto& sites = all_[fluid.buffer[from] - 1u].sites;
    copy_particle([&](auto&& visit) { fluid.for_each_array(visit); }, from, to);
    fluid.id[to] += sites.columns;  // the count is the id's last part
    fluid.x[sites.axis][to] -= sites.inward * sites.length();
    fluid.buffer[from] = 0;
  }
}

template <int D>
template <class T>
bool Openings<D>::is_spent(const FluidState<T, D>& fluid, std::size_t i) const {
  if (fluid.buffer[i] == 0) return false;
  if (fluid.buffer[i] == k_left_through_stream) return true;
  const auto& opening = all_[fluid.buffer[i] - 1u];
  return !opening.world.inflow && opening.sites.depth(vector_of(fluid.x, i)) > opening.sites.length();
}

template <int D>
template <class T>
void Openings<D>::find_members(const FluidState<T, D>& fluid) {
  members_.resize(0);
  if (all_.empty()) return;
  const auto is_member = [&](std::size_t i) { return fluid.buffer[i] != 0; };
  sparse_.find(fluid.size(), 1e-9, is_member);
  sparse_.for_each([&](std::size_t i) {
    if (is_member(i)) members_.push_back(static_cast<std::int32_t>(i));
  });
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

#define EDDYLINE_OPENINGS(T, D)                                                    \
  template void Openings<D>::pass(FluidState<T, D>&, double);                      \
  template bool Openings<D>::is_spent(const FluidState<T, D>&, std::size_t) const; \
  template void Openings<D>::find_members(const FluidState<T, D>&);

EDDYLINE_OPENINGS(float, 2)
EDDYLINE_OPENINGS(float, 3)
EDDYLINE_OPENINGS(double, 2)
EDDYLINE_OPENINGS(double, 3)

#undef EDDYLINE_OPENINGS

template class Openings<2>;
template class Openings<3>;

}  // namespace eddyline::sph
