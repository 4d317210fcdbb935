#include "comm/connect.hpp"

#include <dlfcn.h>

#include "base/errors.hpp"

namespace eddyline::comm {

std::unique_ptr<Communicator> connect(const std::string& path) {
  // Global: an MPI that loads parts of itself looks for its own symbols.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw UserError("message passing: " + std::string(dlerror()) +
                    ". Build Eddyline again with the MPI that starts the ranks, see docs/ranks.md.");
  void* entry = dlsym(library, "eddyline_connect");
  if (entry == nullptr) throw UserError("message passing: " + path + " is no plugin of Eddyline.");
  return std::unique_ptr<Communicator>(reinterpret_cast<decltype(&eddyline_connect)>(entry)());
}

}  // namespace eddyline::comm
