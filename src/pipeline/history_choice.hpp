// Whether a codec with a match history makes less of several segments than their trees do.
#pragma once

#include <optional>
#include <span>

#include "core/workers.hpp"
#include "pipeline/group_encoder.hpp"

namespace floe::pipeline {

/// The stream of all words, of 64 bits, by the codec with a match history, if that is smaller than the
/// streams of `segments`, which hold these words. Estimates from samples come first, so that it costs little
/// where nothing repeats. Throws std::bad_alloc.
std::optional<StreamJob> encode_with_history(const trees::ColumnView& words,
                                             std::span<const StreamJob> segments, bool checksums,
                                             core::Workers& workers);

}  // namespace floe::pipeline
