#pragma once
// FlowOn: the state of particles, their order and their lists. Included by flow_on.hpp.

#include <algorithm>

#include "device/flow_on.hpp"

namespace eddyline::device {

template <class Backend, class T, int D, class Scheme>
void FlowOn<Backend, T, D, Scheme>::upload(const HostFluid<T, D>& fluid, const Layout<D>& layout) {
  n_ = fluid.count;
  put(id_, fluid.id), put(mass_, fluid.mass), put(s_, fluid.s), put(surface_, fluid.surface);
  const auto all = static_cast<std::size_t>(whole(n_));
  for (int d = 0; d < D; ++d) {
    const std::size_t k = axis(d);
    put(x_[k], fluid.x[d]), put(v_[k], fluid.v[d]);
  }
  for (std::size_t k = 0; k < further_.size(); ++k) put(further_[k], fluid.numbers[k]);
  for (std::size_t k = 0; k < values_.size(); ++k) put(values_[k], fluid.values[k]);
  for (auto& each : results_) each.resize(all);
  numbers_.resize(1), clear_numbers();
  rebuild_.set_cells(*layout.cells);
  const auto cells = static_cast<std::size_t>(rebuild_.cell_count());
  for (auto* group : {&lower_, &upper_})
    for (auto& each : *group) each.resize(cells);
  rebuild_.set_rows(layout.fluid, rows_);
  fluid_travels_.set(layout.between_ranks);
  resize_rows();
}

template <class Backend, class T, int D, class Scheme>
void FlowOn<Backend, T, D, Scheme>::upload_walls(const HostWalls<T>& walls, const WallLayout<D>& layout) {
  walls_count_ = walls.count;
  rebuild_.set_rows(layout.rows, wall_rows_);
  walls_travel_.set(layout.between_ranks);
  const auto rows = static_cast<std::size_t>(wall_rows_.count) + 1;
  wall_rows_.first.upload(walls.rows.first, rows * neighbors::k_first_part);
  wall_rows_.rest.upload(walls.rows.rest, rows * neighbors::rest_of(k_wall));
  no_slip_.upload(walls.no_slip, static_cast<std::size_t>(walls.count));
  if (walls.is_wet != nullptr) is_wet_.upload(walls.is_wet, static_cast<std::size_t>(walls.count));
  moving_.upload(layout.moving);
}

template <class Backend, class T, int D, class Scheme>
bool FlowOn<Backend, T, D, Scheme>::sort(const SortFactors& by) {
  if (by.may_leave) {
    unsigned int* const leavers = &numbers_.data()->counted;
    backend_.clear(leavers, sizeof *leavers);
    CountLeavers<D> count{{}, by.lowest, by.highest, leavers};
    for (int d = 0; d < D; ++d) count.x[d] = x_[axis(d)].data();
    backend_.for_each(n_, count);
    unsigned int found = 0;
    backend_.download(&found, leavers, sizeof found);
    if (found > 0) return false;
  }
  void* const memory = spare(RebuildOn<Backend, T, D>::k_sorting_bytes * static_cast<std::size_t>(n_));
  typename RebuildOn<Backend, T, D>::Places places;
  for (int d = 0; d < D; ++d) places.x[d] = x_[axis(d)].data(), places.v[d] = v_[axis(d)].data();
  rebuild_.sort(n_, places, id_.data(), by, memory, rows_, [this](const std::int32_t* order, double* spare) {
    for (auto* each : {&mass_, &s_}) reorder(*each, order, spare);
    reorder(id_, order, spare), reorder(surface_, order, spare);
    for (std::size_t k = 0; k < k_axes; ++k)
      for (auto* each : {&x_, &v_}) reorder((*each)[k], order, spare);
    for (auto& each : further_) reorder(each, order, spare);
    // The results of sweeps are not in use.
    constexpr std::size_t k_all = Scheme::k_values, k_once = k_all <= Scheme::k_results ? k_all : k_all / 2;
    for (std::size_t first = 0; first < k_all; first += k_once) {
      ReorderAll<T, static_cast<int>(k_once)> all{order, {}, {}};
      for (std::size_t k = 0; k < k_once; ++k) all.from[k] = values_[first + k].data(), all.to[k] = results_[k].data();
      backend_.for_each(n_, all);
      for (std::size_t k = 0; k < k_once; ++k) values_[first + k].swap(results_[k]);
    }
  });
  resize_rows();
  return true;
}

template <class Backend, class T, int D, class Scheme>
void FlowOn<Backend, T, D, Scheme>::build_lists(float cut_squared, bool with_bodies, const HostSides& sides) {
  using Rebuild = RebuildOn<Backend, T, D>;
  void* const memory = spare(std::max(Rebuild::list_memory(n_, rows_), Rebuild::list_memory(walls_count_, wall_rows_)));
  const std::int32_t *slot = rows_.slot.data(), *wall_slot = wall_rows_.slot.data();
  rebuild_.build({n_, rows_, slot, rows_, cut_squared}, memory, fluid_fluid_);
  rebuild_.build({n_, rows_, slot, wall_rows_, cut_squared}, memory, fluid_wall_);
  rebuild_.build({walls_count_, wall_rows_, wall_slot, rows_, cut_squared}, memory, wall_fluid_);
  near_walls_.resize(with_bodies ? static_cast<std::size_t>(n_) : 0);
  near_count_ = with_bodies ? rebuild_.mark_near_walls(n_, rows_, wall_rows_, memory, &numbers_.data()->counted,
                                                       near_walls_.data())
                            : 0;
  beside_count_ = sides.decides ? count_beside(sides) : 0;
  rows_.first.clear(), rows_.rest.clear();  // the sentinel must be zeros
}

template <class Backend, class T, int D, class Scheme>
void FlowOn<Backend, T, D, Scheme>::download(const HostFluid<T, D>& fluid, bool is_sorted) {
  const auto n = static_cast<std::size_t>(n_);
  if (is_sorted) id_.download(fluid.id, n), mass_.download(fluid.mass, n);
  s_.download(fluid.s, n), surface_.download(fluid.surface, n);
  for (int d = 0; d < D; ++d) {
    const std::size_t k = axis(d);
    x_[k].download(fluid.x[d], n), v_[k].download(fluid.v[d], n);
  }
  for (std::size_t k = 0; k < further_.size(); ++k) further_[k].download(fluid.numbers[k], n);
  for (std::size_t k = 0; k < values_.size(); ++k) values_[k].download(fluid.values[k], n);
}

template <class Backend, class T, int D, class Scheme>
void FlowOn<Backend, T, D, Scheme>::download_walls(const HostWalls<T>& walls) {
  if (walls.is_wet != nullptr) is_wet_.download(walls.is_wet, static_cast<std::size_t>(walls_count_));
  wall_rows_.first.download(walls.rows.first, wall_rows_.first.size());
  wall_rows_.rest.download(walls.rows.rest, wall_rows_.rest.size());
}

template <class Backend, class T, int D, class Scheme>
void FlowOn<Backend, T, D, Scheme>::download_places(const FixedPoint& fixed, double* const* place) {
  spare_.resize(static_cast<std::size_t>(n_));
  for (int d = 0; d < D; ++d) {
    backend_.for_each(rebuild_.cell_count(), UnwrapPositions{rebuild_.cells(), rows_.cells(), fixed, d,
                                                             rows_.positions[axis(d)].data(), spare_.data()});
    spare_.download(place[d], static_cast<std::size_t>(n_));
  }
}

template <class Backend, class T, int D, class Scheme>
void FlowOn<Backend, T, D, Scheme>::for_each_buffer(const std::function<void(std::size_t)>& visit_bytes) {
  const auto visit = [&](const auto& buffer) { visit_bytes(buffer.bytes()); };
  const auto visit_all = [&](const auto&... group) { (std::ranges::for_each(group, visit), ...); };
  visit_all(x_, v_, further_, values_, results_, lower_, upper_, moved_by_, wall_v_, g_);
  visit(id_), visit(mass_), visit(s_), visit(reaction_);
  for (auto* each : {&surface_, &near_walls_, &no_slip_, &is_wet_}) visit(*each);
  for (auto* rows : {&rows_, &wall_rows_}) rows->for_each_buffer(visit);
  for (auto* list : {&fluid_fluid_, &fluid_wall_, &wall_fluid_}) list->for_each_buffer(visit);
  rebuild_.for_each_buffer(visit), fluid_travels_.for_each_buffer(visit), walls_travel_.for_each_buffer(visit);
  visit(moving_), visit(corners_), visit(inflows_), visit(code_), visit(numbers_), visit(spare_);
}

}  // namespace eddyline::device
