// A rival of the segments of words of 64 bits: one segment of the codec with a match history, which sees
// repetitions from one segment to the others.
#pragma once

#include <optional>
#include <span>

#include "core/workers.hpp"
#include "pipeline/encode/group_encoder.hpp"

namespace floe::pipeline {

/// The stream of all words, of 64 bits, by the codec with a match history, if that is smaller than the
/// streams of `segments`, which hold these words. Estimates from samples come first, so that it costs little
/// where nothing repeats; they are believed less if it `is_for_size` alone. Throws std::bad_alloc.
std::optional<StreamJob> encode_with_history(const trees::ColumnView& words,
                                             std::span<const StreamJob> segments, bool is_for_size,
                                             bool checksums, core::Workers& workers);

}  // namespace floe::pipeline
