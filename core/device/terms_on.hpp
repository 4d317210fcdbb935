#pragma once
// Terms by formulas on one backend. Included by the backends only.

#include <cstdint>
#include <span>
#include <vector>

#include "device/memory.hpp"
#include "device/terms.hpp"

namespace eddyline::device {

/// A program of terms in the memory of a device.
template <class Backend>
class ProgramOn {
 public:
  explicit ProgramOn(Backend& backend) : steps_(backend), filled_(backend) {}

  void set(const HostProgram& program) {
    std::vector<TermStep> steps = program.of_target;
    steps.insert(steps.end(), program.of_pair.begin(), program.of_pair.end());
    steps_.upload(steps);
    all_ = {};
    all_.target_steps = static_cast<std::int32_t>(program.of_target.size());
    all_.pair_steps = static_cast<std::int32_t>(program.of_pair.size());
    for (auto& number : all_.register_of) number = -1;
    for (std::size_t v = 0; v < program.registers.size(); ++v)
      all_.register_of[v] = static_cast<std::int16_t>(program.registers[v]);
    for (std::size_t o = 0; o < program.outputs.size(); ++o)
      all_.output[o] = static_cast<std::int16_t>(program.outputs[o]);
  }
  void fill(std::span<const TermValue> filled) { filled_.upload(filled); }
  TermProgram arrays() const {
    TermProgram program = all_;
    program.of_target = steps_.data();
    program.of_pair = steps_.data() + program.target_steps;
    program.filled = filled_.data(), program.filled_count = static_cast<std::int32_t>(filled_.size());
    return program;
  }

  template <class Visit>
  void for_each_buffer(Visit&& visit) {
    visit(steps_), visit(filled_);
  }

 private:
  Buffer<Backend, TermStep> steps_;
  Buffer<Backend, TermValue> filled_;
  TermProgram all_;
};

/// The terms, and the forces that they and the body force give.
template <class Backend, class T, int D>
class TermsOn {
 public:
  explicit TermsOn(Backend& backend) : backend_(backend) {}

  void set_terms(const HostProgram& pairs, const HostProgram& particles) {
    pairs_.set(pairs), particles_.set(particles);
  }
  void sum(const FluidArrays<T, D>& fluid, const PackedChunk* neighbors, const PairTermNumbers<T>& by,
           std::span<const TermValue> filled) {
    pairs_.fill(filled);
    backend_.for_each(fluid.count, SumTerms<T, D>{fluid, neighbors, by, pairs_.arrays()});
  }
  void compute_forces(const FluidArrays<T, D>& fluid, const ForceFormulas& formulas, const ForceNumbers& by,
                      std::span<const TermValue> filled) {
    particles_.fill(filled);
    ComputeForces<T, D> compute{fluid, formulas, particles_.arrays(), by, {}};
    for (std::size_t d = 0; d < D; ++d) {
      force_[d].resize(static_cast<std::size_t>(fluid.count));
      compute.force[d] = force_[d].data();
    }
    backend_.for_each(fluid.count, compute);
  }
  const double* force(std::size_t axis) const { return force_[axis].data(); }

  template <class Visit>
  void for_each_buffer(Visit&& visit) {
    for (auto& each : force_) visit(each);
    pairs_.for_each_buffer(visit), particles_.for_each_buffer(visit);
  }

 private:
  Backend& backend_;
  ProgramOn<Backend> pairs_{backend_}, particles_{backend_};
  std::array<Buffer<Backend, double>, D> force_ = make_buffers<double, D>(backend_);
};

}  // namespace eddyline::device
