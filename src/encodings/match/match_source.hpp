// Decodes a stream of literals and matches.
#pragma once

#include <memory>

#include "encodings/encoding.hpp"

namespace floe::trees {

/// Null if the bytes contradict the format.
std::unique_ptr<Source> open_match(Opening& opening);

}  // namespace floe::trees
