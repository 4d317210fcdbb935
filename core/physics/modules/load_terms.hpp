#pragma once

#include <memory>
#include <string>
#include <vector>

#include "physics/equations/settings.hpp"
#include "physics/terms/module_terms.hpp"

namespace eddyline::physics {

/// A term of particles from a library, with the parameters of a world. Throws UserError.
std::unique_ptr<terms::ModuleTerms> make_terms_from_module(const std::string& instructions, const std::string& library,
                                                           const Settings& settings);
/// The terms of modules that a world states, in the order of its file, computed with an instruction set. Throws
/// UserError.
std::vector<std::unique_ptr<terms::ModuleTerms>> module_terms_of(const world::World& world,
                                                                 const std::string& instructions);

}  // namespace eddyline::physics
