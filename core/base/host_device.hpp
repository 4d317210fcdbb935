#pragma once
// Marks functions that loops on a device call as well as loops on the host. A device compiler then compiles them for
// both; all others see ordinary functions.

#ifdef __CUDACC__
#define EDDYLINE_HOST_DEVICE __host__ __device__
#define EDDYLINE_INLINE __host__ __device__ __forceinline__
#else
#define EDDYLINE_HOST_DEVICE
#define EDDYLINE_INLINE inline __attribute__((always_inline))
#endif
