// What is lost of a frame, in words and as JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "floe/recover.hpp"

namespace floe::cli {

/// "elements 4096 to 8191: a chunk's checksum does not match, byte 4711"; one line per range.
std::string range_text(const FrameInfo& info, const LostRange& range);
/// "; a bit of the header was mended", or nothing for an intact one.
std::string header_source_text(HeaderSource source);
Json loss_as_json(const std::string& file, const Recovery& recovery, const RecoveryMap& map);

}  // namespace floe::cli
