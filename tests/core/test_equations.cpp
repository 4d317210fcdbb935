// Equations on a patch: what they keep of fluxes, the same bits for any instruction set and patch, and the cells beyond
// sides.
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/instructions.hpp"
#include "harness.hpp"
#include "physics/equations/equations.hpp"
#include "solvers/amr/sides.hpp"

using namespace eddyline;
using grid::IndexBox;

namespace {

world::World box_of(int dimensions, world::SideKind kind) {
  world::World world;
  world.dimensions = dimensions;
  world.fluid.kinematic_viscosity = 1e-3;
  world.fluid.density = 1;
  for (world::Side& side : world.sides) side.kind = kind, side.slip = true;
  return world;
}

/// A patch of a periodic field, with ghosts, and the memory of its stages.
class Patch {
 public:
  Patch(const physics::Equations& equations, const IndexBox& cells, int dimensions)
      : equations_(equations), dimensions_(dimensions) {
    place_.spacing = 0.1;
    place_.cells = cells;
    place_.domain = {{0, 0, 0}, {16, 16, dimensions == 3 ? 16 : 1}};
    grown_ = cells.grown(equations.ghosts(), dimensions);
    const std::size_t fields = equations.fields().size();
    const std::array<std::ptrdiff_t, 3> stride{1, grown_.count(0),
                                               static_cast<std::ptrdiff_t>(grown_.count(0)) * grown_.count(1)};
    for (std::size_t f = 0; f < fields; ++f) {
      std::vector<double>& values = with_ghosts_.emplace_back();
      for_each_cell(grown_, [&](Int3 cell) { values.push_back(value(f, cell)); });
      std::vector<double>& own = own_.emplace_back();
      for_each_cell(cells, [&](Int3 cell) { own.push_back(value(f, cell)); });
      result_.emplace_back(own.size());
    }
    for (std::size_t f = 0; f < fields; ++f) {
      inputs_.push_back({with_ghosts_[f].data() + grown_.index(cells.lower), stride});
      begin_.push_back(own_[f].data());
      to_.push_back(result_[f].data());
    }
  }

  void advance(double weight, std::array<double*, 3> fluxes) {
    physics::Stage stage;
    stage.place = place_;
    stage.in = inputs_;
    stage.weight = weight;
    stage.slots.fill(begin_.data());
    stage.to = to_.data();
    stage.fluxes = fluxes;
    equations_.advance(stage);
  }
  std::array<std::vector<double>, 3> room_for_fluxes() const {
    std::array<std::vector<double>, 3> room;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d)
      room[d].resize(static_cast<std::size_t>(faces(d).cells()) * inputs_.size(), NAN);
    return room;
  }
  IndexBox faces(std::size_t axis) const {
    IndexBox box = place_.cells;
    ++box.upper[axis];
    return box;
  }
  double begin(std::size_t field, Int3 cell) const { return own_[field][index(cell)]; }
  double result(std::size_t field, Int3 cell) const { return result_[field][index(cell)]; }
  const physics::Place& place() const { return place_; }

 private:
  std::size_t index(Int3 cell) const { return static_cast<std::size_t>(place_.cells.index(cell)); }
  double value(std::size_t field, Int3 cell) const {
    double phase = 0.3 * static_cast<double>(field);
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d)
      phase += 2 * 3.14159265 / 16 * cell[d] * static_cast<double>(d + 1);
    const double wave = 0.2 * std::sin(phase);
    const bool is_energy = field + 1 == equations_.fields().size();
    return field == 0 ? 1 + wave : is_energy ? 4 + wave : wave;
  }

  const physics::Equations& equations_;
  int dimensions_;
  physics::Place place_;
  IndexBox grown_;
  std::vector<std::vector<double>> with_ghosts_, own_, result_;
  std::vector<physics::Input> inputs_;
  std::vector<const double*> begin_;
  std::vector<double*> to_;
};

std::unique_ptr<physics::Equations> make(const std::string& name, const std::string& instructions,
                                         const std::string& reconstruction, const world::World& world) {
  return physics::make_equations(instructions, {name, {{"reconstruction", reconstruction}}, &world});
}

}  // namespace

TEST(fluxes_that_a_stage_keeps_are_those_that_it_adds) {
  for (const int dimensions : {2, 3})
    for (const std::string name : {"euler", "navier-stokes"}) {
      const world::World world = box_of(dimensions, world::SideKind::periodic);
      const auto equations = make(name, choose_instructions("auto"), "muscl", world);
      Patch patch(*equations, {{2, 4, 0}, {13, 11, dimensions == 3 ? 5 : 1}}, dimensions);
      auto room = patch.room_for_fluxes();
      patch.advance(0.01, {room[0].data(), room[1].data(), dimensions == 3 ? room[2].data() : nullptr});
      for (std::size_t f = 0; f < equations->fields().size(); ++f)
        for_each_cell(patch.place().cells, [&](Int3 cell) {
          double sum = 0;
          for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
            const IndexBox faces = patch.faces(d);
            Int3 next = cell;
            ++next[d];
            const double* of_field = room[d].data() + static_cast<std::int64_t>(f) * faces.cells();
            sum += of_field[faces.index(cell)] - of_field[faces.index(next)];
          }
          CHECK_NEAR(patch.result(f, cell), patch.begin(f, cell) + 0.01 * sum / 0.1, 1e-15 * 16);
        });
    }
}

TEST(patches_and_instruction_sets_change_no_bit) {
  for (const int dimensions : {2, 3})
    for (const std::string name : {"euler", "navier-stokes", "burgers"})
      for (const std::string reconstruction : {"muscl", "weno"}) {
        const world::World world = box_of(dimensions, world::SideKind::periodic);
        const std::int32_t deep = dimensions == 3 ? 6 : 1;
        const auto scalar = make(name, "scalar", reconstruction, world);
        Patch whole(*scalar, {{0, 0, 0}, {16, 16, deep}}, dimensions);
        whole.advance(0.01, {});
        for (const std::string& instructions : instruction_sets()) {
          const auto equations = make(name, instructions, reconstruction, world);
          for (const IndexBox& cells : {IndexBox{{0, 0, 0}, {16, 16, deep}}, IndexBox{{3, 5, 0}, {14, 6, deep}}}) {
            Patch part(*equations, cells, dimensions);
            part.advance(0.01, {});
            bool same = true;
            for (std::size_t f = 0; f < equations->fields().size(); ++f)
              for_each_cell(cells, [&](Int3 cell) { same = same && part.result(f, cell) == whole.result(f, cell); });
            CHECK(same);
          }
        }
      }
}

TEST(walls_mirror_and_corners_are_filled) {
  const world::World world = box_of(3, world::SideKind::wall);
  const auto equations = make("euler", "scalar", "weno", world);
  const amr::Sides sides(*equations, 3);
  physics::Place place;
  place.spacing = 1;
  place.cells = place.domain = {{0, 0, 0}, {5, 4, 6}};
  const IndexBox grown = place.cells.grown(3, 3);
  std::vector<std::vector<double>> memory;
  std::vector<double*> fields;
  const auto inside = [](std::size_t f, Int3 c) {
    return 1.0 + static_cast<double>(f) + c[0] + 10 * c[1] + 100 * c[2];
  };
  for (std::size_t f = 0; f < 5; ++f) memory.emplace_back(static_cast<std::size_t>(grown.cells()), NAN);
  for (std::size_t f = 0; f < 5; ++f) {
    for_each_cell(place.cells, [&](Int3 c) { memory[f][static_cast<std::size_t>(grown.index(c))] = inside(f, c); });
    fields.push_back(memory[f].data());
  }
  sides.fill(place, grown, fields, 0);
  for (std::size_t f = 0; f < 5; ++f)
    for_each_cell(grown, [&](Int3 cell) {
      Int3 mirrored = cell;
      double sign = 1;
      for (std::size_t d = 0; d < 3; ++d) {
        if (cell[d] >= 0 && cell[d] < place.domain.upper[d]) continue;
        mirrored[d] = cell[d] < 0 ? -1 - cell[d] : 2 * place.domain.upper[d] - 1 - cell[d];
        if (f == d + 1) sign = -sign;
      }
      CHECK(fields[f][grown.index(cell)] == sign * inside(f, mirrored));
    });
}

TEST(equations_that_are_not_known_are_refused) {
  const world::World world = box_of(2, world::SideKind::stream);
  CHECK_THROWS(make("maxwell", "scalar", "muscl", world), "must be one of \"wave\"");
  CHECK_THROWS(make("euler", "scalar", "plm", world), "must be \"muscl\" or \"weno\"");
  CHECK_THROWS(make("wave", "scalar", "muscl", world), "have no such option");
  CHECK_THROWS(amr::Sides(*make("euler", "scalar", "muscl", world), 2), "boundaries");
}
