#include <dlfcn.h>

#include <stdexcept>

#include "base/errors.hpp"
#include "device/classic.hpp"
#include "device/cuda/entry.hpp"
#include "device/delta.hpp"

namespace eddyline::device {

template <template <class, int> class Scheme, class T, int D>
std::unique_ptr<Scheme<T, D>> load_cuda(const std::string& library, int place) {
  const auto refuse = [](const std::string& why) {
    throw UserError("device = \"gpu\": " + why + "; or compute with device = \"cpu\", which gives the same result.");
  };
  void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) refuse(std::string(dlerror()) + ". Install what it needs (pip install 'eddyline[gpu]')");
  void* entry = dlsym(loaded, "eddyline_make_flow");
  if (entry == nullptr) refuse(library + " is not a library for GPUs of Eddyline. Build it with `make gpu`");
  try {
    const auto make = reinterpret_cast<decltype(&eddyline_make_flow)>(entry);
    void* made = make(Scheme<T, D>::k_scheme, static_cast<int>(sizeof(T)), D, place);
    return std::unique_ptr<Scheme<T, D>>(static_cast<Scheme<T, D>*>(made));
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
  return nullptr;
}

template std::unique_ptr<Delta<float, 2>> load_cuda<Delta, float, 2>(const std::string&, int);
template std::unique_ptr<Delta<float, 3>> load_cuda<Delta, float, 3>(const std::string&, int);
template std::unique_ptr<Delta<double, 2>> load_cuda<Delta, double, 2>(const std::string&, int);
template std::unique_ptr<Delta<double, 3>> load_cuda<Delta, double, 3>(const std::string&, int);
template std::unique_ptr<Classic<float, 2>> load_cuda<Classic, float, 2>(const std::string&, int);
template std::unique_ptr<Classic<float, 3>> load_cuda<Classic, float, 3>(const std::string&, int);
template std::unique_ptr<Classic<double, 2>> load_cuda<Classic, double, 2>(const std::string&, int);
template std::unique_ptr<Classic<double, 3>> load_cuda<Classic, double, 3>(const std::string&, int);

}  // namespace eddyline::device
