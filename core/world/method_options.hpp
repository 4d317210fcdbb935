#pragma once
// Options of the solver sph as one table: bindings and the package take names and types from it.

#include <array>
#include <string_view>
#include <variant>

#include "world/world.hpp"

namespace eddyline::world {

/// One option: its name in [method], and the member that takes its value. The default is that of Method.
struct MethodOption {
  std::string_view name;
  std::variant<bool Method::*, double Method::*> member;
};

inline constexpr std::array k_method_options{
    MethodOption{"smoothing_ratio", &Method::smoothing_ratio},
    MethodOption{"cfl", &Method::cfl},
    MethodOption{"viscous_cfl", &Method::viscous_cfl},
    MethodOption{"density_diffusion", &Method::density_diffusion},
    MethodOption{"acoustic_damping", &Method::acoustic_damping},
    MethodOption{"artificial_viscosity", &Method::artificial_viscosity},
    MethodOption{"artificial_viscosity_beta", &Method::artificial_viscosity_beta},
    MethodOption{"artificial_conductivity", &Method::artificial_conductivity},
    MethodOption{"xsph", &Method::xsph},
    MethodOption{"shifting", &Method::shifting},
    MethodOption{"shifting_strength", &Method::shifting_strength},
    MethodOption{"shifting_cap", &Method::shifting_cap},
    MethodOption{"volume_relaxation", &Method::volume_relaxation},
    MethodOption{"skin", &Method::skin},
    MethodOption{"speed_limit", &Method::speed_limit},
};

}  // namespace eddyline::world
