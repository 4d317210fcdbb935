#pragma once

#include <memory>
#include <string>

#include "comm/communicator.hpp"

/// What a plugin exports.
extern "C" eddyline::comm::Communicator* eddyline_connect();

namespace eddyline::comm {

/// Loads the plugin at `path` and joins the other ranks of the run. At most once in a process. Throws UserError if it
/// cannot be loaded.
std::unique_ptr<Communicator> connect(const std::string& path);

/// The file of the MPI library that the plugin at `path` loads. Throws UserError if it cannot be loaded.
std::string library_of(const std::string& path);

}  // namespace eddyline::comm
