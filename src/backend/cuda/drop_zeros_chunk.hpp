// SPratio on a warp: delta, zig-zag, bit_transpose and drop_zeros (docs/format/stages) in one go. Each lane transposes whole squares of
// 32 words; afterwards the warp goes through the planes, a 32-bit word of a plane per lane and step.
#pragma once

#include "backend/cuda/bit_square.hpp"
#include "backend/cuda/bitmap_levels.hpp"
#include "backend/cuda/sink.hpp"
#include "core/chunk.hpp"
#include "stages/delta.hpp"
#include "stages/zigzag.hpp"

namespace floe::cuda {

struct DropZerosChunk {
  using Word = std::uint32_t;
  static constexpr std::uint32_t bitmap_bytes = core::chunk_bytes / 8;

  /// The squares, the payload, the bitmap, and scratch for its levels.
  static constexpr std::uint32_t content_offset = 0;
  static constexpr std::uint32_t payload_offset = core::chunk_bytes;
  static constexpr std::uint32_t payload_room = core::chunk_bytes + 2560;  ///< Kept bytes and levels, before it is known whether they fit.
  static constexpr std::uint32_t bitmap_offset = payload_offset + payload_room;
  static constexpr std::uint32_t scratch_offset = bitmap_offset + bitmap_bytes;
  static constexpr std::uint32_t encode_bytes = scratch_offset + 512;
  /// For decoding: the payload first, then the squares.
  static constexpr std::uint32_t decode_squares_offset = core::chunk_bytes + 16;
  static constexpr std::uint32_t decode_bitmap_offset = decode_squares_offset + core::chunk_bytes;
  static constexpr std::uint32_t decode_scratch_offset = decode_bitmap_offset + bitmap_bytes;
  static constexpr std::uint32_t decode_bytes = decode_scratch_offset + 512;

  struct Plan {};

  /// Encodes and returns the payload's size, or stored_raw; then the content is lost.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t measure(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes, unsigned /*dimensionality*/,
                                           Plan&) {
    std::uint8_t* const squares = buffer + content_offset;
    const Split split(chunk_bytes);
    clear_beyond(warp, squares, chunk_bytes);
    fold(warp, squares, split);
    for (std::uint32_t square = warp.lane(); square < split.squares; square += warp_lanes) square_to_planes(squares, square);
    warp.sync();

    std::uint8_t* const out = buffer + payload_offset;
    std::uint8_t* const bitmap = buffer + bitmap_offset;
    std::uint32_t position = 0;
    if (split.squares == 128) {
      FLOE_NO_UNROLL
      for (std::uint32_t plane = 0; plane < 32; ++plane) {
        std::uint32_t word[4];
        FLOE_UNROLL
        for (unsigned r = 0; r < 4; ++r) word[r] = load_aligned<Word>(squares + plane_offset(32 * r + warp.lane(), plane));
        position = keep(warp, out, position, word, bitmap + 64 * plane);
      }
    } else {
      for (std::uint32_t base = 0; base < core::chunk_bytes / 4; base += 4 * warp_lanes) {
        std::uint32_t word[4];
        for (unsigned r = 0; r < 4; ++r) word[r] = any_word(squares, split, base + r * warp_lanes + warp.lane());
        position = keep(warp, out, position, word, bitmap + base / 2);
      }
    }
    warp.sync();
    if (position > core::chunk_bytes - 3) return stored_raw;
    if (position != 0) position = append_levels<bitmap_bytes>(warp, out, position, bitmap, buffer + scratch_offset);
    if (warp.lane() < 2) out[position + warp.lane()] = static_cast<std::uint8_t>(chunk_bytes >> (8 * warp.lane()));
    warp.sync();
    position += 2;
    return position >= core::chunk_bytes || position >= chunk_bytes ? stored_raw : position;
  }

  template <class Warp>
  static FLOE_DEVICE void write(Warp&, std::uint8_t*, std::uint32_t, const Plan&) {}

  /// Decodes the payload at the front of `buffer`. False if it contradicts the format.
  template <class Warp, class Sink>
  static FLOE_DEVICE bool decode(Warp& warp, std::uint8_t* buffer, std::uint32_t stored_bytes, std::uint32_t chunk_bytes,
                                 unsigned /*dimensionality*/, const Sink& sink) {
    if (stored_bytes < 2 || (buffer[stored_bytes - 2] | std::uint32_t{buffer[stored_bytes - 1]} << 8) != chunk_bytes) return false;
    std::uint8_t* const squares = buffer + decode_squares_offset;
    std::uint8_t* const bitmap = buffer + decode_bitmap_offset;
    const Split split(chunk_bytes);
    if (stored_bytes == 2) {
      for (std::uint32_t i = warp.lane(); i < bitmap_bytes / 4; i += warp_lanes) store_aligned(bitmap + 4 * i, std::uint32_t{0});
      warp.sync();
    } else {
      const std::uint32_t kept = expand_levels<bitmap_bytes>(warp, buffer, stored_bytes - 2, bitmap, buffer + decode_scratch_offset);
      if (kept == stored_raw) return false;
      if (chunk_bytes < core::chunk_bytes && any_bit_from<bitmap_bytes>(warp, bitmap, chunk_bytes)) return false;
      if (count_bitmap<bitmap_bytes>(warp, bitmap) != kept) return false;
    }
    std::uint32_t position = 0;
    if (split.squares == 128) {
      FLOE_NO_UNROLL
      for (std::uint32_t plane = 0; plane < 32; ++plane) {
        std::uint32_t word[4];
        position = expand(warp, buffer, position, bitmap + 64 * plane, word);
        FLOE_UNROLL
        for (unsigned r = 0; r < 4; ++r) store_aligned(squares + plane_offset(32 * r + warp.lane(), plane), word[r]);
      }
    } else {
      for (std::uint32_t base = 0; base < core::chunk_bytes / 4; base += 4 * warp_lanes) {
        std::uint32_t word[4];
        position = expand(warp, buffer, position, bitmap + base / 2, word);
        for (unsigned r = 0; r < 4; ++r) put_any_word(squares, split, base + r * warp_lanes + warp.lane(), word[r]);
      }
    }
    warp.sync();
    for (std::uint32_t square = warp.lane(); square < split.squares; square += warp_lanes) planes_to_square(squares, square);
    warp.sync();
    unfold(warp, squares, split, chunk_bytes, sink);
    return true;
  }

 private:
  /// What of a chunk is transposed: whole squares. The rest follows as words and bytes.
  struct Split {
    std::uint32_t words, squares;
    explicit FLOE_DEVICE Split(std::uint32_t chunk_bytes) : words(chunk_bytes / 4), squares(chunk_bytes / 128) {}
  };

  /// Word i of the content, in the place that it has from fold() on.
  static FLOE_DEVICE std::uint32_t word_offset(std::uint32_t i) { return quad_offset(i / 32, i / 4 % 8) + 4 * (i % 4); }

  /// Zeros behind a short chunk, as far as steps of 512 bytes reach.
  template <class Warp>
  static FLOE_DEVICE void clear_beyond(Warp& warp, std::uint8_t* squares, std::uint32_t chunk_bytes) {
    const std::uint32_t end = (chunk_bytes / 512 + 1) * 512;
    zero_bytes(warp, squares, chunk_bytes, end < core::chunk_bytes ? end : core::chunk_bytes);
    warp.sync();
  }

  /// Delta and zig-zag, 512 bytes per step; moves quads to where lanes find them without meeting. Bytes behind the last word stay.
  template <class Warp>
  static FLOE_DEVICE void fold(Warp& warp, std::uint8_t* squares, const Split& split) {
    const std::uint32_t steps = split.words / 128 < 32 ? split.words / 128 + 1 : 32;
    Word carry = 0;
    FLOE_UNROLL_BY(4)
    for (std::uint32_t step = 0; step < steps; ++step) {
      Vector<Word> v = load_aligned<Vector<Word>>(squares + 512 * step + 16 * warp.lane());
      Word previous = warp.shuffle_up(v.word[3], 1);
      if (warp.lane() == 0) previous = carry;
      carry = warp.shuffle(v.word[3], 31);
      FLOE_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const Word word = v.word[i];
        if (128 * step + 4 * warp.lane() + i < split.words) v.word[i] = stages::ZigZag::forward(stages::Delta::residual(word, previous));
        previous = word;
      }
      warp.sync();
      store_aligned(squares + quad_offset(4 * step + warp.lane() / 8, warp.lane() % 8), v);
    }
    warp.sync();
  }

  static FLOE_DEVICE void square_to_planes(std::uint8_t* squares, std::uint32_t square) {
    BitSquare bits;
    FLOE_UNROLL
    for (unsigned quad = 0; quad < 8; ++quad) {
      const auto v = load_aligned<Vector<Word>>(squares + quad_offset(square, quad));
      FLOE_UNROLL
      for (unsigned i = 0; i < 4; ++i) bits.row[4 * quad + i] = v.word[i];
    }
    transpose(bits);
    FLOE_UNROLL
    for (unsigned plane = 0; plane < 32; ++plane) store_aligned(squares + plane_offset(square, plane), bits.row[plane]);
  }

  static FLOE_DEVICE void planes_to_square(std::uint8_t* squares, std::uint32_t square) {
    BitSquare bits;
    FLOE_UNROLL
    for (unsigned plane = 0; plane < 32; ++plane) bits.row[plane] = load_aligned<Word>(squares + plane_offset(square, plane));
    transpose(bits);
    FLOE_UNROLL
    for (unsigned quad = 0; quad < 8; ++quad) {
      Vector<Word> v;
      FLOE_UNROLL
      for (unsigned i = 0; i < 4; ++i) v.word[i] = bits.row[4 * quad + i];
      store_aligned(squares + quad_offset(square, quad), v);
    }
  }

  /// Where the 32-bit word `index` of the transposed chunk lies.
  static FLOE_DEVICE std::uint32_t any_offset(const Split& split, std::uint32_t index) {
    if (index < 32 * split.squares) return plane_offset(index % split.squares, index / split.squares);
    return word_offset(index);
  }
  static FLOE_DEVICE Word any_word(const std::uint8_t* squares, const Split& split, std::uint32_t index) {
    return index <= split.words ? load_aligned<Word>(squares + any_offset(split, index)) : 0;
  }
  static FLOE_DEVICE void put_any_word(std::uint8_t* squares, const Split& split, std::uint32_t index, Word word) {
    if (index < core::chunk_bytes / 4) store_aligned(squares + any_offset(split, index), word);
  }

  /// Appends the bytes that are not 0 of four times 32 words, and sets their 512 bits of the bitmap.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t keep(Warp& warp, std::uint8_t* out, std::uint32_t position, const std::uint32_t (&word)[4],
                                        std::uint8_t* bitmap) {
    std::uint32_t kept[4], counts = 0;
    FLOE_UNROLL
    for (unsigned r = 0; r < 4; ++r) {
      kept[r] = nonzero_bytes(word[r]);
      counts |= count_bits(kept[r]) << (8 * r);
    }
    const std::uint32_t inclusive = inclusive_scan(warp, counts), total = warp.shuffle(inclusive, 31);  // at most 128 in each byte
    const std::uint32_t before = inclusive - counts;
    FLOE_UNROLL
    for (unsigned r = 0; r < 4; ++r) {
      write_kept_bytes(out, position + (before >> (8 * r) & 255), word[r], kept[r]);
      store_nibbles(warp, bitmap + 16 * r, kept[r]);
      position += total >> (8 * r) & 255;
    }
    return position;
  }

  /// The inverse of keep. Reads up to 8 bytes from a lane's first kept byte on.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t expand(Warp& warp, const std::uint8_t* in, std::uint32_t position, const std::uint8_t* bitmap,
                                          std::uint32_t (&word)[4]) {
    std::uint32_t kept[4], counts = 0;
    FLOE_UNROLL
    for (unsigned r = 0; r < 4; ++r) {
      kept[r] = bitmap[16 * r + warp.lane() / 2] >> (warp.lane() % 2 * 4) & 15;
      counts |= count_bits(kept[r]) << (8 * r);
    }
    const std::uint32_t inclusive = inclusive_scan(warp, counts), total = warp.shuffle(inclusive, 31);
    const std::uint32_t before = inclusive - counts;
    FLOE_UNROLL
    for (unsigned r = 0; r < 4; ++r) {
      const std::uint32_t at = position + (before >> (8 * r) & 255);
      const std::uint8_t* const from = in + at / 4 * 4;
      word[r] = permute_bytes(funnel_right(word32(from, 0), word32(from, 1), 8 * at), 0, expand_selector(kept[r]));
      position += total >> (8 * r) & 255;
    }
    return position;
  }

  /// The inverse of fold, into the sink.
  template <class Warp, class Sink>
  static FLOE_DEVICE void unfold(Warp& warp, const std::uint8_t* squares, const Split& split, std::uint32_t chunk_bytes, const Sink& sink) {
    Word carry = 0;
    if (chunk_bytes == core::chunk_bytes) {
      FLOE_UNROLL_BY(4)
      for (unsigned step = 0; step < 32; ++step) {
        auto v = load_aligned<Vector<Word>>(squares + quad_offset(4 * step + warp.lane() / 8, warp.lane() % 8));
        Word sum = 0;
        FLOE_UNROLL
        for (unsigned i = 0; i < 4; ++i) v.word[i] = sum = stages::Delta::combine(stages::ZigZag::inverse(v.word[i]), sum);
        const Word inclusive = inclusive_scan(warp, sum), before = inclusive - sum + carry;
        carry += warp.shuffle(inclusive, 31);
        FLOE_UNROLL
        for (unsigned i = 0; i < 4; ++i) v.word[i] += before;
        sink.put_vector(512 * step + 16 * warp.lane(), v);
      }
      return;
    }
    for (std::uint32_t base = 0; base < split.words; base += warp_lanes) {
      const std::uint32_t i = base + warp.lane();
      const Word word = i < split.words ? load_aligned<Word>(squares + word_offset(i)) : 0;
      const Word inclusive = inclusive_scan(warp, stages::ZigZag::inverse(word));
      if (i < split.words) sink.put_word(i, inclusive + carry);
      carry += warp.shuffle(inclusive, 31);
    }
    const std::uint32_t i = 4 * split.words + warp.lane();
    if (i < chunk_bytes) sink.put_byte(i, squares[word_offset(split.words) + warp.lane()]);
  }
};

}  // namespace floe::cuda
