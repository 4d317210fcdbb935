#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace eddyline::solver {

enum class PointKind : std::int32_t { fluid, walls };

/// A particle in snapshots.
struct PointRecord {
  std::int64_t id;
  double position[3], velocity[3];  // [m], [m/s]; 0 beyond the dimension; walls have no velocity here
  double density, pressure;         // [kg/m^3], of walls 0; [Pa]
  std::int32_t body;                // of walls: index of the body, or -1 - side
  std::uint16_t surface, buffer;    // of the fluid: 1 at the free surface; 1 + number of the opening of its buffer
};

/// A particle for viewers, in codes of 16 bits: value = lowest + code / 65535 (highest - lowest).
struct QuantizedParticle {
  std::uint16_t position[3];  // over the domain; 0 beyond the dimension
  std::uint16_t velocity[3];  // from -speed to speed
  std::uint16_t pressure, density;
};

/// Fluid particles within the domain, all or a fixed share of them, in no particular order.
struct QuantizedParticles {
  double speed = 0;             // [m/s]
  double pressure[2] = {0, 0};  // lowest and highest [Pa]
  double density[2] = {0, 0};   // [kg/m^3]
  std::vector<QuantizedParticle> particles;
  std::vector<std::int64_t> ids;  // if requested
};

/// Particles of a solver, for snapshots and viewers.
class Points {
 public:
  Points() = default;
  Points(const Points&) = delete;
  Points& operator=(const Points&) = delete;
  virtual ~Points() = default;

  /// Ids of the particles of this rank.
  virtual std::span<const std::int64_t> ids(PointKind kind) const = 0;
  virtual PointRecord record(PointKind kind, std::size_t i) const = 0;
  /// The particles of all ranks that a fixed rule picks by id, one of `every`; on the root. Collective.
  virtual QuantizedParticles quantized(std::int64_t every, bool with_ids) const = 0;
};

}  // namespace eddyline::solver
