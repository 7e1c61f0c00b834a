// The times of encodings that planners weigh against bits, as text and as measured on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "floe/types.hpp"

namespace floe::research {

/// What an encoding by itself costs, without its children, in picoseconds per word.
struct EncodingTime {
  std::string encoding;  ///< Its name.
  std::uint32_t encode_picoseconds = 0, decode_picoseconds = 0;
  friend bool operator==(const EncodingTime&, const EncodingTime&) = default;
};
/// Those that planners use unless others are given: of a server of 2023, rounded, the same everywhere.
std::vector<EncodingTime> built_in_encoding_times();
/// Those of this machine, measured by one thread in some seconds. They differ from run to run. Throws
/// std::bad_alloc.
std::vector<EncodingTime> measure_encoding_times();
/// Reads a line `encoding,encode,decode` for each encoding, in any order; others keep the times that are
/// built in. Spaces around a field and lines that are empty or begin with # do not matter. Times are whole
/// picoseconds up to 1 000 000. Errors: invalid_argument; byte_offset is then the number of the line, from 1.
Result<std::vector<EncodingTime>> parse_encoding_times(std::string_view text);
/// The inverse.
std::string encoding_times_text(const std::vector<EncodingTime>& times);

}  // namespace floe::research
