#include <algorithm>

#include "base/errors.hpp"
#include "physics/equations/make_set.hpp"
#include "physics/models/list.hpp"
#include "physics/modules/load.hpp"

namespace eddyline::physics {

namespace {

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
  choice.reconstruction = reconstruction_of(settings);
  return choice;
}

}  // namespace

std::vector<std::string> equation_names() { return {k_equations.begin(), k_equations.end()}; }

std::unique_ptr<Equations> make_equations(const std::string& instructions, const Settings& settings) {
  if (settings.name.starts_with(k_module_prefix)) return make_from_module(instructions, settings);
  const Choice choice = choice_of(settings);
  return with_model(choice, [&]<class Model, int D>() -> std::unique_ptr<Equations> {
    return make_set<Model, D>(settings, kernels(instructions, choice), choice.reconstruction);
  });
}

std::unique_ptr<Equations> default_equations(const std::string& name, int dimensions,
                                             const std::map<std::string, world::OptionValue>& options) {
  world::World world;
  world.dimensions = dimensions;
  for (world::Side& side : world.sides) side.kind = world::SideKind::periodic;
  return make_equations("scalar", {name, options, &world});
}

}  // namespace eddyline::physics
