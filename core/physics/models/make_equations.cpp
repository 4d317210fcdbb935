#include <algorithm>

#include "base/errors.hpp"
#include "physics/equations/set.hpp"
#include "physics/models/list.hpp"

namespace eddyline::physics {

namespace {

constexpr std::int32_t k_fewest_ghosts = 2;  // points between cells are interpolated from four cells an axis

Kernels kernels(const std::string& instructions, const Choice& choice) {
#ifdef EDDYLINE_HAS_AVX2
  if (instructions == "avx2") return kernels_avx2(choice);
#endif
#ifdef EDDYLINE_HAS_AVX512
  if (instructions == "avx512") return kernels_avx512(choice);
#endif
  (void)instructions;
  return kernels_scalar(choice);
}

Choice choice_of(const Settings& settings) {
  Choice choice{.name = settings.name, .dimensions = settings.dimensions(), .order = settings.whole("order", 4)};
  if (std::ranges::find(k_equations, choice.name) == k_equations.end()) {
    std::string names;
    for (const std::string_view name : k_equations) names += (names.empty() ? "\"" : ", \"") + std::string(name) + "\"";
    throw UserError("method.equations = \"" + settings.name + "\"; must be one of " + names + ".");
  }
  if (choice.order != 2 && choice.order != 4 && choice.order != 6)
    throw UserError("method.order = " + std::to_string(choice.order) + "; must be 2, 4 or 6.");
  const std::string reconstruction = settings.text("reconstruction", "muscl");
  if (reconstruction != "muscl" && reconstruction != "weno")
    throw UserError("method.reconstruction = \"" + reconstruction + "\"; must be \"muscl\" or \"weno\".");
  choice.reconstruction = reconstruction == "weno" ? Reconstruction::weno : Reconstruction::muscl;
  return choice;
}

}  // namespace

std::vector<std::string> equation_names() { return {k_equations.begin(), k_equations.end()}; }

std::unique_ptr<Equations> make_equations(const std::string& instructions, const Settings& settings) {
  const Choice choice = choice_of(settings);
  return with_model(choice, [&]<class Model, int D>() -> std::unique_ptr<Equations> {
    std::vector<std::string> known = Model::options();
    std::int32_t ghosts = k_fewest_ghosts;
    if constexpr (Model::k_kind == Kind::fluxes) {
      known.emplace_back("reconstruction");
      if (choice.reconstruction == Reconstruction::weno) ghosts = Reconstruct<Reconstruction::weno>::k_ghosts;
    } else {
      ghosts = std::max(ghosts, Model::k_reach);
    }
    for (const auto& [name, value] : settings.options)
      if (std::ranges::find(known, name) == known.end())
        throw UserError("method." + name + ": the equations \"" + settings.name + "\" have no such option.");
    return std::make_unique<Set<Model, D>>(settings, kernels(instructions, choice), ghosts);
  });
}

std::unique_ptr<Equations> default_equations(const std::string& name, int dimensions) {
  world::World world;
  world.dimensions = dimensions;
  for (world::Side& side : world.sides) side.kind = world::SideKind::periodic;
  return make_equations("scalar", {name, {}, &world});
}

}  // namespace eddyline::physics
