#include "solvers/multiblock/observe/series.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "comm/collectives.hpp"
#include "comm/sums.hpp"
#include "solvers/multiblock/solver.hpp"

namespace eddyline::multiblock {

namespace {

/// Amounts of the whole fluid.
template <class E>
class Budget final : public solver::Observer {
  static constexpr int D = E::k_dimensions;

 public:
  explicit Budget(Flow<E>& flow) : flow_(flow) {}
  std::string name() const override { return "budget"; }
  std::vector<solver::Column> columns() const override { return describe(flow_.world()).columns(name()); }
  void add(comm::Sums& sums) override {
    std::array<ReproducibleSum, k_sums> own;
    fastest_ = 0;
    flow_.for_each_cell([&](const PieceFields<E>& piece, Int3, std::size_t c, std::size_t) {
      const double mass = flow_.density(piece, c) * piece.volume[c];
      const auto value = flow_.values(piece, c);
      double square = 0;
      own[0].add(mass);
      for (std::size_t d = 0; d < D; ++d) {
        const double u = value[1 + d];
        own[1 + d].add(mass * u);
        square += u * u;
      }
      own[D + 1].add(0.5 * mass * square);
      if (E::k_is_gas) own[k_sums - 1].add(piece.state[E::k_unknowns - 1][c] * piece.volume[c]);
      fastest_ = std::max(fastest_, square);
    });
    for (std::size_t k = 0; k < own.size(); ++k) {
      const std::size_t index = sums.add(own[k]);
      if (k == 0) index_ = index;
    }
  }
  void read(const comm::Sums& sums, std::vector<double>& row) override {
    row.push_back(static_cast<double>(flow_.steps));
    for (std::size_t k = 0; k < k_sums; ++k) row.push_back(sums.value(index_ + k));
    double fastest = fastest_;
    comm::maximum(flow_.communicator(), std::span(&fastest, 1), "observers");
    row.push_back(std::sqrt(fastest));
  }

 private:
  static constexpr std::size_t k_sums = D + 2 + (E::k_is_gas ? 1 : 0);

  Flow<E>& flow_;
  std::size_t index_ = 0;
  double fastest_ = 0;
};

/// Convergence of the cycles.
template <class E>
class Convergence final : public solver::Observer {
 public:
  explicit Convergence(Flow<E>& flow) : flow_(flow) {}
  std::string name() const override { return "residual"; }
  std::vector<solver::Column> columns() const override { return describe(flow_.world()).columns(name()); }
  void read(const comm::Sums&, std::vector<double>& row) override {
    const double drop = flow_.largest_residual > 0 ? flow_.residual / flow_.largest_residual : 0.0;
    row.insert(row.end(), {flow_.residual, drop, static_cast<double>(flow_.cycles)});
  }

 private:
  Flow<E>& flow_;
};

/// The turbulence model: its convergence, the largest eddy viscosity, y+ of the cells at walls with friction.
template <class E>
class TurbulenceSeries final : public solver::Observer {
  static constexpr int D = E::k_dimensions;

 public:
  explicit TurbulenceSeries(Flow<E>& flow) : flow_(flow) {}
  std::string name() const override { return "turbulence"; }
  std::vector<solver::Column> columns() const override { return describe(flow_.world()).columns(name()); }
  void add(comm::Sums& sums) override {
    ReproducibleSum area, weighted;
    largest_ = {0, 0};
    for (const BoundaryFace& face : flow_.finest().faces) {
      if (face.condition != Condition::wall) continue;
      const double value = y_plus(face);
      area.add(face.area);
      weighted.add(face.area * value);
      largest_[1] = std::max(largest_[1], value);
    }
    flow_.for_each_cell([&](const PieceFields<E>& piece, Int3, std::size_t c, std::size_t) {
      largest_[0] = std::max(largest_[0], flow_.eddy_ratio(piece, c));
    });
    index_ = sums.add(area);
    sums.add(weighted);
  }
  void read(const comm::Sums& sums, std::vector<double>& row) override {
    comm::maximum(flow_.communicator(), largest_, "observers");
    const double area = sums.value(index_);
    row.insert(row.end(), {flow_.turbulence()->residual(), largest_[0], largest_[1],
                           area > 0 ? sums.value(index_ + 1) / area : 0.0});
  }

 private:
  /// y u_tau / nu of the cell at a wall, with the friction rho u_tau^2 = mu u / y of its speed u along the wall.
  double y_plus(const BoundaryFace& face) const {
    const PieceFields<E>& piece = flow_.finest().pieces[static_cast<std::size_t>(face.piece)];
    const auto c = static_cast<std::size_t>(face.cell);
    const auto value = flow_.values(piece, c);
    Vec3 u;
    for (int d = 0; d < D; ++d) u[d] = value[static_cast<std::size_t>(1 + d)] - face.velocity[d];
    u = u - dot(u, face.normal) * face.normal;
    return std::sqrt(norm(u) * piece.turbulence.distance[c] / flow_.viscosity_at(piece, c));
  }

  Flow<E>& flow_;
  std::array<double, 2> largest_{};
  std::size_t index_ = 0;
};

/// Amounts and extremes of scalars, and their convergence.
template <int D>
class ScalarSeries final : public solver::Observer {
  using E = Incompressible<D>;

 public:
  explicit ScalarSeries(Flow<E>& flow) : flow_(flow) {}
  std::string name() const override { return "scalars"; }
  std::vector<solver::Column> columns() const override { return describe(flow_.world()).columns(name()); }
  void add(comm::Sums& sums) override {
    const std::size_t count = flow_.scalars()->all().size();
    std::vector<ReproducibleSum> own(count + 1);  // the last: the volume
    extremes_.assign(2 * count, -INFINITY);
    flow_.for_each_cell([&](const PieceFields<E>& piece, Int3, std::size_t c, std::size_t) {
      own[count].add(piece.volume[c]);
      for (std::size_t k = 0; k < count; ++k) {
        const double value = flow_.scalars()->of(piece).scalars[k].now[c];
        own[k].add(value * piece.volume[c]);
        extremes_[2 * k] = std::max(extremes_[2 * k], -value);
        extremes_[2 * k + 1] = std::max(extremes_[2 * k + 1], value);
      }
    });
    for (std::size_t k = 0; k <= count; ++k) {
      const std::size_t index = sums.add(own[k]);
      if (k == 0) index_ = index;
    }
  }
  void read(const comm::Sums& sums, std::vector<double>& row) override {
    comm::maximum(flow_.communicator(), extremes_, "observers");
    const std::size_t count = flow_.scalars()->all().size();
    const double volume = sums.value(index_ + count);
    for (std::size_t k = 0; k < count; ++k) {
      const double total = sums.value(index_ + k);
      row.insert(row.end(),
                 {total, total / volume, -extremes_[2 * k], extremes_[2 * k + 1], flow_.scalars()->residuals()[k]});
    }
  }

 private:
  Flow<E>& flow_;
  std::vector<double> extremes_;
  std::size_t index_ = 0;
};

/// Mass that enters through an opening, by the same flux as in the residual.
template <class E>
class OpeningSeries final : public solver::Observer {
  static constexpr int D = E::k_dimensions;

 public:
  OpeningSeries(Flow<E>& flow, std::size_t number) : flow_(flow), number_(static_cast<std::int32_t>(number)) {}
  std::string name() const override {
    return "opening." + flow_.world().openings[static_cast<std::size_t>(number_)].name;
  }
  std::vector<solver::Column> columns() const override { return describe(flow_.world()).columns(name()); }
  void add(comm::Sums& sums) override {
    flow_.prepare(Prepared::ghosts);
    ReproducibleSum own;
    for (const BoundaryFace& face : flow_.finest().faces) {
      const bool is_opening = face.condition == Condition::inflow || face.condition == Condition::outflow ||
                              face.condition == Condition::stream;
      if (!is_opening || face.source != number_) continue;
      const PieceFields<E>& piece = flow_.finest().pieces[static_cast<std::size_t>(face.piece)];
      double through = 0;
      for (int d = 0; d < D; ++d) {
        const auto& u = piece.values()[static_cast<std::size_t>(1 + d)];
        through +=
            0.5 * (u[static_cast<std::size_t>(face.cell)] + u[static_cast<std::size_t>(face.ghost)]) * face.normal[d];
      }
      double density = flow_.world().fluid.density;
      if (E::k_is_gas)
        density = 0.5 * (piece.state[0][static_cast<std::size_t>(face.cell)] +
                         piece.state[0][static_cast<std::size_t>(face.ghost)]);
      own.add(-density * through * face.area);
    }
    index_ = sums.add(own);
  }
  void read(const comm::Sums& sums, std::vector<double>& row) override { row.push_back(sums.value(index_)); }

 private:
  Flow<E>& flow_;
  std::int32_t number_;
  std::size_t index_ = 0;
};

}  // namespace

template <class E>
std::vector<std::unique_ptr<solver::Observer>> make_observers(Flow<E>& flow) {
  std::vector<std::unique_ptr<solver::Observer>> observers;
  observers.push_back(std::make_unique<Budget<E>>(flow));
  observers.push_back(std::make_unique<Convergence<E>>(flow));
  if (flow.turbulence() != nullptr) observers.push_back(std::make_unique<TurbulenceSeries<E>>(flow));
  if constexpr (!E::k_is_gas)
    if (flow.scalars() != nullptr) observers.push_back(std::make_unique<ScalarSeries<E::k_dimensions>>(flow));
  for (std::size_t o = 0; o < flow.world().openings.size(); ++o)
    observers.push_back(std::make_unique<OpeningSeries<E>>(flow, o));
  return observers;
}

template std::vector<std::unique_ptr<solver::Observer>> make_observers(Flow<Incompressible<2>>&);
template std::vector<std::unique_ptr<solver::Observer>> make_observers(Flow<Incompressible<3>>&);
template std::vector<std::unique_ptr<solver::Observer>> make_observers(Flow<Gas<2>>&);
template std::vector<std::unique_ptr<solver::Observer>> make_observers(Flow<Gas<3>>&);

}  // namespace eddyline::multiblock
