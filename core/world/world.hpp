#pragma once
// The checked world: what a world file says, as numbers in SI units. Files and schemas are Python's; nothing here
// parses. Every value has been validated before a Simulation is made from it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/vec.hpp"
#include "world/formula.hpp"
#include "world/motion.hpp"
#include "world/shapes.hpp"

namespace eddyline::world {

/// The variables that fields and boundary values may use, in the order of Formula::evaluate().
inline const std::vector<std::string> k_field_variables{"x", "y", "z", "t"};

enum class SideKind { wall, periodic, open, inflow, outflow, stream };

/// One side of the domain; their order in World::sides is left, right, bottom, top, front, back.
struct Side {
  SideKind kind = SideKind::wall;
  bool slip = false;                // walls only
  std::array<Formula, 3> velocity;  // of the wall in its own plane, or of the stream [m/s], of x, y, z, t

  bool slides() const {
    return std::ranges::any_of(velocity, [](const Formula& component) {
      return !component.is_constant() || component.evaluate(std::array{0.0, 0.0, 0.0, 0.0}) != 0;
    });
  }
};

/// An opening for fluid to enter or leave: a segment (3D: a rectangle) across an axis. Beyond it is a buffer of
/// particles that the opening controls. A side of kind inflow, outflow or stream has an opening of its own name, which
/// covers it.
struct Opening {
  std::string name;
  bool inflow = true;
  bool stream = false;              // inflow: of a stream that bodies disturb, in or out as that turns
  int axis = 0;                     // across the opening
  int inward = 1;                   // +1: the fluid lies at higher coordinates than the opening, -1: at lower ones
  Vec3 lower, upper;                // corners [m], equal along the axis
  std::array<Formula, 3> velocity;  // inflow: imposed [m/s], of x, y, z, t
  double density = 0;               // inflow: density of the stream with this velocity [kg/m^3]; 0: any
  bool pressure_imposed = false;    // inflow: else extrapolated from the fluid
  Formula pressure;                 // [Pa], of x, y, z, t; outflow: the level about which waves pass
};

enum class Matter { liquid, ideal_gas };
enum class TurbulenceModel { none, spalart_allmaras };

struct Fluid {
  Matter matter = Matter::liquid;
  double density = 1000;           // rho0 [kg/m^3]; of a gas: the unit of pair sums
  double kinematic_viscosity = 0;  // nu [m^2/s]
  double sound_speed = 0;          // c0 [m/s]; of a gas: the unit of pair sums
  double gamma = 1.4;              // ratio of specific heats, gas only
  double prandtl = 0.72;           // gas only
  double gas_constant = 287.05;    // R in p = rho R T [J/(kg K)], gas only
  double sutherland = 0;           // Sutherland's temperature of the viscosity [K]; 0: constant; gas only
  TurbulenceModel turbulence = TurbulenceModel::none;  // gas only
  double turbulence_ratio = 3;                         // nu~ over nu at the start and of what enters
};

enum class PressureStart { zero, hydrostatic, formula };

/// Part of the domain that holds fluid at the start. A world without regions is filled.
struct Region {
  std::string name;
  ShapePtr shape;
  PressureStart pressure_start = PressureStart::zero;
  Formula pressure;  // [Pa], of x, y, z, t (t = 0)
  Formula density;   // [kg/m^3], of x, y, z, t (t = 0); gas only
};

/// A solid thing in the fluid, at rest unless it has a motion.
struct Body {
  std::string name;
  ShapePtr shape;  // at t = 0; null for a removed body, which keeps its number
  bool slip = false;
  std::optional<Motion> motion;

  /// The shape where it is at time t [s].
  ShapePtr shape_at(double t) const { return motion ? make_moved(shape, motion->at(t)) : shape; }
};

struct Start {
  std::array<Formula, 3> velocity;                     // [m/s], of x, y, z, t (t = 0)
  PressureStart pressure_start = PressureStart::zero;  // where no region says otherwise
  Formula pressure;                                    // [Pa]
  Formula density;                                     // [kg/m^3]; gas only
  double jitter = 0;                                   // largest displacement of the start lattice, in spacings
  bool fitted = false;                                 // fluid follows the surfaces of bodies
  double settle = 0;                                   // damped time before t = 0 [s]
  std::int64_t seed = 1;
};

enum class Scheme {
  delta,    // weakly compressible, with density diffusion and shifting
  classic,  // Monaghan's: artificial viscosity, thermal energy, predictor and corrector
};

/// Numerical choices. Defaults serve every world; physics/sph states where each comes from.
struct Method {
  Scheme scheme = Scheme::delta;
  double smoothing_ratio = 0;            // h / spacing; 0: 2 in 2D, 1.5 in 3D; classic, liquid: 1.3
  double cfl = 1.0;                      // dt <= cfl h / (c0 + max |v|); classic: cfl h / signal speed
  double viscous_cfl = 0.1;              // dt <= viscous_cfl h^2 / nu; the viscous term alone is unstable above 0.116
  double density_diffusion = 0.1;        // delta
  double acoustic_damping = -1;          // delta: alpha; -1: 0.2 with a free surface, 0.1 without
  double artificial_viscosity = 0.003;   // alpha: nu_eff = max(nu, alpha h c0 / (2 (D + 2))) between fluid particles
  double artificial_viscosity_beta = 0;  // classic: for shocks
  double artificial_conductivity = 0;    // classic, gas only: alpha_u
  double xsph = 0;                       // classic: epsilon
  bool shifting = true;
  double shifting_strength = 0;     // A; 0: 6 with a free surface, 3 without
  double shifting_cap = 0.1;        // largest shift of a step, in spacings
  double volume_relaxation = 0.01;  // rate at which density follows the volume fraction, in c0/h
  double skin = 0;                  // Verlet skin in spacings; 0: chosen by the program
  bool double_precision = false;    // pair sums in double
  double speed_limit = 0;           // the blow-up doctor's limit [m/s]; 0: the speed of sound
};

/// Point observers; forces on bodies and walls and the budgets are always there.
struct Probe {
  std::string name;
  Vec3 position;
};
struct Gauge {  // height of the free surface above `position`, along `axis`
  std::string name;
  Vec3 position;
  int axis = 1;
};
struct Front {  // position of the foremost fluid along `axis`
  std::string name;
  int axis = 0;
};

/// Value of an option of a solver.
using OptionValue = std::variant<bool, std::int64_t, double, std::string>;

struct Mesh;

struct World {
  std::string solver = "sph";                  // see driver::solver_names()
  std::map<std::string, OptionValue> options;  // of solvers other than sph, and "friction.NAME" and the like of walls
  std::map<std::string, Formula> fields;       // start of a solver's own fields, of x, y, z, t (t = 0)
  std::shared_ptr<const Mesh> mesh;            // of solvers on body-fitted blocks, else null
  int dimensions = 2;
  Vec3 origin, size;                  // [m]
  double spacing = 0;                 // dx [m]
  Vec3 gravity;                       // [m/s^2]
  std::array<Formula, 3> body_force;  // acceleration [m/s^2], of x, y, z, t
  std::array<Side, 6> sides;
  std::vector<Opening> openings;
  Fluid fluid;
  std::vector<Region> regions;
  std::vector<Body> bodies;
  Start start;
  Method method;
  std::vector<Probe> probes;
  std::vector<Gauge> gauges;
  std::vector<Front> fronts;
};

}  // namespace eddyline::world
