#pragma once

/// The entry point of the library for a kind of GPU. Returns a new device::Delta<T, D> or device::Classic<T, D>, by the
/// name of the scheme, with T of `number_bytes` bytes. place: number of this process among those of the machine, which
/// share its GPUs.
/// Throws std::runtime_error, in a sentence without its full stop, if there is no GPU that it can use.
extern "C" __attribute__((visibility("default"))) void* eddyline_make_flow(const char* scheme, int number_bytes,
                                                                           int dimensions, int place);
