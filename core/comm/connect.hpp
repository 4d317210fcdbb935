#pragma once

#include <memory>
#include <string>

#include "comm/communicator.hpp"

/// The entry point that each plugin exports.
extern "C" eddyline::comm::Communicator* eddyline_connect();

namespace eddyline::comm {

/// Loads the plugin at `path` and joins the other ranks of the run. May be called once per process. Throws UserError if
/// the plugin cannot be loaded.
std::unique_ptr<Communicator> connect(const std::string& path);

/// Path of the MPI library that the plugin at `path` loads. Throws UserError if the plugin cannot be loaded.
std::string library_of(const std::string& path);

}  // namespace eddyline::comm
