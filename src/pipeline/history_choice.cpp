#include "pipeline/history_choice.hpp"

#include <algorithm>

#include "chunks/cpu/match_history.hpp"
#include "chunks/leaf_encoder.hpp"
#include "container/segment.hpp"

namespace floe::pipeline {
namespace {

/// Below this share of matches the codec gains nothing that trees do not.
constexpr std::uint32_t min_matches_in_thousand = 8;
/// About what the distance of a match takes.
constexpr std::uint64_t distance_bytes = 3;
/// Samples deceive: what seems larger by up to one part in so many is tried.
constexpr std::uint64_t tolerated_part = 8;

const registry::CodecEntry* codec_with_history() {
  const auto codecs = registry::all_codecs();
  const auto found = std::find_if(codecs.begin(), codecs.end(), [](const auto& c) { return c.has_history; });
  return found == codecs.end() ? nullptr : &*found;
}

}  // namespace

std::optional<StreamJob> encode_with_history(const trees::ColumnView& words,
                                             std::span<const StreamJob> segments, bool checksums,
                                             core::Workers& workers) {
  const registry::CodecEntry* const codec = codec_with_history();
  const std::span content(static_cast<const std::uint8_t*>(words.values),
                          static_cast<std::size_t>(words.bytes()));
  if (codec == nullptr || content.empty()) return std::nullopt;
  std::uint64_t bytes_of_trees = 0;
  for (const StreamJob& job : segments)
    bytes_of_trees += container::array_segment_header_bytes + job.bytes.size();

  const std::uint64_t matches = cpu::matches_in_thousand(content);
  if (matches < min_matches_in_thousand) return std::nullopt;
  const chunks::Leaf leaf{codec, 1};
  const std::uint64_t estimated = chunks::estimated_leaf_bytes(leaf, content) * (1000 - matches) / 1000 +
                                  words.count * matches / 1000 * distance_bytes;
  if (estimated > bytes_of_trees + bytes_of_trees / tolerated_part) return std::nullopt;

  chunks::LeafEncoder encoder(leaf, checksums, workers);
  const auto stream = encoder.encode(content, 0, {});
  if (container::array_segment_header_bytes + stream.size() >= bytes_of_trees) return std::nullopt;
  StreamJob job;
  job.words = words;
  job.bytes.assign(stream.begin(), stream.end());
  job.digest = encoder.digest();
  return job;
}

}  // namespace floe::pipeline
