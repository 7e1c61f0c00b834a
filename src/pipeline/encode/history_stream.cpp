#include "pipeline/encode/history_stream.hpp"

#include <algorithm>

#include "chunks/cpu/match_history.hpp"
#include "chunks/leaf_encoder.hpp"
#include "container/layout.hpp"
#include "container/value_range.hpp"

namespace floe::pipeline {
namespace {

/// Below this share of matches the codec gains nothing that trees do not.
constexpr std::uint32_t min_matches_in_thousand = 8;
/// Where time counts, one page in 2^share_bits shows whether there are any, if there are many pages.
constexpr unsigned share_bits = 2;
constexpr std::size_t min_bytes_to_share = std::size_t{512} << 10;
/// From this share on distances are likely to repeat, too, and take nearly nothing.
constexpr std::uint32_t many_matches_in_thousand = 900;
/// About what the distance of a match takes, and no less than what a word without one does.
constexpr std::uint64_t distance_bytes = 3, min_word_bytes = 1;
/// Samples deceive: what seems larger by up to one part in so many is tried; more where sizes are all that
/// counts.
constexpr std::uint64_t tolerated_part = 16, tolerated_part_for_size = 8;
/// Estimates by four chunks may be wrong by this part, however alike these are; but no more than so
/// many times too high, however different.
constexpr std::uint64_t error_part_of_few = 4, max_overestimate = 4;

const registry::CodecEntry* codec_with_history() {
  const auto codecs = registry::all_codecs();
  const auto found = std::find_if(codecs.begin(), codecs.end(), [](const auto& c) { return c.has_history; });
  return found == codecs.end() ? nullptr : &*found;
}

}  // namespace

std::optional<StreamJob> encode_with_history(const trees::ColumnView& words,
                                             std::span<const StreamJob> segments, bool is_for_size,
                                             bool checksums, core::Workers& workers) {
  const registry::CodecEntry* const codec = codec_with_history();
  const std::span content(static_cast<const std::uint8_t*>(words.values),
                          static_cast<std::size_t>(words.bytes()));
  if (codec == nullptr || content.empty()) return std::nullopt;
  std::uint64_t bytes_of_trees = 0;
  for (const StreamJob& job : segments)
    bytes_of_trees += container::array_segment_header_bytes + job.stream_bytes();

  const chunks::Leaf leaf{codec, 1};
  const std::uint64_t tolerated = is_for_size ? tolerated_part_for_size : tolerated_part;
  const auto is_hopeless = [&](std::uint64_t leaf_bytes, std::uint64_t matches) {
    return leaf_bytes * (1000 - matches) / 1000 + words.count * matches / 1000 * distance_bytes >
           bytes_of_trees + bytes_of_trees / tolerated;
  };
  // Distances that do not repeat take more than words without matches.
  const bool takes_few = is_hopeless(words.count * min_word_bytes, min_matches_in_thousand);
  const std::uint32_t min_matches = takes_few ? many_matches_in_thousand : min_matches_in_thousand;
  if (!is_for_size && content.size() >= min_bytes_to_share &&
      cpu::matches_in_thousand(content, share_bits) <= min_matches >> share_bits)
    return std::nullopt;
  const std::uint64_t matches = cpu::matches_in_thousand(content);
  if (matches < min_matches) return std::nullopt;
  if (matches < many_matches_in_thousand) {
    if (is_hopeless(words.count * min_word_bytes, matches)) return std::nullopt;
    // Few chunks often say that it is far from smaller.
    const chunks::LeafEstimate first = chunks::estimate_leaf(leaf, content, 32, 4);
    const std::uint64_t error = std::max(first.error, first.bytes / error_part_of_few);
    const std::uint64_t least = first.bytes - std::min(first.bytes, error);
    if (is_hopeless(std::max(least, first.bytes / max_overestimate), matches) ||
        is_hopeless(chunks::estimated_leaf_bytes(leaf, content), matches))
      return std::nullopt;
  }

  chunks::LeafEncoder encoder(leaf, checksums, workers);
  const auto stream = encoder.encode(content, 0, {});
  if (container::array_segment_header_bytes + stream.size() >= bytes_of_trees) return std::nullopt;
  StreamJob job;
  job.words = words;
  job.bytes.assign(stream.begin(), stream.end());
  job.digest = encoder.digest();
  job.range = container::range_of(words.type, words.values, words.count);
  return job;
}

}  // namespace floe::pipeline
