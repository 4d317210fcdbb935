#pragma once

namespace eddyline::amr {

/// Bytes of memory that are free on this machine; infinite where the system does not say so.
double available_memory();

}  // namespace eddyline::amr
