// Checkpoints of a flow.

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "solvers/multiblock/flow.hpp"

namespace eddyline::multiblock {

namespace {

constexpr const char* k_turbulence = "turbulence";  // the name of nu~ in checkpoints
constexpr const char* k_scalar = "scalar.";         // and what those of scalars begin with

/// Names of the unknowns in checkpoints.
template <class E>
const char* name_of(std::size_t unknown) {
  if (!E::k_is_gas) return std::array{"p", "u", "v", "w"}[unknown];
  return unknown + 1 == E::k_unknowns ? "energy" : std::array{"density", "mx", "my", "mz"}[unknown];
}

/// The cells of all ranks, by id.
template <class Cell>
std::vector<Cell> of_all_ranks(comm::Communicator& communicator, const std::vector<Cell>& own, std::int64_t cells) {
  std::vector<Cell> all = own;
  if (!communicator.is_alone()) {
    all = comm::gather_values(communicator, std::span(own), "checkpoint").second;
    std::vector<std::byte> bytes(all.size() * sizeof(Cell));
    if (!bytes.empty()) std::memcpy(bytes.data(), all.data(), bytes.size());
    bytes = comm::broadcast(communicator, std::move(bytes), 0, "checkpoint");
    all.resize(bytes.size() / sizeof(Cell));
    if (!bytes.empty()) std::memcpy(static_cast<void*>(all.data()), bytes.data(), bytes.size());
  }
  std::ranges::sort(all, {}, &Cell::id);
  comm::agree(communicator, "checkpoint", [&] {
    if (static_cast<std::int64_t>(all.size()) != cells || std::ranges::adjacent_find(all, {}, &Cell::id) != all.end())
      throw UserError("checkpoint: cells are missing; it is damaged.");
  });
  return all;
}

}  // namespace

template <class E>
void Flow<E>::save(ArchiveWriter& archive) const {
  archive.put_value("clock", std::array{time, residual, largest_residual});
  archive.put_value("counts",
                    std::array<std::int64_t, 5>{steps, cycles, last_cycles, converged ? 1 : 0, world_.mesh->cells()});
  const auto size = static_cast<std::size_t>(own_cells_);
  std::vector<std::int64_t> ids(size);
  for_each_cell(
      [&](const PieceFields<E>& piece, Int3 cell, std::size_t, std::size_t n) { ids[n] = id_of(piece, cell); });
  archive.put("id", std::span<const std::int64_t>(ids));
  std::vector<double> values(size);
  const auto put = [&](const std::string& prefix, auto member) {
    for (std::size_t v = 0; v < E::k_unknowns; ++v) {
      for_each_cell(
          [&](const PieceFields<E>& piece, Int3, std::size_t c, std::size_t n) { values[n] = (piece.*member)[v][c]; });
      archive.put(prefix + name_of<E>(v), std::span<const double>(values));
    }
  };
  put("now.", &PieceFields<E>::state);
  put("before.", &PieceFields<E>::before);
  save_scalars(archive);
  if (turbulence_ == nullptr) return;
  const auto put_turbulence = [&](const std::string& prefix, auto member) {
    for_each_cell([&](const PieceFields<E>& piece, Int3, std::size_t c, std::size_t n) {
      values[n] = (piece.turbulence.*member)[c];
    });
    archive.put(prefix + k_turbulence, std::span<const double>(values));
  };
  put_turbulence("now.", &TurbulenceFields<D>::nu);
  put_turbulence("before.", &TurbulenceFields<D>::before);
}

/// Every rank hands its parts to all: a checkpoint may have been written with other cuts.
template <class E>
void Flow<E>::restore(const std::vector<ArchiveReader>& parts) {
  constexpr std::size_t N = E::k_unknowns;
  struct Cell {
    std::int64_t id;
    std::array<double, 2 * (N + 1)> values;  // of the unknowns and of the turbulence model
  };
  std::vector<Cell> read;
  std::array<double, 3> clock{};
  std::array<std::int64_t, 5> counts{};
  comm::agree(communicator_, "checkpoint", [&] {
    for (const ArchiveReader& part : parts) {
      part.get_value("clock", clock);
      part.get_value("counts", counts);
      if (counts[4] != world_.mesh->cells()) throw UserError("checkpoint: it belongs to another mesh.");
      const auto ids = part.get<std::int64_t>("id");
      const std::size_t before = read.size();
      for (const std::int64_t id : ids) read.push_back({.id = id, .values = {}});
      std::size_t column = 0;
      for (const std::string prefix : {"now.", "before."})
        for (std::size_t v = 0; v <= N; ++v, ++column) {
          if (v == N && turbulence_ == nullptr) continue;
          const auto values = part.get<double>(prefix + (v == N ? k_turbulence : name_of<E>(v)));
          ArchiveReader::check_count(prefix, values.size(), ids.size());
          for (std::size_t n = 0; n < values.size(); ++n) read[before + n].values[column] = values[n];
        }
    }
  });
  clock = comm::broadcast(communicator_, clock, 0, "checkpoint");
  counts = comm::broadcast(communicator_, counts, 0, "checkpoint");
  const std::vector<Cell> all = of_all_ranks(communicator_, read, world_.mesh->cells());
  time = clock[0], residual = clock[1], largest_residual = clock[2];
  steps = counts[0], cycles = counts[1], last_cycles = counts[2], converged = counts[3] != 0;
  for (PieceFields<E>& piece : finest().pieces) {
    const Int3 cells = piece.extents.cells;
    for (std::int32_t k = 0; k < cells[2]; ++k)
      for (std::int32_t j = 0; j < cells[1]; ++j)
        for (std::int32_t i = 0; i < cells[0]; ++i) {
          const Cell& cell = all[static_cast<std::size_t>(id_of(piece, {i, j, k}))];
          const auto c = static_cast<std::size_t>(piece.extents.at(i, j, k));
          for (std::size_t v = 0; v < N; ++v)
            piece.state[v][c] = cell.values[v], piece.before[v][c] = cell.values[N + 1 + v];
          if (turbulence_ == nullptr) continue;
          piece.turbulence.nu[c] = cell.values[N], piece.turbulence.before[c] = cell.values[2 * N + 1];
        }
  }
  flow_converged = converged;
  prepared_ = Prepared::nothing;
  multigrid_.impose(boundaries_, time);
  set_forces();
  restore_scalars(parts);
  if constexpr (E::k_is_gas)
    if (turbulence_ != nullptr) turbulence_->set_eddy_viscosity();
}

template <class E>
void Flow<E>::save_scalars(ArchiveWriter& archive) const {
  if constexpr (!E::k_is_gas) {
    if (scalars_ == nullptr) return;
    std::vector<double> search = largest_of_scalars_;
    search.insert(search.end(), scalars_->residuals().begin(), scalars_->residuals().end());
    search.push_back(flow_converged ? 1 : 0);
    archive.put("scalars", std::span<const double>(search));
    std::vector<double> values(static_cast<std::size_t>(own_cells_));
    for (std::size_t k = 0; k < scalars_->all().size(); ++k) {
      const std::string name = k_scalar + scalars_->all()[k].name;
      const auto put = [&](const std::string& prefix, auto member) {
        for_each_cell([&](const PieceFields<E>& piece, Int3, std::size_t c, std::size_t n) {
          values[n] = (scalars_->of(piece).scalars[k].*member)[c];
        });
        archive.put(prefix + name, std::span<const double>(values));
      };
      put("now.", &ScalarFields<D>::now);
      put("before.", &ScalarFields<D>::before);
    }
  }
}

template <class E>
void Flow<E>::restore_scalars(const std::vector<ArchiveReader>& parts) {
  if constexpr (!E::k_is_gas) {
    if (scalars_ == nullptr) return;
    struct Cell {
      std::int64_t id;
      double now, before;
    };
    const std::size_t size = scalars_->all().size();
    std::vector<double> search(2 * size + 1, 0);
    for (std::size_t k = 0; k < scalars_->all().size(); ++k) {
      std::vector<Cell> read;
      comm::agree(communicator_, "checkpoint", [&] {
        for (const ArchiveReader& part : parts) {
          const std::string name = k_scalar + scalars_->all()[k].name;
          const auto ids = part.get<std::int64_t>("id");
          const auto now = part.get<double>("now." + name), before = part.get<double>("before." + name);
          const auto found = part.get<double>("scalars");
          ArchiveReader::check_count(name, now.size(), ids.size());
          ArchiveReader::check_count(name, before.size(), ids.size());
          ArchiveReader::check_count("scalars", found.size(), search.size());
          std::copy(found.begin(), found.end(), search.begin());
          for (std::size_t n = 0; n < ids.size(); ++n) read.push_back({ids[n], now[n], before[n]});
        }
      });
      const std::vector<Cell> all = of_all_ranks(communicator_, read, world_.mesh->cells());
      for_each_cell([&](const PieceFields<E>& piece, Int3 cell, std::size_t c, std::size_t) {
        const Cell& found = all[static_cast<std::size_t>(id_of(piece, cell))];
        ScalarFields<D>& scalar = scalars_->of(piece).scalars[k];
        scalar.now[c] = found.now, scalar.before[c] = found.before;
      });
    }
    for (double& value : search) value = comm::broadcast(communicator_, value, 0, "checkpoint");
    flow_converged = search.back() != 0;
    std::copy_n(search.begin(), size, largest_of_scalars_.begin());
    scalars_->set_residuals(std::span<const double>(search).subspan(size, size));
    if (!options_.steady) scalars_->impose(time);
  }
}

template void Flow<Incompressible<2>>::save(ArchiveWriter&) const;
template void Flow<Incompressible<3>>::save(ArchiveWriter&) const;
template void Flow<Gas<2>>::save(ArchiveWriter&) const;
template void Flow<Gas<3>>::save(ArchiveWriter&) const;
template void Flow<Incompressible<2>>::restore(const std::vector<ArchiveReader>&);
template void Flow<Incompressible<3>>::restore(const std::vector<ArchiveReader>&);
template void Flow<Gas<2>>::restore(const std::vector<ArchiveReader>&);
template void Flow<Gas<3>>::restore(const std::vector<ArchiveReader>&);

}  // namespace eddyline::multiblock
