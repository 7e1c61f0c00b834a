// Where are the vectors of an afl payload? Each says only where the next one begins. One warp walks along: its lanes guess that all vectors
// are as long as the last one, and as many as follow each other without a gap are taken at once.
#pragma once

#include "series_cuda/open_tree.hpp"

namespace floe::series_cuda {

/// The width of a vector that was not found. Its words are unspecified.
inline constexpr std::uint8_t lost_width = 0xFF;

/// Bytes that are asked for before they are needed, so that all teams' bytes fit into the cache.
inline constexpr std::uint32_t most_prefetched = 48 << 10;

/// What a lane finds where it guesses a vector.
struct FoundVector {
  VectorPlace place;
  std::uint64_t base_step = 0;
  std::uint32_t next = 0;
  bool valid = false;
};

/// Reads the vector of `words` words of `bits` bits at `at`.
FLOE_DEVICE FoundVector read_vector_head(const std::uint8_t* bytes, std::uint32_t at, std::uint32_t end, std::uint32_t words,
                                         unsigned bits) {
  FoundVector found;
  if (at >= end) return found;
  const std::uint32_t left = end - at;
  const std::uint64_t head = load_bits(bytes + at, 0, left < 8 ? 8 * left : 64);
  found.place.width = static_cast<std::uint8_t>(head & 0x7F);
  const bool has_exceptions = (head & 0x80) != 0;
  HeaderReader reader{bytes, at + 1, end};
  const std::uint64_t ends = ~head & 0x8080808080808000;  // bytes of the base that none follows
  if (ends != 0) {
    // The usual case, from what was loaded: up to 7 bytes of 7 bits.
    const unsigned size = core::bit_length(ends & (0 - ends)) / 8 - 1;
    if (size + 1 > left) return found;
    std::uint64_t folded = 0;
    for (unsigned i = 0; i < size; ++i) folded |= (head >> (8 * (i + 1)) & 0x7F) << (7 * i);
    const std::uint64_t mask = core::low_mask<std::uint64_t>(bits);
    if ((folded & mask) != folded) return found;
    found.base_step = stages::ZigZag::inverse(folded) & mask;
    reader.at += size;
  } else {
    found.base_step = reader.get_signed(bits);
  }
  if (found.place.width > bits) return found;
  found.place.packed = reader.at;
  reader.skip((std::uint64_t{words} * found.place.width + 7) / 8);
  if (has_exceptions) {
    const std::uint64_t exceptions = reader.get_varint();
    found.place.upper_bits = reader.get_byte();
    found.place.exceptions = reader.at;
    if (exceptions > words || found.place.width + found.place.upper_bits > bits) return found;
    found.place.exception_count = static_cast<std::uint16_t>(exceptions);
    reader.skip((exceptions * (10 + found.place.upper_bits) + 7) / 8);
  }
  found.next = reader.at;
  found.valid = !reader.failed;
  return found;
}

/// Finds the next round of vectors of the chain. Called by all lanes of the walker.
template <class Team>
FLOE_DEVICE_CALL void walk_round(Team& team, const std::uint8_t* bytes, unsigned round) {
  auto& warp = team.warp();
  TeamMemory& memory = team.memory();
  const Chain& chain = memory.chain;
  const std::uint32_t vector_count = (chain.count + tile_words - 1) / tile_words;
  VectorPlace* const places = memory.places[round % 2];
  Walk walk = memory.walk;
  std::uint32_t code = 0;
  const std::uint32_t stop = (round + 1) * round_vectors < vector_count ? (round + 1) * round_vectors : vector_count;
  while (walk.next_vector < stop && code == 0) {
    const std::uint32_t vector = walk.next_vector + warp.lane();
    const std::uint64_t guess = walk.at + std::uint64_t{walk.stride} * warp.lane();
    FoundVector found;
    if (vector < stop && (warp.lane() == 0 || (walk.stride > 0 && guess < chain.end))) {
      const std::uint32_t left = chain.count - vector * tile_words;
      found = read_vector_head(bytes, static_cast<std::uint32_t>(guess), chain.end, left < tile_words ? left : tile_words,
                               8u * chain.word_bytes);
    }
    const std::uint32_t next_before = warp.shuffle_up(found.next, 1);
    const bool follows = warp.lane() == 0 || (vector < stop && found.valid && next_before == guess);
    const std::uint32_t gaps = ~warp.ballot(follows);
    const unsigned taken = gaps == 0 ? warp_lanes : core::bit_length(gaps & (0u - gaps)) - 1;
    const std::uint64_t base = walk.base + cuda::inclusive_scan(warp, found.base_step);
    if (warp.ballot(warp.lane() == 0 && !found.valid) != 0) {
      code = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
      if (vector < stop) places[vector % round_vectors] = VectorPlace{0, 0, 0, 0, lost_width, 0};
      walk.at = chain.end;  // so that the next rounds are lost, too
      walk.next_vector = stop;
      break;
    }
    if (warp.lane() < taken) {
      found.place.base = base;
      places[vector % round_vectors] = found.place;
    }
    walk.base = warp.shuffle(base, taken - 1);
    walk.at = warp.shuffle(found.next, taken - 1);
    walk.stride = walk.at - warp.shuffle(static_cast<std::uint32_t>(guess), taken - 1);
    walk.next_vector += taken;
    const std::uint64_t ahead = walk.at + std::uint64_t{walk.stride} * (warp.lane() + round_vectors / 2);
    if (ahead < chain.end) prefetch(bytes + ahead);
  }
  // The workers come to these vectors a round later.
  const std::uint32_t found_bytes = walk.at - memory.walk.at;
  prefetch(warp, bytes + memory.walk.at, found_bytes < most_prefetched ? found_bytes : most_prefetched);
  warp.sync();
  if (warp.lane() == 0) {
    memory.walk = walk;
    if (code != 0) memory.code = code;
  }
}

}  // namespace floe::series_cuda
