// Words of chunks with history: values, then distances (docs/format/stages/match_history.md).
#pragma once

#include "gpu/history/match_resolve.hpp"

namespace floe::gpu {

/// The words of a chunk of content: SegmentWords or AlignedWords.
template <class Words>
struct ContentSource {
  Words words;
  std::uint32_t chunk_bytes;

  FLOE_DEVICE std::uint64_t word(std::uint32_t i) const { return words.word(i); }
  FLOE_DEVICE std::uint8_t tail_byte(std::uint32_t i) const { return words.bytes[chunk_bytes / 8 * 8 + i]; }
};

/// The words of a chunk of what match_history makes of a segment.
struct HistorySource {
  SegmentWords words;
  const std::uint32_t* distances;
  std::uint32_t count;  ///< Words of the segment.
  std::uint32_t first;  ///< Word of the values and distances with which the chunk begins.

  FLOE_DEVICE std::uint64_t word(std::uint32_t i) const {
    const std::uint32_t at = first + i;
    if (at >= count) return distances[at - count];
    return distances[at] == 0 ? words.word(at) : 0;
  }
  FLOE_DEVICE std::uint8_t tail_byte(std::uint32_t) const { return 0; }  // there is none
};

/// The same for a chunk of values alone, of aligned words, or of distances alone. No branches, so that the
/// loads of several words are in flight together; one source for both, as the code for each would push that
/// for the other out of the cache.
struct OneKindSource {
  const std::uint8_t* words;       ///< Of the chunk's values, or null if it has distances.
  const std::uint32_t* distances;  ///< Of the chunk.

  FLOE_DEVICE std::uint64_t word(std::uint32_t i) const {
    const std::uint64_t word = words != nullptr ? load_aligned<std::uint64_t>(words + 8 * i) : 0;
    const std::uint32_t distance = distances[i];
    return words == nullptr ? distance : distance == 0 ? word : 0;
  }
  FLOE_DEVICE std::uint8_t tail_byte(std::uint32_t) const { return 0; }
};

/// Takes the words of a chunk of values alone, which are aligned;
struct ValueSink {
  std::uint8_t* words;  ///< Of the chunk.

  template <core::Word W>
  FLOE_DEVICE void put_word(std::uint32_t i, W word) const {
    store_aligned(words + 8 * i, word);
  }
  FLOE_DEVICE void put_byte(std::uint32_t, std::uint8_t) const {}  // there are only words
};

/// of distances alone, which become pointers;
struct DistanceSink {
  std::uint32_t* pointers;  ///< Of the segment.
  std::uint32_t first;      ///< Word whose distance comes first.
  bool* impossible;         ///< Of this lane: set if a distance leads before the first word.

  template <core::Word W>
  FLOE_DEVICE void put_word(std::uint32_t i, W word) const {
    const std::uint32_t at = first + i;
    const bool leads_before = word > at;
    *impossible = *impossible || leads_before;
    if (!leads_before) pointers[at] = pointer_of(at, static_cast<std::uint32_t>(word));
  }
  FLOE_DEVICE void put_byte(std::uint32_t, std::uint8_t) const {}
};

/// or of any chunk of both.
struct HistorySink {
  SegmentValues values;
  DistanceSink distances;
  std::uint32_t count;  ///< Words of the segment.
  std::uint32_t first;  ///< Word of the values and distances with which the chunk begins.

  template <core::Word W>
  FLOE_DEVICE void put_word(std::uint32_t i, W word) const {
    const std::uint32_t at = first + i;
    if (at < count) {
      store_value(values.bytes + 8 * std::uint64_t{at}, word, values.aligned);
    } else {
      distances.put_word(at - count, word);
    }
  }
  FLOE_DEVICE void put_byte(std::uint32_t, std::uint8_t) const {}
};

}  // namespace floe::gpu
