#include "physics/mps/weights.hpp"

#include <algorithm>

namespace eddyline::physics::mps {

namespace {

constexpr double k_reach_of_classic = 2.1;  // re in lattice steps

}  // namespace

Factors factors(Weights weights, const Vec3& step, int dimensions, double R) {
  const double widest = std::max({step.x, step.y, dimensions == 3 ? step.z : 0.0});
  Factors f{};
  f.cut = weights == Weights::wendland ? 1 : std::min(1.0, k_reach_of_classic * widest / R);
  with_weights(weights, [&](auto policy) {
    using Policy = decltype(policy);
    using S = Pack<double, 1>;
    const auto at = [&](double q2) { return Policy::template at<S>(q2, f.cut); };
    f.itself = Policy::k_counts_itself ? at(0).N.v : 0;
    double N = f.itself, B = 0, divergence = 0, A = 0;
    const auto most = [&](double side) { return static_cast<int>(R / side); };
    const int last_x = most(step.x), last_y = most(step.y), last_z = dimensions == 3 ? most(step.z) : 0;
    for (int z = -last_z; z <= last_z; ++z)
      for (int y = -last_y; y <= last_y; ++y)
        for (int x = -last_x; x <= last_x; ++x) {
          if (x == 0 && y == 0 && z == 0) continue;
          const Vec3 r{x * step.x / R, y * step.y / R, z * step.z / R};
          const double q2 = dot(r, r);
          if (q2 >= 1) continue;
          const auto w = at(q2);
          N += w.N.v;
          B += w.B.v * q2;
          divergence += w.divergence.v * q2;
          A += w.A.v * q2;
          f.laplacian += w.A.v;
        }
    f.N = 1 / N;
    f.B = dimensions / B;
    f.S = dimensions / divergence;
    f.A = 2 * dimensions / A;
  });
  f.itself *= f.N;
  f.laplacian *= f.A;
  return f;
}

}  // namespace eddyline::physics::mps
