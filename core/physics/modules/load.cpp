#include "physics/modules/load.hpp"

#include <dlfcn.h>

#include "physics/modules/entry.hpp"
#include "physics/modules/load_scalars.hpp"
#include "physics/modules/load_terms.hpp"
#include "physics/terms/terms.hpp"

namespace eddyline::physics {

namespace {

const ModuleEntry& load(const std::string& library) {
  void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) throw UserError("cannot be loaded: " + std::string(dlerror()) + ".");
  void* abi = dlsym(loaded, "eddyline_module_abi");
  void* entry = dlsym(loaded, "eddyline_module");
  if (abi == nullptr || entry == nullptr) throw UserError(library + " is not a module of Eddyline.");
  const std::string built = reinterpret_cast<decltype(&eddyline_module_abi)>(abi)();
  if (built != abi_of_modules())
    throw UserError(library + " was built for another version of Eddyline (" + built + "; this one is " +
                    abi_of_modules() + "). Build it again with `eddyline module build`.");
  return *reinterpret_cast<decltype(&eddyline_module)>(entry)();
}

}  // namespace

std::string abi_of_modules() { return module_abi(EDDYLINE_MODULE_HEADERS); }

std::string module_about(const std::string& library) { return load(library).about; }

namespace {

ModuleHost host() {
  return {[](const world::Formula& formula, std::span<const double> values) { return formula.evaluate(values); }};
}

}  // namespace

std::unique_ptr<Equations> make_from_module(const std::string& instructions, const Settings& settings) {
  const std::string library = settings.text("library", "");
  if (library.empty()) throw UserError("method.equations = \"" + settings.name + "\": its library is not known.");
  Settings own = settings;
  own.options.erase("library");
  const ModuleEntry& entry = load(library);
  if (entry.make == nullptr) throw UserError(library + " is no module for patches, and has no equations.");
  return std::unique_ptr<Equations>(entry.make(host(), instructions, own));
}

std::unique_ptr<terms::ModuleTerms> make_terms_from_module(const std::string& instructions, const std::string& library,
                                                           const Settings& settings) {
  const ModuleEntry& entry = load(library);
  if (entry.make_terms == nullptr) throw UserError(library + " is no module for particles, and has no terms.");
  return std::unique_ptr<terms::ModuleTerms>(entry.make_terms(host(), instructions, settings));
}

std::vector<std::unique_ptr<terms::ModuleTerms>> module_terms_of(const world::World& world,
                                                                 const std::string& instructions) {
  std::vector<std::unique_ptr<terms::ModuleTerms>> made;
  for (const terms::Term& each : terms::terms_of(world))
    if (each.kind == terms::Kind::module)
      made.push_back(make_terms_from_module(instructions, each.library, {"", each.parameters, &world}));
  return made;
}

std::unique_ptr<scalars::ModuleScalars> scalars_of(const world::World& world) {
  const auto library = world.options.find("library");
  if (library == world.options.end()) return nullptr;
  const ModuleEntry& entry = load(std::get<std::string>(library->second));
  if (entry.make_scalars == nullptr)
    throw UserError(std::get<std::string>(library->second) + " is no module for blocks, and has no scalars.");
  return std::unique_ptr<scalars::ModuleScalars>(entry.make_scalars(host(), {"", world.options, &world}));
}

}  // namespace eddyline::physics
