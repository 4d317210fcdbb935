#include "physics/terms/terms.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <variant>

#include "base/errors.hpp"
#include "physics/terms/lanes.hpp"

namespace eddyline::physics::terms {

namespace {

constexpr const char* k_prefix = "terms.";

/// The sum of some formulas as a formula.
std::string sum_of(const std::vector<std::string>& formulas) {
  std::string sum;
  for (const auto& each : formulas) sum += (sum.empty() ? "(" : " + (") + each + ")";
  return sum;
}

/// Formulas of the terms of a kind along an axis, summed in the order of the world file; none: empty.
std::string sum_along(const std::vector<Term>& terms, Kind kind, std::size_t axis) {
  std::vector<std::string> formulas;
  for (const auto& each : terms)
    if (each.kind == kind) formulas.push_back(each.formulas[axis]);
  return sum_of(formulas);
}

/// Reads one option of a term, "KIND.AXIS", "module" or "parameters.NAME". Returns false for any other.
bool read_option(const std::string& key, const world::OptionValue& value, Term& term) {
  static const std::map<std::string, Kind> kinds{
      {"central", Kind::central}, {"vector", Kind::vector}, {"particle", Kind::particle}};
  const auto* text = std::get_if<std::string>(&value);
  if (key == "module") {
    if (text == nullptr) return false;
    term.kind = Kind::module, term.library = *text;
    return true;
  }
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos) return false;
  const std::string name = key.substr(dot + 1);
  if (key.starts_with("parameters.")) {
    term.parameters[name] = value;
    return true;
  }
  const auto kind = kinds.find(key.substr(0, dot));
  if (kind == kinds.end() || text == nullptr) return false;
  term.kind = kind->second;
  term.formulas.resize(3, "0");
  term.formulas.at(static_cast<std::size_t>(std::stoi(name))) = *text;
  return true;
}

bool any_of(const std::vector<Term>& terms, Kind kind) {
  return std::ranges::any_of(terms, [&](const Term& each) { return each.kind == kind; });
}

}  // namespace

const std::vector<Variable>& pair_variables() {
  static const std::vector<Variable> all = [] {
    std::vector<Variable> list{{"t", Rate::once}};
    for (const char* name : {"rho_i", "p_i", "m_i", "V_i", "vx_i", "vy_i", "vz_i"})
      list.push_back({name, Rate::target});
    for (const char* name : {"r", "q", "W", "dW",    "rx",  "ry",  "rz",  "vx",   "vy",   "vz",  "vr",
                             "x", "y", "z", "rho_j", "p_j", "m_j", "V_j", "vx_j", "vy_j", "vz_j"})
      list.push_back({name, Rate::pair});
    return list;
  }();
  return all;
}

const std::vector<Variable>& particle_variables() {
  static const std::vector<Variable> all{{"x"},  {"y"},   {"z"}, {"t", Rate::once}, {"vx"}, {"vy"},
                                         {"vz"}, {"rho"}, {"p"}};
  return all;
}

std::vector<Term> terms_of(const world::World& world) {
  std::map<int, Term> found;
  for (const auto& [key, value] : world.options) {
    if (!key.starts_with(k_prefix)) continue;
    const std::size_t number = std::string(k_prefix).size(), kind = std::min(key.find('.', number), key.size());
    Term& term = found[std::stoi(key.substr(number, kind - number))];
    if (!read_option(key.substr(std::min(kind + 1, key.size())), value, term))
      throw UserError(key +
                      ": states no term. Use terms.NN.central.0, terms.NN.vector.AXIS, terms.NN.particle.AXIS, "
                      "terms.NN.module or terms.NN.parameters.NAME.");
  }
  std::vector<Term> terms;
  for (auto& [number, term] : found) {
    term.number = number;
    terms.push_back(std::move(term));
  }
  return terms;
}

PairProgram::PairProgram(const std::vector<Term>& terms, int dimensions)
    : central(any_of(terms, Kind::central)), vector(any_of(terms, Kind::vector)) {
  std::vector<std::string> outputs;
  if (central) outputs.push_back(sum_along(terms, Kind::central, 0));
  for (int d = 0; vector && d < dimensions; ++d)
    outputs.push_back(sum_along(terms, Kind::vector, static_cast<std::size_t>(d)));
  if (acts()) program = Program(outputs, pair_variables());
}

ParticleProgram::ParticleProgram(const std::vector<Term>& terms, int dimensions) : acts(any_of(terms, Kind::particle)) {
  std::vector<std::string> outputs;
  for (int d = 0; acts && d < dimensions; ++d)
    outputs.push_back(sum_along(terms, Kind::particle, static_cast<std::size_t>(d)));
  if (acts) program = Program(outputs, particle_variables());
}

void ParticleProgram::add(int count, double time, const double* const* values, int dimensions,
                          double* const* out) const {
  using P = Pack<double, 1>;
  alignas(64) std::array<double, std::size_t{k_most_registers} * k_lanes> registers;  // NOLINT: steps write first
  std::array<double, k_particle_variables> at_time{};
  at_time[k_particle_time] = time;
  fill<P>(program.filled(at_time), registers.data());
  for (std::size_t v = 0; v < k_particle_variables; ++v)
    if (const int to = program.register_of(v); to != k_no_register) {
      double* const at = registers.data() + std::ptrdiff_t{to} * k_lanes;
      values[v] != nullptr ? std::copy_n(values[v], count, at) : std::fill_n(at, count, 0.0);
    }
  run<P>(program.of_pair(), registers.data(), count);
  for (int d = 0; d < dimensions; ++d) {
    const int from = program.outputs()[static_cast<std::size_t>(d)];
    const double* sum = registers.data() + std::ptrdiff_t{from} * k_lanes;
    for (int l = 0; l < count; ++l) out[d][l] += sum[l];
  }
}

}  // namespace eddyline::physics::terms
