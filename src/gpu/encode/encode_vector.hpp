// Packs a vector with a warp. Its words lie in a tile of shared memory. The bit width is the one for which
// words and exceptions need the fewest bits, as in encodings/bitpack/bitpack.cpp. The bytes of a vector go to
// a slot of the scratch, the packed ones at a multiple of 16.
#pragma once

#include "gpu/encode/encode_memory.hpp"

namespace floe::gpu {

template <core::Word W>
FLOE_DEVICE Pack<W> tile_pack(const std::uint8_t* tile, std::uint32_t word) {
  return {load_aligned<typename Pack<W>::Bits>(tile + word * sizeof(W))};
}
template <core::Word W>
FLOE_DEVICE W tile_word(const std::uint8_t* tile, std::uint32_t word) {
  return load_aligned<W>(tile + word * sizeof(W));
}

/// The width with the fewest bits, given how many words have more than a number of bits.
template <class CountAbove>
FLOE_DEVICE Packing narrowest_packing(std::uint32_t count, unsigned full_width,
                                      const CountAbove& count_above) {
  Packing best{full_width, full_width, 0};
  std::uint32_t best_bits = count * full_width;
  for (unsigned width = full_width; width-- > 0;) {
    const std::uint32_t exceptions = count_above(width);
    const std::uint32_t bits = count * width + 24 + exceptions * (10 + full_width - width);
    if (bits < best_bits) {
      best_bits = bits;
      best.width = width;
      best.exceptions = exceptions;
    }
    // Narrower words have at least as many exceptions, so that no width below is better.
    if (24 + exceptions * (10 + full_width) >= best_bits) break;
  }
  return best;
}

/// The same, of lanes with the bit lengths of 32 words as bytes: a comparison is an addition to bit 7.
template <class Warp>
FLOE_DEVICE Packing narrowest_packing(Warp& warp, std::uint32_t count, unsigned full_width,
                                      const std::uint32_t (&lengths)[8]) {
  return narrowest_packing(count, full_width, [&](unsigned width) {
    const std::uint32_t reach = (127 - width) * 0x01010101u;
    std::uint32_t above = 0;
    FLOE_UNROLL
    for (unsigned i = 0; i < 8; ++i) above |= ((lengths[i] + reach) & 0x80808080u) >> i;
    return warp.reduce_add(count_bits(above));
  });
}

/// Of short words, a length is as many ones at the word's position. What is behind the vector becomes its
/// base.
template <core::Word W, class Warp>
FLOE_DEVICE Packing choose_packing(Warp& warp, std::uint8_t* tile, std::uint32_t count, W base, W range) {
  const unsigned full_width = core::bit_length(range);
  if (full_width == 0) return {};
  if (count < tile_words) {
    for (std::uint32_t i = count + warp.lane(); i < tile_words; i += warp_lanes) store_word(tile, i, base);
    warp.sync();
  }
  if constexpr (sizeof(W) < 4) {
    using P = Pack<W>;
    const std::uint32_t bases = P::repeat(base);
    std::uint32_t lengths[tile_rows<W>];
    FLOE_UNROLL
    for (unsigned row = 0; row < tile_rows<W>; ++row)
      lengths[row] = P::lengths(
          P::subtract(tile_pack<W>(tile, row * row_words<W> + warp.lane() * P::words).bits, bases));
    return narrowest_packing(count, full_width, [&](unsigned width) {
      std::uint32_t above = 0;
      FLOE_UNROLL
      for (unsigned row = 0; row < tile_rows<W>; ++row) above += count_bits(lengths[row] & P::ones << width);
      return warp.reduce_add(above);
    });
  } else {
    std::uint32_t lengths[8] = {};
    FLOE_UNROLL
    for (unsigned row = 0; row < 32; ++row) {
      const std::uint32_t length =
          core::bit_length(static_cast<W>(tile_word<W>(tile, row * warp_lanes + warp.lane()) - base));
      lengths[row / 4] |= length << (8 * (row % 4));
    }
    return narrowest_packing(warp, count, full_width, lengths);
  }
}

/// 32 bits from bit `first` on of a row of fields of `bits` bits, 1 to 74; field_at(i) gives the lower 64
/// bits, high_at(i) those above. `first` may be negative: there are zeros.
template <class FieldAt, class HighAt>
FLOE_DEVICE std::uint32_t gather_bits(std::int32_t first, unsigned bits, std::uint32_t count,
                                      const FieldAt& field_at, const HighAt& high_at) {
  std::uint32_t out = 0;
  const auto width = static_cast<std::int32_t>(bits), end = static_cast<std::int32_t>(count * bits);
  std::int32_t i = first < 0 ? 0 : first / width;
  for (std::int32_t at = i * width; at < first + 32 && at < end; ++i, at += width) {
    const std::uint64_t field = field_at(static_cast<std::uint32_t>(i));
    if (at >= first) {
      out |= static_cast<std::uint32_t>(field << (at - first));
    } else {
      const auto shift = static_cast<unsigned>(first - at);
      out |= static_cast<std::uint32_t>(shift_right(field, shift));
      if (shift > 32 && bits > 64) {
        const std::uint64_t high = high_at(static_cast<std::uint32_t>(i));
        out |= static_cast<std::uint32_t>(shift >= 64 ? high >> (shift - 64) : high << (64 - shift));
      }
    }
  }
  return out;
}

/// Calls put(pack) for the packs at first, first + step, ... of a full vector.
template <core::Word W, unsigned count, class Words, class Put>
FLOE_DEVICE void for_packs(const Words& words, std::uint32_t first, std::uint32_t step, const Put& put) {
  constexpr unsigned batch = count < Words::batch ? count : Words::batch;
  FLOE_NO_UNROLL
  for (unsigned from = 0; from < count; from += batch) {
    Pack<W> packs[batch];
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) packs[k] = words.pack(first + (from + k) * step);
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) put(packs[k]);
  }
}

/// The interleaved layout of a full vector: a lane makes a column, or half a column of 64-bit words.
template <core::Word W, class Warp, class Words>
FLOE_DEVICE void pack_vector(Warp& warp, const Words& words, W base, unsigned width, std::uint8_t* out) {
  if (width == 0) return;
  const W mask = core::low_mask<W>(width);
  if constexpr (sizeof(W) == 8) {
    const unsigned half = warp.lane() / 16, column = warp.lane() % 16;
    std::uint64_t pending = 0;
    std::uint32_t held = 0;
    unsigned filled = 0, piece = half * width;
    const unsigned first_piece = piece;
    std::uint8_t* const to = out + 8 * column;
    const auto emit = [&](std::uint32_t bits) {
      // Two pieces make a word; a half may begin or end with a piece whose word the other half has, too.
      std::uint8_t* const at = to + piece / 2 * 128;
      if (piece % 2 == 0) {
        held = bits;
      } else if (piece == first_piece) {
        store_aligned(at + 4, bits);
      } else {
        store_aligned(at, std::uint64_t{bits} << 32 | held);
      }
      ++piece;
    };
    const auto put = [&](std::uint32_t bits, unsigned count) {
      pending |= std::uint64_t{bits} << filled;
      filled += count;
      if (filled >= 32) {
        emit(static_cast<std::uint32_t>(pending));
        pending >>= 32;
        filled -= 32;
      }
    };
    for_packs<W, 32>(words, 512 * half + column, 16, [&](Pack<W> pack) {
      const std::uint64_t field = (pack.bits - base) & mask;
      put(static_cast<std::uint32_t>(field), width < 32 ? width : 32);
      if (width > 32) put(static_cast<std::uint32_t>(field >> 32), width - 32);
    });
    if (piece % 2 == 1) store_aligned(to + piece / 2 * 128, held);
  } else if constexpr (sizeof(W) == 4) {
    std::uint32_t pending = 0;
    unsigned filled = 0;
    std::uint8_t* to = out + 4 * warp.lane();
    for_packs<W, 32>(words, warp.lane(), 32, [&](Pack<W> pack) {
      const std::uint32_t field = (pack.bits - base) & mask;
      pending |= field << filled;
      filled += width;
      if (filled >= 32) {
        store_aligned(to, pending);
        to += 128;
        filled -= 32;
        pending = shift_right(field, width - filled);
      }
    });
  } else {
    // All words of a register at once.
    using P = Pack<W>;
    constexpr unsigned bits = core::word_bits<W>;
    const std::uint32_t bases = P::repeat(base), masks = P::repeat(mask);
    std::uint32_t pending = 0;
    unsigned filled = 0;
    std::uint8_t* to = out + 4 * warp.lane();
    for_packs<W, tile_rows<W>>(words, warp.lane() * Pack<W>::words, row_words<W>, [&](Pack<W> pack) {
      const std::uint32_t fields = P::subtract(pack.bits, bases) & masks;
      pending |= (fields & P::repeat(core::low_mask<W>(bits - filled))) << filled;
      filled += width;
      if (filled >= bits) {
        store_aligned(to, pending);
        to += 128;
        filled -= bits;
        // What of each field did not fit, from bit width - filled on.
        pending = filled == 0 ? 0 : (fields >> (width - filled)) & P::repeat(core::low_mask<W>(filled));
      }
    });
  }
}

/// Words of a vector that lie in a tile of shared memory.
template <core::Word W>
struct TileWords {
  static constexpr unsigned batch = 4;  ///< Packs that are worth asking for before the first is used.
  const std::uint8_t* tile;

  FLOE_DEVICE W word(std::uint32_t i) const { return tile_word<W>(tile, i); }
  FLOE_DEVICE Pack<W> pack(std::uint32_t i) const { return tile_pack<W>(tile, i); }
};

/// A vector that is ready to be written.
template <core::Word W, class Words = TileWords<W>>
struct VectorToPack {
  Words words;
  std::uint32_t count;
  W base, last_base;
  Packing packing;
};

/// The positions of exceptions, in their order.
template <core::Word W, class Warp, class Words>
FLOE_DEVICE void find_exceptions(Warp& warp, const VectorToPack<W, Words>& vector, std::uint16_t* positions) {
  const W limit = core::low_mask<W>(vector.packing.width);
  std::uint32_t found = 0;
  FLOE_UNROLL_BY(4)
  for (unsigned row = 0; row < tile_words / 32; ++row) {
    const std::uint32_t i = 32 * row + warp.lane();
    const bool excepts = i<vector.count&& static_cast<W>(vector.words.word(i) - vector.base)> limit;
    const std::uint32_t mask = warp.ballot(excepts);
    if (excepts) positions[found + count_before(warp, mask)] = static_cast<std::uint16_t>(i);
    found += count_bits(mask);
  }
  warp.sync();
}

/// Bytes of the exceptions of a vector; there are some.
FLOE_DEVICE std::uint32_t exceptions_bytes(const Packing& packing) {
  return varint_bytes(packing.exceptions) + 1 +
         (packing.exceptions * (10 + packing.full_width - packing.width) + 7) / 8;
}

/// Writes what stands before a vector's packed bytes, for the distance of its base. Returns its bytes.
template <core::Word W, class Warp>
FLOE_DEVICE std::uint32_t put_vector_header(Warp& warp, const Packing& packing, W base_step,
                                            std::uint8_t* slot) {
  const std::uint64_t step = folded(base_step, core::word_bits<W>);
  const std::uint32_t bytes = varint_bytes(step);
  if (warp.lane() == 0)
    slot[slot_header - 1 - bytes] =
        static_cast<std::uint8_t>(packing.width | (packing.width < packing.full_width ? 0x80 : 0));
  if (warp.lane() < bytes) {
    const unsigned more = warp.lane() + 1 < bytes ? 0x80 : 0;
    slot[slot_header - bytes + warp.lane()] =
        static_cast<std::uint8_t>((step >> (7 * warp.lane()) & 0x7F) | more);
  }
  return 1 + bytes;
}

/// Writes a vector to its slot. Returns its bytes, with those before the packed words << 24.
template <core::Word W, class Warp, class Words>
FLOE_DEVICE std::uint32_t write_vector(Warp& warp, const VectorToPack<W, Words>& vector, std::uint8_t* slot) {
  const Packing packing = vector.packing;
  const bool excepts = packing.width < packing.full_width;
  const std::uint32_t header =
      put_vector_header<W>(warp, packing, static_cast<W>(vector.base - vector.last_base), slot);
  std::uint8_t* const out = slot + slot_header;
  std::uint32_t bytes = (vector.count * packing.width + 7) / 8;
  if (vector.count == tile_words) {
    pack_vector<W>(warp, vector.words, vector.base, packing.width, out);
  } else if (packing.width > 0) {
    const W mask = core::low_mask<W>(packing.width);
    const auto field_at = [&](std::uint32_t i) {
      return static_cast<std::uint64_t>(static_cast<W>(vector.words.word(i) - vector.base) & mask);
    };
    for (std::uint32_t i = warp.lane(); i < (bytes + 3) / 4; i += warp_lanes) {
      store_aligned(out + 4 * i, gather_bits(static_cast<std::int32_t>(32 * i), packing.width, vector.count,
                                             field_at, [](std::uint32_t) { return std::uint64_t{0}; }));
    }
  }
  if (excepts) {
    auto* const positions = reinterpret_cast<std::uint16_t*>(slot + slot_positions(sizeof(W)));
    find_exceptions(warp, vector, positions);
    const unsigned upper_bits = packing.full_width - packing.width;
    const std::uint32_t count = packing.exceptions, count_bytes = varint_bytes(count);
    const std::uint64_t prefix = count_bytes == 1 ? count | std::uint64_t{upper_bits} << 8
                                                  : (count & 0x7F) | 0x80 | std::uint64_t{count >> 7} << 8 |
                                                        std::uint64_t{upper_bits} << 16;
    const std::uint32_t prefix_bits = 8 * (count_bytes + 1),
                        tail = (prefix_bits + count * (10 + upper_bits) + 7) / 8;
    const auto upper_at = [&](std::uint32_t i) {
      return static_cast<std::uint64_t>(static_cast<W>(vector.words.word(positions[i]) - vector.base) >>
                                        packing.width);
    };
    const auto tail_bits = [&](std::uint32_t first) {
      const std::uint32_t fields = gather_bits(
          static_cast<std::int32_t>(first) - static_cast<std::int32_t>(prefix_bits), 10 + upper_bits, count,
          [&](std::uint32_t i) { return positions[i] | upper_at(i) << 10; },
          [&](std::uint32_t i) { return upper_at(i) >> 54; });
      return fields | (first < 32 ? static_cast<std::uint32_t>(prefix >> first) : 0);
    };
    std::uint8_t* const to = out + bytes;
    if (bytes % 4 == 0) {
      for (std::uint32_t i = warp.lane(); i < (tail + 3) / 4; i += warp_lanes)
        store_aligned(to + 4 * i, tail_bits(32 * i));
    } else {
      warp.sync();  // the words above reach over the end of the packed bytes
      for (std::uint32_t i = warp.lane(); i < tail; i += warp_lanes)
        to[i] = static_cast<std::uint8_t>(tail_bits(8 * i));
    }
    bytes += tail;
  }
  warp.sync();
  return (header + bytes) | header << 24;
}

}  // namespace floe::gpu
