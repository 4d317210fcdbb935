#include "solvers/amr/available_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace eddyline::amr {

double available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  for (double kibibytes = 0; file >> name >> kibibytes; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
    if (name == "MemAvailable:") return 1024 * kibibytes;
  return std::numeric_limits<double>::infinity();
}

}  // namespace eddyline::amr
