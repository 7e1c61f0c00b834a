// Finds the vectors of a bitpack payload. Each says only where the next one begins. One warp walks along: its
// lanes look at the next vectors where they are expected, and as many as follow each other without a gap are
// taken at once. As long as all vectors have the same length, that is where they are; later the warp follows
// what their bytes say, one after the other, before each lane reads its own.
#pragma once

#include "gpu/unpack/vector_windows.hpp"

namespace floe::gpu {

/// The bytes of a vector's first byte and number, which stand in `header`; 0 if the number goes on behind
/// them.
FLOE_DEVICE unsigned vector_header_bytes(std::uint64_t header) {
  const std::uint32_t low = ~static_cast<std::uint32_t>(header) & 0x80808000,
                      high = ~static_cast<std::uint32_t>(header >> 32) & 0x80808080;
  const unsigned in_low = core::bit_length(low & (0u - low)) / 8,
                 in_high = core::bit_length(high & (0u - high)) / 8;
  return low != 0 ? in_low : high != 0 ? 4 + in_high : 0;
}

/// The number in `bytes` bytes, up to 7, of 7 bits each.
FLOE_DEVICE std::uint64_t join_sevens(std::uint64_t from, unsigned bytes) {
  std::uint64_t number = from & core::low_mask<std::uint64_t>(8 * bytes) & 0x7F7F7F7F7F7F7F7F;
  number = (number & 0x007F007F007F007F) | (number & 0x7F007F007F007F00) >> 1;
  number = (number & 0x00003FFF00003FFF) | (number & 0x3FFF00003FFF0000) >> 2;
  return (number & 0x000000000FFFFFFF) | (number & 0x0FFFFFFF00000000) >> 4;
}

/// What a lane finds where it looks for a vector.
struct FoundVector {
  VectorEntry entry;
  std::uint64_t base_step = 0;
  std::uint32_t next = 0, tail = 0;  ///< Where the next vector begins; bytes before about exceptions.
  bool valid = false;
};

/// Reads the vector of `words` words of `bits` bits at `at`, for which window `window` was brought.
FLOE_DEVICE FoundVector read_vector(const Payload& payload, const VectorWindows& windows, unsigned window,
                                    std::uint32_t at, std::uint32_t words, unsigned bits) {
  FoundVector found;
  if (at >= payload.end) return found;
  const std::uint64_t header = windows.read(window, at);
  found.entry.width = static_cast<std::uint8_t>(header & 0x7F);
  HeaderReader reader{payload.bytes, at + 1, payload.end};
  if (const unsigned size = vector_header_bytes(header); size > 0) {
    if (size > 2 && (header >> (8 * (size - 1)) & 0xFF) == 0)
      return found;  // more bytes than the number needs
    const std::uint64_t folded = join_sevens(header >> 8, size - 1),
                        mask = core::low_mask<std::uint64_t>(bits);
    if ((folded & mask) != folded) return found;
    found.base_step = core::unzigzag(folded) & mask;
    reader.skip(size - 1);
  } else {
    found.base_step = reader.get_signed(bits);
  }
  if (found.entry.width > bits) return found;
  found.entry.packed = reader.at;
  reader.skip((std::uint64_t{words} * found.entry.width + 7) / 8);
  if ((header & 0x80) != 0) {
    const std::uint32_t begin = reader.at;
    const ExceptionsHeader exceptions(static_cast<std::uint32_t>(windows.read(window, begin)));
    std::uint64_t count = exceptions.count;
    found.entry.upper_bits = static_cast<std::uint8_t>(exceptions.upper_bits);
    if (exceptions.is_short) {
      if (exceptions.bytes > 2 && exceptions.count < 0x80) return found;
      reader.skip(exceptions.bytes);
    } else {
      count = reader.get_varint();
      found.entry.upper_bits = reader.get_byte();
    }
    found.entry.exceptions = reader.at;
    if (count > words || found.entry.width + found.entry.upper_bits > bits) return found;
    found.entry.exception_count = static_cast<std::uint16_t>(count);
    reader.skip((count * (10 + found.entry.upper_bits) + 7) / 8);
    found.tail = reader.at - begin;
  }
  found.next = reader.at;
  found.valid = !reader.failed;
  return found;
}

/// How long vectors are, if all are as long as a full one on average.
FLOE_DEVICE std::uint32_t expected_stride(const Payload& payload) {
  const auto bytes = static_cast<float>(payload.end - payload.at),
             vectors = static_cast<float>(payload.count) / tile_words;
  return static_cast<std::uint32_t>(vectors > 1 ? bytes / vectors + 0.5F : bytes);
}

/// Finds the vectors of a payload, by a warp with walk_shared_bytes of memory. Returns an ErrorCode to all.
template <class Warp>
FLOE_DEVICE std::uint32_t walk_vectors(Warp& warp, const Payload& payload, std::uint8_t* entries,
                                       std::uint8_t* shared) {
  const std::uint32_t stop = tiles_of(payload.count);
  Walk walk;
  walk.at = payload.at;
  walk.stride = expected_stride(payload);
  while (walk.next_vector < stop) {
    const VectorWindows windows(payload, walk, shared);
    windows.bring(warp);
    const std::uint32_t vector = walk.next_vector + warp.lane(), ahead = stop - walk.next_vector;
    const std::uint64_t later = walk.at + std::uint64_t{walk.stride} * (warp.lane() + warp_lanes);
    if (vector + warp_lanes < stop && later < payload.end) prefetch(payload.bytes + later);
    FoundVector found;
    unsigned taken = 0;
    while (true) {
      const std::uint32_t expected =
          walk.is_varied ? windows.follow(walk.at, ahead, warp.lane()) : walk.at + walk.stride * warp.lane();
      found = {};
      if (vector < stop)
        found = read_vector(payload, windows, warp.lane(), expected, words_of_tile(payload.count, vector),
                            8 * payload.word_bytes);
      const std::uint32_t next_before = warp.shuffle_up(found.next, 1);
      const bool follows = warp.lane() == 0 || (found.valid && next_before == expected);
      const std::uint32_t gaps = ~warp.ballot(follows);
      taken = gaps == 0 ? warp_lanes : core::bit_length(gaps & (0u - gaps)) - 1;
      if (walk.is_varied || taken == warp_lanes || taken == ahead) break;
      walk.is_varied = true;
    }
    const std::uint64_t base = walk.base + inclusive_scan(warp, found.base_step);
    if (warp.ballot(warp.lane() == 0 && !found.valid) != 0)
      return static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
    if (warp.lane() < taken) {
      found.entry.base = base;
      store_aligned(entries + std::uint64_t{vector} * sizeof(VectorEntry), found.entry);
    }
    walk.base = warp.shuffle(base, taken - 1);
    const std::uint32_t with_tail = warp.ballot(warp.lane() < taken && found.tail > 0);
    if (with_tail != 0) walk.tail = warp.shuffle(found.tail, core::bit_length(with_tail) - 1);
    const std::uint32_t next = warp.shuffle(found.next, taken - 1);
    walk.stride = (next - walk.at + taken / 2) / taken;
    walk.at = next;
    walk.next_vector += taken;
    warp.sync();
  }
  return 0;
}

}  // namespace floe::gpu
