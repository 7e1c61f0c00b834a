// How long does every encoding take on this machine?
#pragma once

#include "encodings/encoding.hpp"

namespace floe::trees {

/// Picoseconds per word, at least 1, of words that the encodings are made for: the shortest of several runs,
/// one thread, in some seconds. Differs from run to run. Throws std::bad_alloc.
EncodingTimes measure_encoding_times();

}  // namespace floe::trees
