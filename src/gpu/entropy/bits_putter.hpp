// Bits that the lanes of a warp have, put behind each other.
#pragma once

#include "gpu/entropy/encode_memory.hpp"
#include "gpu/entropy/scan_words.hpp"
#include "gpu/warp/lane_bytes.hpp"

namespace floe::gpu {

/// Up to 128 bits; those above `count` are zero.
struct ExtraBits {
  std::uint32_t word[4] = {}, count = 0;
};

/// A lane's pieces, one behind the other.
template <core::Word W, unsigned steps>
FLOE_DEVICE ExtraBits join_extra_bits(const W (&bits)[steps], const std::uint32_t (&counts)[steps]) {
  static_assert(steps * sizeof(W) <= 16);
  if constexpr (sizeof(W) == 8) {
    static_assert(steps == 2);
    const std::uint64_t low = bits[0] | shift_left(bits[1], counts[0]),
                        high = shift_right(bits[1], 64 - counts[0]);
    return {{low_half(low), high_half(low), low_half(high), high_half(high)}, counts[0] + counts[1]};
  } else {
    constexpr unsigned joined = 4 / sizeof(W);  // pieces that 32 bits hold
    std::uint32_t piece[4] = {}, length[4] = {};
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      const std::uint32_t own = bits[k];
      piece[k / joined] |= k % joined == 0 ? own : own << length[k / joined];
      length[k / joined] += counts[k];
    }
    const LaneBytes all = join_pieces(piece, length);
    return {{low_half(all.low), high_half(all.low), low_half(all.high), high_half(all.high)},
            length[0] + length[1] + length[2] + length[3]};
  }
}

/// Puts word `i` of a lane's bits, of which no other lane has a part, if it stands before word `last`. No
/// branches.
template <unsigned i>
FLOE_DEVICE void put_whole_word(std::uint8_t* at, std::uint32_t word, unsigned last) {
#if defined(__CUDA_ARCH__)
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
  asm volatile(
      "{\n\t.reg .pred whole;\n\tsetp.gt.u32 whole, %2, %3;\n\t"
      "@whole st.shared.u32 [%0 + %4], %1;\n\t}" ::"r"(to),
      "r"(word), "r"(last), "n"(i), "n"(4 * i)
      : "memory");
#else
  if (i < last) store_aligned(at + 4 * i, word);
#endif
}
/// Adds bits to a word of which other lanes may have a part.
template <class Warp>
FLOE_DEVICE void put_shared_word([[maybe_unused]] Warp& warp, std::uint8_t* at, std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
  asm volatile("red.shared.or.b32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
#else
  warp.shared_or(at, word);
#endif
}

/// Puts a lane's bits to `buffer` from bit `position` on, where it is zero. Lanes may share their first and
/// last words.
template <class Warp>
FLOE_DEVICE void put_extra_bits(Warp& warp, std::uint8_t* buffer, std::uint32_t position,
                                const ExtraBits& bits) {
  std::uint8_t* const at = buffer + position / 32 * 4;
  const unsigned shift = position % 32, last = (shift + bits.count) / 32;
  const std::uint32_t* const v = bits.word;
  const std::uint32_t word[5] = {v[0] << shift, funnel_left(v[0], v[1], shift),
                                 funnel_left(v[1], v[2], shift), funnel_left(v[2], v[3], shift),
                                 funnel_left(v[3], 0, shift)};
  put_shared_word(warp, at, word[0]);
  put_whole_word<1>(at, word[1], last);
  put_whole_word<2>(at, word[2], last);
  put_whole_word<3>(at, word[3], last);
  std::uint32_t behind = word[1];  // zero, if all bits are in the first word
  FLOE_UNROLL
  for (unsigned i = 2; i < 5; ++i) behind = last >= i ? word[i] : behind;
  put_shared_word(warp, at + 4 * last, behind);
}

/// Puts bits behind each other with a warp, from any bit of 16 bytes on. They leave a buffer in pieces.
template <class Warp>
class BitsPutter {
 public:
  /// `buffer`: staged_extra_words, 16 bytes aligned. `to`: a multiple of 16.
  FLOE_DEVICE BitsPutter(Warp& warp, std::uint32_t* buffer, std::uint8_t* to, std::uint32_t first_bit)
      : warp_(warp),
        buffer_(reinterpret_cast<std::uint8_t*>(buffer)),
        to_(to + 16 * warp.lane()),
        held_(first_bit) {
#if defined(__CUDA_ARCH__)
    __builtin_assume(__isShared(buffer));
#endif
    for (unsigned i = 0; i < 2; ++i)
      store_aligned(buffer_ + extra_piece_bytes * i + 16 * warp.lane(), Vector<std::uint32_t>{});
    warp.sync();
  }
  /// Those of all lanes, in their order.
  FLOE_DEVICE void put(const ExtraBits& bits) {
    const std::uint32_t inclusive = scan_words(warp_, bits.count);
    put_extra_bits(warp_, buffer_, held_ + inclusive - bits.count, bits);
    held_ += warp_.shuffle(inclusive, warp_lanes - 1);
    warp_.sync();
    if (held_ < 8 * extra_piece_bytes) return;
    using Piece = Vector<std::uint32_t>;
    std::uint8_t* const own = buffer_ + 16 * warp_.lane();
    store_aligned(to_, load_aligned<Piece>(own));
    store_aligned(own, load_aligned<Piece>(own + extra_piece_bytes));
    store_aligned(own + extra_piece_bytes, Piece{});
    to_ += extra_piece_bytes;
    written_ += extra_piece_bytes;
    held_ -= 8 * extra_piece_bytes;
    warp_.sync();
  }
  /// That were put, with those before the first one.
  [[nodiscard]] FLOE_DEVICE std::uint32_t bits() const { return 8 * written_ + held_; }
  /// Returns how many words of 32 bits there are.
  FLOE_DEVICE std::uint32_t finish() {
    const std::uint32_t words = (held_ + 31) / 32;
    std::uint8_t* const to = to_ - 16 * warp_.lane();
    for (std::uint32_t i = warp_.lane(); i < words; i += warp_lanes)
      store_aligned(to + 4 * i, load_aligned<std::uint32_t>(buffer_ + 4 * i));
    warp_.sync();
    return written_ / 4 + words;
  }

 private:
  Warp& warp_;
  std::uint8_t *buffer_, *to_;        ///< Where the lane's part of the next piece goes.
  std::uint32_t held_, written_ = 0;  ///< Bits in the buffer, and bytes that left it.
};

/// Moves `count` bits from a multiple of 4 bytes on to where bits end, `end` bits from `to` on, a multiple of
/// 4, too, and not behind them. By a warp.
template <class Warp>
FLOE_DEVICE void move_bits(Warp& warp, std::uint8_t* to, std::uint32_t end, const std::uint8_t* from,
                           std::uint32_t count) {
  constexpr unsigned batch = 4;
  const unsigned shift = end % 32;
  to += end / 32 * 4;
  if (count == 0 || to == from) return;
  const std::uint32_t words = (count + 31) / 32, made = (shift + count + 31) / 32;
  const auto word = [&](std::uint32_t i) {
    return i < words ? load_aligned<std::uint32_t>(from + 4 * std::size_t{i}) : 0;
  };
  FLOE_NO_UNROLL
  for (std::uint32_t first = warp.lane(); first - warp.lane() < made; first += batch * warp_lanes) {
    std::uint32_t moved[batch];
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint32_t i = first + k * warp_lanes, before = i > 0       ? word(i - 1)
                                                               : shift > 0 ? load_aligned<std::uint32_t>(to)
                                                                                 << (32 - shift)
                                                                           : 0;
      moved[k] = funnel_left(before, word(i), shift);
    }
    warp.sync();
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint32_t i = first + k * warp_lanes;
      if (i < made) store_aligned(to + 4 * std::size_t{i}, moved[k]);
    }
    warp.sync();
  }
}

}  // namespace floe::gpu
