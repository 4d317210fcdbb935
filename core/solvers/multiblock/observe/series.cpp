#include "solvers/multiblock/observe/series.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "comm/collectives.hpp"
#include "comm/sums.hpp"

namespace eddyline::multiblock {

namespace {

template <int D>
const char* per_length() {
  return D == 2 ? "/m" : "";
}

/// Amounts of the whole fluid.
template <int D>
class Budget final : public solver::Observer {
 public:
  explicit Budget(Flow<D>& flow) : flow_(flow) {}
  std::string name() const override { return "budget"; }
  std::vector<solver::Column> columns() const override {
    std::vector<solver::Column> columns{{"step", "1"}, {"mass", std::string("kg") + per_length<D>()}};
    for (std::size_t d = 0; d < D; ++d)
      columns.push_back({std::array{"momentum_x", "momentum_y", "momentum_z"}[d], std::string("kg m/s") + per_length<D>()});
    columns.push_back({"kinetic_energy", std::string("J") + per_length<D>()});
    columns.push_back({"max_speed", "m/s"});
    return columns;
  }
  void add(comm::Sums& sums) override {
    std::array<ReproducibleSum, D + 2> own;
    const double density = flow_.world().fluid.density;
    fastest_ = 0;
    flow_.for_each_cell([&](const PieceFields<D>& piece, Int3, std::size_t c, std::size_t) {
      const double mass = density * piece.volume[c];
      double square = 0;
      own[0].add(mass);
      for (std::size_t d = 0; d < D; ++d) {
        const double u = piece.state[1 + d][c];
        own[1 + d].add(mass * u);
        square += u * u;
      }
      own[D + 1].add(0.5 * mass * square);
      fastest_ = std::max(fastest_, square);
    });
    for (std::size_t k = 0; k < own.size(); ++k) {
      const std::size_t index = sums.add(own[k]);
      if (k == 0) index_ = index;
    }
  }
  void read(const comm::Sums& sums, std::vector<double>& row) override {
    row.push_back(static_cast<double>(flow_.steps));
    for (std::size_t k = 0; k < D + 2; ++k) row.push_back(sums.value(index_ + k));
    double fastest = fastest_;
    comm::maximum(flow_.communicator(), std::span(&fastest, 1), "observers");
    row.push_back(std::sqrt(fastest));
  }

 private:
  Flow<D>& flow_;
  std::size_t index_ = 0;
  double fastest_ = 0;
};

/// Convergence of the cycles.
template <int D>
class Convergence final : public solver::Observer {
 public:
  explicit Convergence(Flow<D>& flow) : flow_(flow) {}
  std::string name() const override { return "residual"; }
  std::vector<solver::Column> columns() const override { return {{"residual", "1/s"}, {"drop", "1"}, {"cycles", "1"}}; }
  void read(const comm::Sums&, std::vector<double>& row) override {
    const double drop = flow_.largest_residual > 0 ? flow_.residual / flow_.largest_residual : 0.0;
    row.insert(row.end(), {flow_.residual, drop, static_cast<double>(flow_.cycles)});
  }

 private:
  Flow<D>& flow_;
};

/// Mass that enters through an opening, by the same flux as in the residual.
template <int D>
class OpeningSeries final : public solver::Observer {
 public:
  OpeningSeries(Flow<D>& flow, std::size_t number) : flow_(flow), number_(static_cast<std::int32_t>(number)) {}
  std::string name() const override {
    return "opening." + flow_.world().openings[static_cast<std::size_t>(number_)].name;
  }
  std::vector<solver::Column> columns() const override { return {{"mass_flow", D == 2 ? "kg/(m s)" : "kg/s"}}; }
  void add(comm::Sums& sums) override {
    flow_.finest().fill_ghosts();
    ReproducibleSum own;
    const double density = flow_.world().fluid.density;
    for (const BoundaryFace& face : flow_.finest().faces) {
      const bool is_opening = face.condition == Condition::inflow || face.condition == Condition::outflow ||
                              face.condition == Condition::stream;
      if (!is_opening || face.source != number_) continue;
      const PieceFields<D>& piece = flow_.finest().pieces[static_cast<std::size_t>(face.piece)];
      double through = 0;
      for (int d = 0; d < D; ++d) {
        const auto& u = piece.state[static_cast<std::size_t>(1 + d)];
        through +=
            0.5 * (u[static_cast<std::size_t>(face.cell)] + u[static_cast<std::size_t>(face.ghost)]) * face.normal[d];
      }
      own.add(-density * through * face.area);
    }
    index_ = sums.add(own);
  }
  void read(const comm::Sums& sums, std::vector<double>& row) override { row.push_back(sums.value(index_)); }

 private:
  Flow<D>& flow_;
  std::int32_t number_;
  std::size_t index_ = 0;
};

}  // namespace

template <int D>
std::vector<std::unique_ptr<solver::Observer>> make_observers(Flow<D>& flow) {
  std::vector<std::unique_ptr<solver::Observer>> observers;
  observers.push_back(std::make_unique<Budget<D>>(flow));
  observers.push_back(std::make_unique<Convergence<D>>(flow));
  for (std::size_t o = 0; o < flow.world().openings.size(); ++o)
    observers.push_back(std::make_unique<OpeningSeries<D>>(flow, o));
  return observers;
}

template std::vector<std::unique_ptr<solver::Observer>> make_observers(Flow<2>&);
template std::vector<std::unique_ptr<solver::Observer>> make_observers(Flow<3>&);

}  // namespace eddyline::multiblock
