// Scalars in a flow: how they follow it, and when they have found their values.

#include <algorithm>

#include "solvers/multiblock/flow.hpp"

namespace eddyline::multiblock {

template <class E>
void Flow<E>::seek_steady_scalars() {
  if constexpr (!E::k_is_gas) {
    scalars_->set_flow(multigrid_.residual().scheme());
    scalars_->advance({}, 0);
    converged = flow_converged;
    for (std::size_t k = 0; k < largest_of_scalars_.size(); ++k) {
      const double found = scalars_->residuals()[k];
      double& largest = largest_of_scalars_[k];
      largest = std::max(largest, found);
      converged = converged && found <= options_.tolerance * std::max(largest, scalars_->unit_rate(k));
    }
    good_ = good_ && scalars_->is_good();
  }
}

/// Steps until the residuals of all scalars have dropped as those of the flow must.
template <class E>
void Flow<E>::advance_scalars(const TimeDerivative& derivative) {
  if constexpr (!E::k_is_gas) {
    constexpr double k_rounding = 1e-13;
    scalars_->set_flow(multigrid_.residual().scheme());
    std::vector<double> first;
    for (std::int64_t n = 0; n < options_.inner_cycles; ++n) {
      scalars_->advance(derivative, time);
      const auto found = scalars_->residuals();
      if (n == 0) first.assign(found.begin(), found.end());
      bool is_done = true;
      for (std::size_t k = 0; k < found.size(); ++k)
        is_done =
            is_done && !(found[k] > std::max(options_.inner_tolerance * first[k], k_rounding * scalars_->unit_rate(k)));
      if (is_done) break;
    }
    good_ = good_ && scalars_->is_good();
  }
}

template void Flow<Incompressible<2>>::seek_steady_scalars();
template void Flow<Incompressible<3>>::seek_steady_scalars();
template void Flow<Gas<2>>::seek_steady_scalars();
template void Flow<Gas<3>>::seek_steady_scalars();
template void Flow<Incompressible<2>>::advance_scalars(const TimeDerivative&);
template void Flow<Incompressible<3>>::advance_scalars(const TimeDerivative&);
template void Flow<Gas<2>>::advance_scalars(const TimeDerivative&);
template void Flow<Gas<3>>::advance_scalars(const TimeDerivative&);

}  // namespace eddyline::multiblock
