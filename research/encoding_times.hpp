// The times of encodings that planners go by, as users give and get them.
#pragma once

#include "encodings/encoding.hpp"
#include "floe/series.hpp"

namespace floe::tables {

/// Whether all of them are of encodings that there are, none of them twice, and in their range. Errors:
/// invalid_argument; byte_offset is then the number of the time, from 1.
Status check_times(const std::vector<EncodingTime>& times);

/// For planners; encodings that are not named have the times that are built in. Precondition: checked.
trees::EncodingTimes times_of(const std::vector<EncodingTime>& times);

}  // namespace floe::tables
