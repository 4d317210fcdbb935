#include "comm/connect.hpp"

#include <dlfcn.h>

#include "base/errors.hpp"

namespace eddyline::comm {

namespace {

void* load(const std::string& path) {
  // RTLD_GLOBAL because an MPI that loads parts of itself later looks up its own symbols.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw UserError(
        "message passing: " + std::string(dlerror()) +
        ". Load the MPI that it was built with (pip install 'eddyline[mpi]' installs one), or build the plugin with "
        "your MPI, see docs/ranks.md.");
  return library;
}

}  // namespace

std::unique_ptr<Communicator> connect(const std::string& path) {
  void* entry = dlsym(load(path), "eddyline_connect");
  if (entry == nullptr) throw UserError("message passing: " + path + " is not a plugin of Eddyline.");
  return std::unique_ptr<Communicator>(reinterpret_cast<decltype(&eddyline_connect)>(entry)());
}

std::string library_of(const std::string& path) {
  void* symbol = dlsym(load(path), "MPI_Init_thread");
  Dl_info where{};
  if (symbol == nullptr || dladdr(symbol, &where) == 0)
    throw UserError("message passing: " + path + " does not load an MPI library.");
  return where.dli_fname;
}

}  // namespace eddyline::comm
