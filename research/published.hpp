// The bare streams of the publications, for comparison with their programs. They carry no type, shape,
// checksum or index; use floe's own frames (floe.hpp) for data that matter. Formats:
// docs/format/published.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "floe/types.hpp"

namespace floe::published {

/// The stream of the ASPLOS'25 programs. `codec`: spspeed, spratio, dpspeed or dpratio. Any number of bytes
/// but 0; dpratio: a multiple of 8; spspeed and spratio: less than 4 GiB. Errors: invalid_argument,
/// unsupported_codec, out_of_memory.
Result<std::vector<std::byte>> compress_fpcompress(std::span<const std::byte> in, std::string_view codec);
/// The inverse; the caller must know the codec. Errors: corrupt_frame, truncated_frame, unsupported_codec,
/// out_of_memory.
Result<std::vector<std::byte>> decompress_fpcompress(std::span<const std::byte> stream,
                                                     std::string_view codec,
                                                     std::uint64_t memory_limit_bytes = std::uint64_t{4}
                                                                                        << 30);

struct GfcOptions {
  std::uint32_t chunk_count = 1000;  ///< 1 to 65535: into how many chunks the input is cut.
  std::uint32_t dimensionality = 1;  ///< 1 to 32.
};

/// The stream of the GFC paper: 32-bit count of doubles, 8-bit dimensionality, 16-bit number of chunks, a
/// 32-bit size per chunk, chunks. `in`: whole doubles, fewer than 2^31, in chunks that could not have 2^31
/// bytes or more, as the sizes are signed: chunk_count must be large enough for that. Errors:
/// invalid_argument, out_of_memory.
Result<std::vector<std::byte>> compress_gfc(std::span<const std::byte> in, const GfcOptions& options = {});
/// The inverse. Errors: corrupt_frame, truncated_frame, out_of_memory.
Result<std::vector<std::byte>> decompress_gfc(std::span<const std::byte> stream,
                                              std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30);

}  // namespace floe::published
