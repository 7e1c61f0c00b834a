// Where are the vectors of an afl payload? Each says only where the next one begins. One warp walks along: its lanes guess where the next
// vectors are, and as many as follow each other without a gap are taken at once. As long as all vectors have the same length, that is the
// guess; later the bytes around it are brought to shared memory at once, and the warp follows what they say.
#pragma once

#include "series_cuda/open_tree.hpp"

namespace floe::series_cuda {

/// What a lane finds where it guesses a vector.
struct FoundVector {
  VectorPlace place;
  std::uint64_t base_step = 0;
  std::uint32_t next = 0, tail = 0;  ///< Where the next vector begins; how many of the bytes before are about exceptions.
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
    const std::uint32_t begin = reader.at;
    const std::uint64_t exceptions = reader.get_varint();
    found.place.upper_bits = reader.get_byte();
    found.place.exceptions = reader.at;
    if (exceptions > words || found.place.width + found.place.upper_bits > bits) return found;
    found.place.exception_count = static_cast<std::uint16_t>(exceptions);
    reader.skip((exceptions * (10 + found.place.upper_bits) + 7) / 8);
    found.tail = reader.at - begin;
  }
  found.next = reader.at;
  found.valid = !reader.failed;
  return found;
}

/// What a walk needs to know.
struct Payload {
  const std::uint8_t* bytes;  ///< Of the segment, at a multiple of 16.
  std::uint32_t at, end;
  std::uint32_t count;  ///< Words.
  unsigned word_bytes;
};

/// How far a walk is.
struct Walk {
  std::uint64_t base = 0;
  std::uint32_t at = 0, next_vector = 0;
  std::uint32_t stride = 0;  ///< How long vectors are, about; 0 if nothing is known.
  bool is_varied = false;    ///< They were not all as long as that.
  std::uint32_t tail = 0;    ///< Of the last vector with exceptions: bytes about them.
};

/// Shared memory for a walk: the bytes where each of the next vectors may begin. Where more is said about exceptions windows are longer,
/// and there are fewer: with more memory fewer warps would walk at once.
inline constexpr std::uint32_t window_bytes = 112, long_window_bytes = 160, walk_shared_bytes = warp_lanes * window_bytes;
FLOE_DEVICE std::uint32_t window_size(const Walk& walk) { return walk.tail > 40 ? long_window_bytes : window_bytes; }
FLOE_DEVICE unsigned window_count(const Walk& walk) { return walk.tail > 40 ? walk_shared_bytes / long_window_bytes : warp_lanes; }

/// Where the window of a vector begins: so far ahead that what is said about exceptions of the vector before lies in it, too, if it can; in
/// long windows with as much to spare on that side as on the other.
FLOE_DEVICE std::uint32_t window_begin(const Walk& walk, unsigned vector) {
  constexpr std::uint32_t most = long_window_bytes - 16;
  const bool is_long = window_size(walk) > window_bytes && walk.tail < most;
  const std::uint32_t expected = walk.at + walk.stride * vector, before = walk.tail == 0 ? 32 : is_long ? (walk.tail + most) / 2 : 64;
  return expected < before ? 0 : (expected - before) / 16 * 16;
}

/// Up to eight bytes that lie in a window; false if they do not.
FLOE_DEVICE bool look_into_window(const Walk& walk, const std::uint8_t* windows, unsigned vector, std::uint32_t at, std::uint64_t& head) {
  const std::uint32_t offset = at - window_begin(walk, vector);
  if (vector >= window_count(walk) || offset > window_size(walk) - 12) return false;
  const std::uint8_t* const from = windows + vector * window_size(walk) + offset / 4 * 4;
  const std::uint32_t a = cuda::word32(from, 0), b = cuda::word32(from, 1), c = cuda::word32(from, 2);
  head = std::uint64_t{cuda::funnel_right(b, c, 8 * (offset % 4))} << 32 | cuda::funnel_right(a, b, 8 * (offset % 4));
  return true;
}

/// Guesses where the vector is that is `lane` vectors further than the walk: from what the next vectors say, as far as they lie where they
/// are looked for. All lanes look at the same, each keeps its own.
template <class Warp>
FLOE_DEVICE std::uint64_t scout_vectors(Warp& warp, const Payload& payload, const Walk& walk, std::uint8_t* windows) {
  const std::uint32_t begin = window_begin(walk, warp.lane());
  const auto load = [&](unsigned i) {
    cuda::Vector<std::uint32_t> chunk{};
    if (std::uint64_t{begin} + i + 16 <= payload.end) chunk = cuda::load_aligned<cuda::Vector<std::uint32_t>>(payload.bytes + begin + i);
    cuda::store_aligned(windows + warp.lane() * window_size(walk) + i, chunk);
  };
  if (warp.lane() < window_count(walk)) {
    FLOE_UNROLL
    for (unsigned i = 0; i < window_bytes; i += 16) load(i);
    if (window_size(walk) > window_bytes) {
      FLOE_UNROLL
      for (unsigned i = window_bytes; i < long_window_bytes; i += 16) load(i);
    }
  }
  warp.sync();
  std::uint32_t at = walk.at, mine = walk.at, known = 0;
  for (unsigned vector = 0; vector < warp_lanes; ++vector) {
    if (warp.lane() >= vector) {
      mine = at;
      known = vector;
    }
    std::uint64_t head = 0;
    if (!look_into_window(walk, windows, vector, at, head)) break;
    const std::uint64_t ends = ~head & 0x8080808080808000;
    if (ends == 0) break;
    at += core::bit_length(ends & (0 - ends)) / 8 + 128 * static_cast<unsigned>(head & 0x7F);
    if ((head & 0x80) == 0) continue;
    if (!look_into_window(walk, windows, vector + 1, at, head) && !look_into_window(walk, windows, vector, at, head)) break;
    const bool is_long = (head & 0x80) != 0;
    const auto exceptions = static_cast<unsigned>(is_long ? (head & 0x7F) | (head >> 8 & 0x7F) << 7 : head & 0x7F);
    const auto upper_bits = static_cast<unsigned>(head >> (is_long ? 16 : 8) & 0x7F);
    at += (is_long ? 3 : 2) + (exceptions * (10 + upper_bits) + 7) / 8;
  }
  warp.sync();
  return mine + std::uint64_t{walk.stride} * (warp.lane() - known);
}

/// Finds the vectors of a payload, by a warp that has `windows`, walk_shared_bytes of memory. Their places go to `places`. Returns an
/// ErrorCode, the same to all lanes.
template <class Warp>
FLOE_DEVICE_CALL std::uint32_t walk_vectors(Warp& warp, const Payload& payload, std::uint8_t* places, std::uint8_t* windows) {
  const std::uint32_t stop = (payload.count + tile_words - 1) / tile_words;
  Walk walk;
  walk.at = payload.at;
  while (walk.next_vector < stop) {
    const std::uint32_t vector = walk.next_vector + warp.lane();
    const std::uint64_t ahead = walk.at + std::uint64_t{walk.stride} * (warp.lane() + warp_lanes);
    if (walk.stride > 0 && vector + warp_lanes < stop && ahead < payload.end) prefetch(payload.bytes + ahead);
    const std::uint64_t guess =
        walk.is_varied ? scout_vectors(warp, payload, walk, windows) : walk.at + std::uint64_t{walk.stride} * warp.lane();
    FoundVector found;
    if (vector < stop && (warp.lane() == 0 || (walk.stride > 0 && guess < payload.end))) {
      const std::uint32_t left = payload.count - vector * tile_words;
      found = read_vector_head(payload.bytes, static_cast<std::uint32_t>(guess), payload.end, left < tile_words ? left : tile_words,
                               8 * payload.word_bytes);
    }
    const std::uint32_t next_before = warp.shuffle_up(found.next, 1);
    const bool follows = warp.lane() == 0 || (vector < stop && found.valid && next_before == guess);
    const std::uint32_t gaps = ~warp.ballot(follows);
    const unsigned taken = gaps == 0 ? warp_lanes : core::bit_length(gaps & (0u - gaps)) - 1;
    const std::uint64_t base = walk.base + cuda::inclusive_scan(warp, found.base_step);
    if (warp.ballot(warp.lane() == 0 && !found.valid) != 0) return static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
    if (warp.lane() < taken) {
      found.place.base = base;
      cuda::store_aligned(places + std::uint64_t{vector} * sizeof(VectorPlace), found.place);
    }
    walk.base = warp.shuffle(base, taken - 1);
    const std::uint32_t with_tail = warp.ballot(warp.lane() < taken && found.tail > 0);
    if (with_tail != 0) walk.tail = warp.shuffle(found.tail, core::bit_length(with_tail) - 1);
    walk.is_varied = walk.is_varied || (walk.stride > 0 && taken < warp_lanes);
    const std::uint32_t next = warp.shuffle(found.next, taken - 1);
    walk.stride = (next - walk.at + taken / 2) / taken;
    walk.at = next;
    walk.next_vector += taken;
  }
  return 0;
}

}  // namespace floe::series_cuda
