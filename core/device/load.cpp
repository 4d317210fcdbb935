#include <dlfcn.h>

#include <stdexcept>

#include "base/errors.hpp"
#include "device/cuda/entry.hpp"
#include "device/delta.hpp"

namespace eddyline::device {

template <class T, int D>
std::unique_ptr<Delta<T, D>> load_cuda(const std::string& library, int place) {
  const auto refuse = [](const std::string& why) {
    throw UserError("device = \"gpu\": " + why + "; or compute with device = \"cpu\", which gives the same result.");
  };
  void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) refuse(std::string(dlerror()) + ". Install what it needs (pip install 'eddyline[gpu]')");
  void* entry = dlsym(loaded, "eddyline_make_device");
  if (entry == nullptr) refuse(library + " is not a library for GPUs of Eddyline. Build it with `make gpu`");
  try {
    void* made = reinterpret_cast<decltype(&eddyline_make_device)>(entry)(static_cast<int>(sizeof(T)), D, place);
    return std::unique_ptr<Delta<T, D>>(static_cast<Delta<T, D>*>(made));
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
  return nullptr;
}

template std::unique_ptr<Delta<float, 2>> load_cuda(const std::string&, int);
template std::unique_ptr<Delta<float, 3>> load_cuda(const std::string&, int);
template std::unique_ptr<Delta<double, 2>> load_cuda(const std::string&, int);
template std::unique_ptr<Delta<double, 3>> load_cuda(const std::string&, int);

}  // namespace eddyline::device
