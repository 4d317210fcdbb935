// The device path on an NVIDIA GPU. It is a separate library that is loaded only if a run asks for it, so that the core
// needs neither a CUDA compiler nor a driver. Arithmetic as on the host: contraction off, division and square root
// rounded, denormals kept.

#include <cuda_runtime.h>

#include <cub/device/device_scan.cuh>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "device/classic_on.hpp"
#include "device/cuda/entry.hpp"
#include "device/delta_on.hpp"
#include "device/failures.hpp"

namespace eddyline::device {

namespace {

constexpr int k_threads = 128;  // of a block

void check(cudaError_t error, const char* where) {
  if (error != cudaSuccess) throw_failed("the GPU", where, cudaGetErrorString(error));
}

template <class Loop>
__global__ void __launch_bounds__(k_threads) run_loop(std::int64_t count, Loop loop) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) loop(i);
}

/// A GPU of this process (CUDA_VISIBLE_DEVICES selects others), and one stream of work on it. Processes of one machine
/// take its GPUs in turn.
class Cuda {
 public:
  explicit Cuda(int place) {
    int devices = 0, driver = 0, runtime = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    cudaDriverGetVersion(&driver), cudaRuntimeGetVersion(&runtime);
    const auto text = [](int version) {
      return std::to_string(version / 1000) + "." + std::to_string(version / 10 % 100);
    };
    if (driver == 0)
      throw std::runtime_error("there is no NVIDIA driver. Install one for CUDA " + text(runtime) + " or newer");
    if (error == cudaErrorInsufficientDriver)
      throw std::runtime_error("the NVIDIA driver supports CUDA " + text(driver) + ", but " + text(runtime) +
                               " is needed. Update the driver");
    if (error != cudaSuccess || devices == 0)
      throw std::runtime_error(std::string("no NVIDIA GPU can be used (") + cudaGetErrorString(error) + ")");
    cudaDeviceProp properties{};
    check(cudaSetDevice(place % devices), "choice");
    check(cudaGetDeviceProperties(&properties, place % devices), "properties");
    name_ = properties.name;
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    stream_ = {stream, [](cudaStream_t each) { cudaStreamDestroy(each); }};
  }

  std::string name() const { return name_; }
  std::int64_t launches() const { return launches_; }
  std::size_t free_bytes() const {
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "memory");
    return free;
  }
  void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      std::size_t free = 0, all = 0;
      cudaMemGetInfo(&free, &all);
      throw_out_of_memory("the GPU", free, all, bytes);
    }
    check(error, "memory");
    return memory;
  }
  void release(void* memory) { cudaFree(memory); }
  void upload(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_.get()), "upload");
  }
  void download(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_.get()), "download");
    check(cudaStreamSynchronize(stream_.get()), "loops");
  }
  void copy(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_.get()), "copy");
  }
  void clear(void* to, std::size_t bytes) { check(cudaMemsetAsync(to, 0, bytes, stream_.get()), "clear"); }
  template <class Loop>
  void for_each(std::int64_t count, const Loop& loop) {
    if (count <= 0) return;
    const auto blocks = static_cast<unsigned int>((count + k_threads - 1) / k_threads);
    run_loop<<<blocks, k_threads, 0, stream_.get()>>>(count, loop);
    check(cudaGetLastError(), "launch");
    launched();
  }
  template <class X>
  void scan(const X* from, X* to, std::int64_t count) {
    std::size_t bytes = 0;
    check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, from, to, count, stream_.get()), "scan");
    if (bytes > scanning_bytes_) {
      scanning_.reset(allocate(bytes), [](void* memory) { cudaFree(memory); });
      scanning_bytes_ = bytes;
    }
    check(cub::DeviceScan::ExclusiveSum(scanning_.get(), bytes, from, to, count, stream_.get()), "scan");
    launched();
  }

 private:
  /// Waits for each loop if EDDYLINE_CUDA_WAIT is set: the phases that the host measures are then those of the GPU.
  void launched() {
    ++launches_;
    if (waits_) check(cudaStreamSynchronize(stream_.get()), "loop");
  }

  std::string name_;
  bool waits_ = std::getenv("EDDYLINE_CUDA_WAIT") != nullptr;
  std::int64_t launches_ = 0;
  std::shared_ptr<std::remove_pointer_t<cudaStream_t>> stream_;
  std::shared_ptr<void> scanning_;  // memory of scans
  std::size_t scanning_bytes_ = 0;
};

template <class T, int D>
void* make(const std::string& scheme, int place) {
  if (scheme == Classic<T, D>::k_scheme) return static_cast<Classic<T, D>*>(new ClassicOn<Cuda, T, D>(Cuda(place)));
  return static_cast<Delta<T, D>*>(new DeltaOn<Cuda, T, D>(Cuda(place)));
}

}  // namespace

}  // namespace eddyline::device

extern "C" void* eddyline_make_flow(const char* scheme, int number_bytes, int dimensions, int place) {
  using eddyline::device::make;
  if (number_bytes == 4) return dimensions == 2 ? make<float, 2>(scheme, place) : make<float, 3>(scheme, place);
  return dimensions == 2 ? make<double, 2>(scheme, place) : make<double, 3>(scheme, place);
}
