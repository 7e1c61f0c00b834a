// What the chunks of a segment with history are made of, and where their words go: values, then distances
// (docs/format/stages/match_history.md).
#pragma once

#include "gpu/history/match_resolve.hpp"

namespace floe::gpu {

/// The words of a chunk of content.
struct ContentSource {
  const std::uint8_t* chunk;
  std::uint32_t chunk_bytes;
  bool aligned;  ///< To 8.

  FLOE_DEVICE std::uint64_t word(std::uint32_t i) const { return load_value(chunk + 8 * i, aligned); }
  FLOE_DEVICE std::uint8_t tail_byte(std::uint32_t i) const { return chunk[chunk_bytes / 8 * 8 + i]; }
};

/// The same where words are aligned: one load each.
struct AlignedContent : ContentSource {
  FLOE_DEVICE std::uint64_t word(std::uint32_t i) const { return load_aligned<std::uint64_t>(chunk + 8 * i); }
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

/// Takes the words of a chunk of values and distances; distances become pointers.
struct HistorySink {
  SegmentValues values;
  std::uint32_t* pointers;
  std::uint32_t count;  ///< Words of the segment.
  std::uint32_t first;  ///< Word of the values and distances with which the chunk begins.
  bool* impossible;     ///< Of this lane: set if a distance leads before the first word.

  template <core::Word W>
  FLOE_DEVICE void put_word(std::uint32_t i, W word) const {
    const std::uint32_t at = first + i;
    if (at < count) {
      store_value(values.bytes + 8 * std::uint64_t{at}, word, values.aligned);
    } else if (word > at - count) {
      *impossible = true;
    } else {
      pointers[at - count] = pointer_of(at - count, static_cast<std::uint32_t>(word));
    }
  }
  FLOE_DEVICE void put_byte(std::uint32_t, std::uint8_t) const {}  // there are only words
};

/// The same for a chunk of values alone, of aligned words,
struct ValueSink {
  std::uint8_t* words;  ///< Of the chunk.

  template <core::Word W>
  FLOE_DEVICE void put_word(std::uint32_t i, W word) const {
    store_aligned(words + 8 * i, word);
  }
  FLOE_DEVICE void put_byte(std::uint32_t, std::uint8_t) const {}
};

/// and of distances alone.
struct DistanceSink {
  std::uint32_t* pointers;  ///< Of the segment.
  std::uint32_t first;      ///< Word whose distance comes first.
  bool* impossible;         ///< As above.

  template <core::Word W>
  FLOE_DEVICE void put_word(std::uint32_t i, W word) const {
    const std::uint32_t at = first + i;
    const bool leads_before = word > at;
    *impossible = *impossible || leads_before;
    if (!leads_before) pointers[at] = pointer_of(at, static_cast<std::uint32_t>(word));
  }
  FLOE_DEVICE void put_byte(std::uint32_t, std::uint8_t) const {}
};

}  // namespace floe::gpu
