// One codec as the rest of the library sees it: a name and the functions for its chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "core/chunk.hpp"
#include "core/chunk_checksum.hpp"

namespace floe::registry {

using core::raw_chunk;

/// The functions for the chunks of one codec. Stateless and thread-safe; a workspace serves one
/// call at a time.
struct ChunkCoder {
  /// Scratch bytes that the two functions need for chunks of up to `chunk_bytes` bytes.
  std::size_t (*workspace_bytes)(std::size_t chunk_bytes) = nullptr;
  /// Writes the payload to the front of `out` (out.size() >= chunk.size(); all of it may be overwritten) and
  /// returns its bytes, which are fewer than chunk.size(); or raw_chunk. Precondition: context.bytes ==
  /// chunk.size() > 0.
  std::size_t (*encode)(std::span<const std::uint8_t> chunk, std::span<std::uint8_t> out,
                        std::span<std::uint8_t> workspace, const core::ChunkContext& context) = nullptr;
  /// Writes all of `chunk`. False if the payload contradicts the format; `chunk` then holds unspecified
  /// bytes. Reads nothing outside `payload`, writes nothing outside `chunk` and `workspace`, whatever the
  /// payload. Precondition: context.bytes == chunk.size().
  bool (*decode)(std::span<const std::uint8_t> payload, std::span<std::uint8_t> chunk,
                 std::span<std::uint8_t> workspace, const core::ChunkContext& context) = nullptr;
  /// core::chunk_checksum of a payload with its padding, of which the two functions may have added rows
  /// (core::MemoryOverlap::checksum).
  std::uint32_t (*finish_checksum)(core::RunningChecksum& checksum) noexcept = nullptr;
  /// Whether `decode` heeds core::MemoryOverlap::writes_past_caches, for full chunks that are aligned to 4.
  bool decodes_past_caches = false;
};

/// The stage over a whole segment (stages::MatchHistory) in pieces, so that its output need never lie in
/// memory as a whole.
struct SegmentHistory {
  using Work = std::function<void(std::uint32_t index)>;
  /// Calls work(0) ... work(count - 1), each once, perhaps at the same time, and returns when all have
  /// returned.
  using RunAll = std::function<void(std::uint32_t count, const Work& work)>;

  /// Bytes of scratch memory that find_matches needs with so many workers.
  std::size_t (*scratch_bytes)(std::size_t words, std::uint32_t workers) = nullptr;
  /// The distance of every word of `content` to its match, 0 if there is none. Fewer than 2^32 words, at any
  /// address; `scratch` is aligned to 64. At least one worker; how many never changes the distances.
  /// Allocates; throws std::bad_alloc.
  void (*find_matches)(std::span<const std::uint8_t> content, std::span<std::uint32_t> distances,
                       std::span<std::uint8_t> scratch, std::uint32_t workers, const RunAll& run) = nullptr;
  /// The words [first, first + out.size()) of what the stage makes of `content`: of the values, followed by
  /// the distances.
  void (*coded_words)(std::span<const std::uint8_t> content, std::span<const std::uint32_t> distances,
                      std::uint64_t first, std::span<std::uint64_t> out) = nullptr;
  /// Replaces the words [first, first + distances.size()) of `words`, which are values, by their matches;
  /// those before are done. False if a distance leads before the first word.
  bool (*resolve_matches)(std::span<std::uint8_t> words, std::uint64_t first,
                          std::span<const std::uint64_t> distances) = nullptr;
};

struct CodecEntry {
  std::uint16_t id = 0;
  std::string_view name;
  std::string_view summary;
  std::uint32_t word_bits = 0;
  bool takes_dimensionality =
      false;                 ///< Has core::CodecParameters::dimensionality as a parameter in the frame.
  bool has_history = false;  ///< Has a stage over the segment.
  ChunkCoder cpu;
  SegmentHistory segment_history;  ///< Null functions without has_history.
};

/// Lines of codecs.def.
inline constexpr std::size_t codec_count = 0
#define FLOE_CODEC(codec, page) +1
#include "chunks/codecs/codecs.def"
#undef FLOE_CODEC
    ;

/// Every codec of codecs.def, in its order.
std::span<const CodecEntry> all_codecs() noexcept;
/// Null if there is none.
const CodecEntry* find_codec(std::uint16_t id) noexcept;
/// The codec of that name for words of that width. Null if there is none.
const CodecEntry* find_codec(std::string_view name, std::uint32_t word_bits) noexcept;

/// Name of the instruction set of CodecEntry::cpu.
std::string_view cpu_instruction_set() noexcept;

}  // namespace floe::registry
