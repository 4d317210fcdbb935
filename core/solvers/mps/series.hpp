#pragma once

#include <string>
#include <vector>

#include "solver/observer.hpp"
#include "solvers/mps/loads.hpp"
#include "solvers/mps/step.hpp"

namespace eddyline::mps {

/// Particles, mass, momentum, energies and largest speed of the fluid.
template <int D>
class Budget final : public solver::Observer {
 public:
  Budget(const Liquid<D>& liquid, const Step<D>& step) : liquid_(liquid), step_(step) {}
  std::string name() const override { return "budget"; }
  std::vector<solver::Column> columns() const override;
  void add(comm::Sums& sums) override;
  void read(const comm::Sums& sums, std::vector<double>& row) override;

 private:
  const Liquid<D>& liquid_;
  const Step<D>& step_;
  std::size_t index_ = 0;
};

/// The pressure solver: iterations of the last step and of all steps, residual, and the time step.
template <int D>
class SolverSeries final : public solver::Observer {
 public:
  SolverSeries(const Liquid<D>& liquid, const Step<D>& step) : liquid_(liquid), step_(step) {}
  std::string name() const override { return "solver"; }
  std::vector<solver::Column> columns() const override;
  void read(const comm::Sums&, std::vector<double>& row) override {
    const Control& control = step_.control;
    row.insert(row.end(), {static_cast<double>(control.solve.iterations), control.solve.residual,
                           static_cast<double>(control.iterations), control.time_step});
  }

 private:
  const Liquid<D>& liquid_;
  const Step<D>& step_;
};

/// Flow through one opening.
template <int D>
class OpeningSeries final : public solver::Observer {
 public:
  OpeningSeries(const Liquid<D>& liquid, const Loads<D>& loads, const domain::Opening<D>& opening)
      : liquid_(liquid), loads_(loads), opening_(opening) {}
  std::string name() const override { return "opening." + opening_.world.name; }
  std::vector<solver::Column> columns() const override;
  void add(comm::Sums& sums) override;
  void read(const comm::Sums& sums, std::vector<double>& row) override;

 private:
  const Liquid<D>& liquid_;
  const Loads<D>& loads_;
  const domain::Opening<D>& opening_;
  std::size_t index_ = 0;
};

}  // namespace eddyline::mps
