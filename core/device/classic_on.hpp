#pragma once
// The scheme classic on one backend, see Classic. Included by the backends only.

#include <functional>
#include <utility>
#include <vector>

#include "device/classic_loops.hpp"
#include "device/flow_on.hpp"

namespace eddyline::device {

template <class Backend, class T, int D>
class ClassicOn final : public FlowOn<Backend, T, D, Classic<T, D>> {
 public:
  using Base = FlowOn<Backend, T, D, Classic<T, D>>;
  using Given = physics::classic::SweepInput<T>;
  using Base::Base;

  void set_wall_volumes(std::span<const double> share, std::span<const double> volume) override {
    share_.upload(share), volume_.upload(volume);
  }
  void write_midpoint_rows(const physics::classic::RowUnits& units,
                           const physics::classic::MidpointPrediction& prediction) override {
    backend_.for_each(n_, WriteClassicRows<T, D>{fluid(), units, prediction});
  }
  void extrapolate_to_walls(Given given, const WallDrive<T, D>& drive, const WallFactors& factors) override {
    backend_.for_each(walls_count_, ExtrapolateClassic<T, D>{for_walls(given), this->driven_walls(drive), share_.data(),
                                                             volume_.data(), factors});
    this->copy_wall_images();
  }
  void sum_rates(Given given, physics::classic::Terms terms) override {
    const ClassicInput<T> in = for_fluid(given);
    const auto all = fluid();
    physics::classic::RateResults<T, D> out{all.s_rate_old, all.u_rate_old, {}, {}, all.spread, all.closing};
    for (int d = 0; d < D; ++d) out.force[d] = all.v_rate_old[d], out.drift[d] = all.drift[d];
    [&]<std::size_t... Choice>(std::index_sequence<Choice...>) {
      ((Choice == terms.index() ? backend_.for_each(Base::whole(n_), SumClassicRates<T, D, Choice>{in, out}) : void()),
       ...);
    }(std::make_index_sequence<physics::classic::Terms::k_choices>());
  }
  std::vector<Entrant> correct(const CorrectFactors& factors) override {
    this->clear_numbers();
    CorrectFactors by = factors;
    if (this->near_count_ == 0) by.bodies = 0;
    entrant_.resize(by.bodies > 0 ? this->near_count_ : 0);
    backend_.for_each(n_, Correct<T, D>{fluid(), this->formulas_, arrays(), by});
    if (entrant_.size() == 0) return {};
    std::vector<Entrant> entrants(this->fetch_numbers().suspects);
    entrant_.download(entrants.data(), entrants.size());
    return entrants;
  }
  void finish(const std::vector<Entrant>& checked, const CorrectFactors& factors) override {
    entrant_.upload(checked);
    this->found_is_new_ = this->found_is_new_ && checked.empty();
    backend_.for_each(static_cast<std::int64_t>(checked.size()), FinishEntrants<T, D>{fluid(), arrays(), factors});
  }
  void sum_reactions(Given given, bool gas, T* const* pressure, T* const* viscous) override {
    const ClassicInput<T> in = for_walls(given);
    const std::int64_t count = Base::whole(walls_count_);
    const auto all = static_cast<std::size_t>(count);
    this->reaction_.resize(2 * D * all);
    physics::classic::ReactionResults<T, D> out{};
    for (int d = 0; d < D; ++d) {
      out.pressure[d] = this->reaction_.data() + Base::axis(d) * all;
      out.viscous[d] = this->reaction_.data() + Base::axis(D + d) * all;
    }
    if (gas)
      backend_.for_each(count, SumClassicReactions<T, D, true>{in, out});
    else
      backend_.for_each(count, SumClassicReactions<T, D, false>{in, out});
    for (int d = 0; d < D && all > 0; ++d) {
      backend_.download(pressure[d], out.pressure[d], all * sizeof(T));
      backend_.download(viscous[d], out.viscous[d], all * sizeof(T));
    }
  }

 private:
  template <class X>
  using Memory = typename Base::template Memory<X>;
  using Base::backend_, Base::n_, Base::walls_count_;

  void for_each_buffer(const std::function<void(std::size_t)>& visit_bytes) override {
    Base::for_each_buffer(visit_bytes);
    visit_bytes(share_.bytes()), visit_bytes(volume_.bytes()), visit_bytes(entrant_.bytes());
  }
  ClassicFluid<T, D> fluid() const {
    const auto& values = this->values_;
    const auto& results = this->results_;
    ClassicFluid<T, D> f{};
    f.mass = this->mass_.data(), f.s = this->s_.data(), f.u = this->further_[0].data();
    f.s_rate = values[0].data(), f.u_rate = values[1].data();
    f.s_rate_old = values[D + 2].data(), f.u_rate_old = values[D + 3].data();
    for (std::size_t d = 0; d < D; ++d) {
      f.x[d] = this->x_[d].data(), f.v[d] = this->v_[d].data();
      f.v_rate[d] = values[2 + d].data(), f.v_rate_old[d] = values[D + 4 + d].data();
      f.drift[d] = results[d].data();
    }
    f.spread = results[D].data(), f.closing = results[D + 1].data();
    f.surface = this->surface_.data(), f.near_walls = this->near_walls_.data();
    f.slot = this->rows_.slot.data(), f.rows = this->rows_.parts();
    return f;
  }
  EntrantArrays arrays() const { return {this->numbers_.data(), entrant_.data(), this->corners_.data()}; }
  /// The input of sums for particles of the fluid, and of sums for dummy particles.
  ClassicInput<T> for_fluid(const Given& given) const {
    const RowParts<T> rows = this->rows_.parts(), walls = this->wall_rows_.parts();
    ClassicInput<T> in{given};
    in.fluid = {rows.first, rows.rest}, in.walls = {walls.first, walls.rest};
    this->set_fluid_targets(in);
    return in;
  }
  ClassicInput<T> for_walls(const Given& given) const {
    ClassicInput<T> in = for_fluid(given);
    this->set_wall_targets(in);
    return in;
  }

  Memory<double> share_{backend_}, volume_{backend_};
  Memory<Entrant> entrant_{backend_};
};

}  // namespace eddyline::device
