// Destinations of the bytes of a decoded chunk: a position in the output, for all of them or for a slice.
#pragma once

#include "chunks/stages/stages.hpp"
#include "core/bits.hpp"
#include "gpu/chunks/word_rows.hpp"
#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// Takes every byte of a chunk once and keeps those in [begin, end).
struct ChunkSink {
  std::uint8_t* chunk = nullptr;  ///< Where byte 0 of the chunk lies, or would lie.
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool whole = false;  ///< All bytes are wanted, and `chunk` is a multiple of 16.

  template <core::Word W>
  FLOE_DEVICE void put_word(std::uint32_t word_index, W word) const {
    if (whole) {
      store_aligned(chunk + sizeof(W) * word_index, word);
    } else {
      put_bytes(static_cast<std::uint32_t>(sizeof(W)) * word_index, &word, sizeof word);
    }
  }

  /// 16 bytes from a multiple of 16 on.
  template <core::Word W>
  FLOE_DEVICE void put_vector(std::uint32_t byte, const Vector<W>& vector) const {
    if (whole) {
      store_aligned(chunk + byte, vector);
    } else {
      put_bytes(byte, &vector, sizeof vector);
    }
  }

  FLOE_DEVICE void put_byte(std::uint32_t byte, std::uint8_t value) const {
    if (byte >= begin && byte < end) chunk[byte] = value;
  }

 private:
  FLOE_DEVICE void put_bytes(std::uint32_t first, const void* bytes, std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) put_byte(first + i, static_cast<const std::uint8_t*>(bytes)[i]);
  }
};

/// Puts words of a full chunk, of which each is the difference to the one before: rows of 16 bytes per lane,
/// from row `first` on. `carry` is the word before them, and becomes the last one.
template <core::Word W, class Warp, unsigned rows, class Sink>
FLOE_DEVICE void put_sums(Warp& warp, typename WordRows<W>::Row (&v)[rows], unsigned first,
                          typename WordRows<W>::Register& carry, const Sink& sink) {
  using Rows = WordRows<W>;
  using Register = typename Rows::Register;
  Register sum[rows], inclusive[rows];
  FLOE_UNROLL
  for (unsigned b = 0; b < rows; ++b) inclusive[b] = sum[b] = Rows::add_up(v[b]);
  inclusive_scans(warp, inclusive);
  FLOE_UNROLL
  for (unsigned b = 0; b < rows; ++b) {
    const auto before = static_cast<Register>(inclusive[b] - sum[b] + carry);
    carry = static_cast<Register>(carry + warp.shuffle(inclusive[b], warp_lanes - 1));
    Rows::add(v[b], before);
    sink.put_vector(512 * (first + b) + 16 * warp.lane(), v[b]);
  }
}

}  // namespace floe::gpu
