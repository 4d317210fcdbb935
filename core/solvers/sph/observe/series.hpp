#pragma once

#include <string>
#include <vector>

#include "solver/observer.hpp"
#include "solvers/sph/observe/loads.hpp"
#include "solvers/sph/parts.hpp"

namespace eddyline::sph {

/// Particles, mass, momentum, energies and largest speed of the fluid.
template <class T, int D>
class Budget final : public solver::Observer {
 public:
  explicit Budget(const State<T, D>& state) : state_(state), has_tension_(state.constants.free_surface) {}
  std::string name() const override { return "budget"; }
  std::vector<solver::Column> columns() const override;
  void add(comm::Sums& sums) override;
  void read(const comm::Sums& sums, std::vector<double>& row) override;

 private:
  std::size_t add_tension(comm::Sums& sums) const;

  const State<T, D>& state_;
  bool has_tension_;  // whether the share of the fluid under tension is known
  std::size_t index_ = 0, index_of_tension_ = 0;
};

/// Flow through one opening, and the force that the opening exerts on the fluid.
template <class T, int D>
class OpeningSeries final : public solver::Observer {
 public:
  OpeningSeries(const Parts<T, D>& parts, const Loads<T, D>& loads, std::size_t number)
      : state_(parts.state), scratch_(parts.scratch), loads_(loads), number_(number) {}
  std::string name() const override { return "opening." + opening().world.name; }
  std::vector<solver::Column> columns() const override;
  void add(comm::Sums& sums) override;
  void read(const comm::Sums& sums, std::vector<double>& row) override;

 private:
  const Opening<D>& opening() const { return state_.openings.all()[number_]; }

  const State<T, D>& state_;
  const Scratch<T, D>& scratch_;
  const Loads<T, D>& loads_;
  std::size_t number_, index_ = 0;
};

}  // namespace eddyline::sph
