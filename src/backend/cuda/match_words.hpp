// What the chunks of a segment with history are made of, and where their words go: values, then distances
// (docs/format/stages/match_history.md).
#pragma once

#include "backend/cuda/match_resolve.hpp"

namespace floe::cuda {

/// The words of a chunk of content.
struct ContentSource {
  const std::uint8_t* chunk;
  std::uint32_t chunk_bytes;
  bool aligned;  ///< To 8.

  FLOE_DEVICE std::uint64_t word(std::uint32_t i) const { return load_word(chunk + 8 * i, aligned); }
  FLOE_DEVICE std::uint8_t tail_byte(std::uint32_t i) const { return chunk[chunk_bytes / 8 * 8 + i]; }
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
    const std::uint64_t word = words.word(at);  // loaded whether it is needed or not: both loads at once
    return distances[at] == 0 ? word : 0;
  }
  FLOE_DEVICE std::uint8_t tail_byte(std::uint32_t) const { return 0; }  // there is none
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
      store_word(values.bytes + 8 * std::uint64_t{at}, word, values.aligned);
    } else if (word > at - count) {
      *impossible = true;
    } else {
      pointers[at - count] = pointer_of(at - count, static_cast<std::uint32_t>(word));
    }
  }
  FLOE_DEVICE void put_byte(std::uint32_t, std::uint8_t) const {}  // there are only words
};

}  // namespace floe::cuda
