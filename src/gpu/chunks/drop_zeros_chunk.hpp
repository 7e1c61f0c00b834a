// SPratio on a warp: delta, zig-zag, bit_transpose and drop_zeros (docs/format/stages) in one go, in place.
// Each lane transposes four squares of 32 words in registers; then the warp goes through the planes.
#pragma once

#include "chunks/stages/stages.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"
#include "gpu/chunks/bitmap_levels.hpp"
#include "gpu/chunks/sink.hpp"
#include "gpu/warp/bit_square.hpp"
#include "gpu/warp/lane_bytes.hpp"

namespace floe::gpu {

struct DropZerosChunk {
  using Word = std::uint32_t;
  static constexpr std::uint32_t bitmap_bytes = core::chunk_bytes / 8;
  static constexpr std::uint32_t max_level_bytes = 2048 + 256 + 32 + 4;
  static constexpr std::uint32_t scratch_bytes = 512;
  static constexpr unsigned max_warps = 12;

  /// Content, planes and payload, none of which overtakes the next; the bitmap, and scratch for its levels.
  static constexpr std::uint32_t content_offset = 0;
  static constexpr std::uint32_t payload_offset = 0;
  static constexpr std::uint32_t encode_bitmap = core::chunk_bytes + 32;
  static constexpr std::uint32_t encode_bytes = encode_bitmap + bitmap_bytes + scratch_bytes;

  /// So far behind that the planes, which grow from the front, cannot overtake the bytes they are made of.
  static constexpr std::uint32_t payload_end = core::chunk_bytes + (max_level_bytes + 17 + 15) / 16 * 16;
  static constexpr std::uint32_t payload_begin(std::uint32_t padded_bytes) {
    return payload_end - padded_bytes;
  }
  static constexpr std::uint32_t decode_bitmap = payload_end + 16;  ///< Of which 8 bytes are read.
  static constexpr std::uint32_t decode_bytes = decode_bitmap + bitmap_bytes;
  static_assert(payload_end - core::chunk_bytes >= scratch_bytes);  // scratch lies before the payload

  struct Plan {};

  /// Encodes in place and returns the payload's size, or stored_raw; then the content is lost.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t measure(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes,
                                           unsigned /*dimensionality*/, Plan&) {
    std::uint8_t* const bitmap = buffer + encode_bitmap;
    const Split split(chunk_bytes);
    zero_bytes(warp, buffer, chunk_bytes, core::chunk_bytes);
    warp.sync();
    fold(warp, buffer, split);
    squares_to_planes(warp, buffer, split);

    std::uint32_t position = 0;
    FLOE_NO_UNROLL
    for (std::uint32_t base = 0; base < core::chunk_bytes; base += keep_steps * step_bytes)
      position = keep(warp, buffer, position, base, bitmap);
    warp.sync();
    constexpr std::uint32_t limit = core::chunk_bytes;
    if (position != 0)
      position = append_levels<bitmap_bytes>(warp, buffer, position, limit, bitmap, bitmap + bitmap_bytes);
    if (position + 2 >= core::chunk_bytes || position + 2 >= chunk_bytes) return stored_raw;
    if (warp.lane() < 2)
      buffer[position + warp.lane()] = static_cast<std::uint8_t>(chunk_bytes >> (8 * warp.lane()));
    warp.sync();
    return position + 2;
  }

  template <class Warp>
  static FLOE_DEVICE void write(Warp&, std::uint8_t*, std::uint32_t, const Plan&) {}

  /// Decodes the payload at payload_place of its padded size. If it is damaged, false: the sink got nothing.
  template <class Warp, class Sink>
  static FLOE_DEVICE bool decode(Warp& warp, std::uint8_t* buffer, std::uint32_t stored_bytes,
                                 std::uint32_t chunk_bytes, unsigned /*dimensionality*/, const Sink& sink) {
    const std::uint32_t begin = payload_begin((stored_bytes + 15) / 16 * 16);
    const std::uint8_t* const payload = buffer + begin;
    if (stored_bytes < 2 ||
        (payload[stored_bytes - 2] | std::uint32_t{payload[stored_bytes - 1]} << 8) != chunk_bytes)
      return false;
    std::uint8_t* const bitmap = buffer + decode_bitmap;
    if (stored_bytes == 2) {
      zero_words(warp, bitmap, bitmap_bytes / 4);
      warp.sync();
    } else {
      const std::uint32_t kept = expand_levels<bitmap_bytes>(warp, payload, stored_bytes - 2, bitmap, buffer);
      if (kept == stored_raw) return false;
      if (chunk_bytes < core::chunk_bytes && any_bit_from<bitmap_bytes>(warp, bitmap, chunk_bytes))
        return false;
      if (count_bitmap<bitmap_bytes>(warp, bitmap) != kept) return false;
    }
    std::uint32_t position = begin;
    FLOE_NO_UNROLL
    for (std::uint32_t base = 0; base < core::chunk_bytes; base += expand_steps * step_bytes)
      position = expand(warp, buffer, position, base, bitmap);
    warp.sync();
    const Split split(chunk_bytes);
    planes_to_squares(warp, buffer, split);
    unfold(warp, buffer, split, chunk_bytes, sink);
    return true;
  }

 private:
  static constexpr std::uint32_t step_bytes = 16 * warp_lanes;
  static constexpr unsigned keep_steps = 4,
                            expand_steps = 2;  ///< Side by side: more code than that does not fit a cache.
  static constexpr unsigned lane_squares = core::chunk_bytes / 128 / warp_lanes;

  /// What of a chunk is transposed: whole squares. The rest, fewer than 128 bytes, keeps its position.
  struct Split {
    std::uint32_t words, squares;
    explicit FLOE_DEVICE Split(std::uint32_t chunk_bytes)
        : words(chunk_bytes / 4), squares(chunk_bytes / 128) {}
  };

  /// Word i of the content from fold() until the planes are made.
  static FLOE_DEVICE std::uint32_t word_offset(std::uint32_t i) {
    return quad_offset(i / 32, i / 4 % 8) + 4 * (i % 4);
  }

  /// Delta and zig-zag, 512 bytes per step; moves quads to where lanes find them. Other bytes stay.
  template <class Warp>
  static FLOE_DEVICE void fold(Warp& warp, std::uint8_t* buffer, const Split& split) {
    constexpr unsigned batch = 4;
    Word carry = 0;
    FLOE_NO_UNROLL
    for (std::uint32_t first = 0; first < 32; first += batch) {
      Vector<Word> v[batch];
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b)
        v[b] = load_aligned<Vector<Word>>(buffer + 512 * (first + b) + 16 * warp.lane());
      warp.sync();
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        Word previous = word_before(warp, v[b].word[3], carry);
        FLOE_UNROLL
        for (unsigned i = 0; i < 4; ++i) {
          const Word word = v[b].word[i];
          if (128 * (first + b) + 4 * warp.lane() + i < split.words)
            v[b].word[i] = core::zigzag(stages::Delta::residual(word, previous));
          previous = word;
        }
        store_aligned(buffer + quad_offset(4 * (first + b) + warp.lane() / 8, warp.lane() % 8), v[b]);
      }
    }
    warp.sync();
  }

  template <class Warp>
  static FLOE_DEVICE void squares_to_planes(Warp& warp, std::uint8_t* buffer, const Split& split) {
    BitSquare square[lane_squares];
    FLOE_UNROLL
    for (unsigned r = 0; r < lane_squares; ++r) {
      const std::uint32_t number = warp_lanes * r + warp.lane();
      FLOE_UNROLL
      for (unsigned quad = 0; quad < 8; ++quad) {
        const auto v = load_aligned<Vector<Word>>(buffer + quad_offset(number, quad));
        FLOE_UNROLL
        for (unsigned i = 0; i < 4; ++i) square[r].row[4 * quad + i] = v.word[i];
      }
      transpose(square[r]);
    }
    const bool has_rest = split.squares < 128;
    const Word rest =
        has_rest ? load_aligned<Word>(buffer + word_offset(32 * split.squares + warp.lane())) : 0;
    warp.sync();
    FLOE_UNROLL
    for (unsigned r = 0; r < lane_squares; ++r) {
      const std::uint32_t number = warp_lanes * r + warp.lane();
      if (number >= split.squares) continue;
      FLOE_UNROLL
      for (unsigned plane = 0; plane < 32; ++plane)
        store_aligned(buffer + 4 * (plane * split.squares + number), square[r].row[plane]);
    }
    if (has_rest) store_aligned(buffer + 128 * split.squares + 4 * warp.lane(), rest);
    warp.sync();
  }

  template <class Warp>
  static FLOE_DEVICE void planes_to_squares(Warp& warp, std::uint8_t* buffer, const Split& split) {
    BitSquare square[lane_squares];
    FLOE_UNROLL
    for (unsigned r = 0; r < lane_squares; ++r) {
      const std::uint32_t number = warp_lanes * r + warp.lane();
      const std::uint32_t from = number < split.squares ? number : 0;
      FLOE_UNROLL
      for (unsigned plane = 0; plane < 32; ++plane)
        square[r].row[plane] = load_aligned<Word>(buffer + 4 * (plane * split.squares + from));
      transpose(square[r]);
    }
    const bool has_rest = split.squares < 128;
    const Word rest = has_rest ? load_aligned<Word>(buffer + 128 * split.squares + 4 * warp.lane()) : 0;
    warp.sync();
    FLOE_UNROLL
    for (unsigned r = 0; r < lane_squares; ++r) {
      const std::uint32_t number = warp_lanes * r + warp.lane();
      if (number >= split.squares) continue;
      FLOE_UNROLL
      for (unsigned quad = 0; quad < 8; ++quad) {
        Vector<Word> v;
        FLOE_UNROLL
        for (unsigned i = 0; i < 4; ++i) v.word[i] = square[r].row[4 * quad + i];
        store_aligned(buffer + quad_offset(number, quad), v);
      }
    }
    if (has_rest) store_aligned(buffer + word_offset(32 * split.squares + warp.lane()), rest);
    warp.sync();
  }

  /// Appends the bytes of a few steps from `base` on that are not 0, and sets their bits of the bitmap.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t keep(Warp& warp, std::uint8_t* buffer, std::uint32_t position,
                                        std::uint32_t base, std::uint8_t* bitmap) {
    LaneBytes bytes[keep_steps];
    std::uint32_t begin[keep_steps], inclusive[keep_steps], end = position;
    FLOE_UNROLL
    for (unsigned s = 0; s < keep_steps; ++s) {
      const std::uint32_t at = base + s * step_bytes + 16 * warp.lane();
      const auto v = load_aligned<Vector<Word>>(buffer + at);
      std::uint32_t piece[4], count[4], kept_of_all = 0;
      FLOE_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t kept = nonzero_bytes(v.word[i]);
        piece[i] = compact_bytes(v.word[i], kept);
        count[i] = count_bits(kept);
        kept_of_all |= kept << (4 * i);
      }
      store_aligned(bitmap + at / 8, static_cast<std::uint16_t>(kept_of_all));
      bytes[s] = join_bytes(piece, count);
      inclusive[s] = bytes[s].count;
    }
    inclusive_scans(warp, inclusive);
    FLOE_UNROLL
    for (unsigned s = 0; s < keep_steps; ++s) {
      begin[s] = end + inclusive[s] - bytes[s].count;
      end += warp.shuffle(inclusive[s], 31);
    }
    warp.sync();  // all lanes have read what is overwritten now
    zero_ahead(warp, buffer, position, end);
    warp.sync();
    FLOE_UNROLL
    for (unsigned s = 0; s < keep_steps; ++s) write_lane_bytes(warp, buffer, begin[s], bytes[s]);
    return end;
  }

  /// The inverse: takes kept bytes from `position` on, returns where they end.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t expand(Warp& warp, std::uint8_t* buffer, std::uint32_t position,
                                          std::uint32_t base, const std::uint8_t* bitmap) {
    Vector<Word> v[expand_steps];
    std::uint32_t kept[expand_steps], inclusive[expand_steps];
    FLOE_UNROLL
    for (unsigned s = 0; s < expand_steps; ++s) {
      kept[s] = load_aligned<std::uint16_t>(bitmap + (base + s * step_bytes) / 8 + 2 * warp.lane());
      inclusive[s] = count_bits(kept[s]);
    }
    inclusive_scans(warp, inclusive);
    FLOE_UNROLL
    for (unsigned s = 0; s < expand_steps; ++s) {
      std::uint32_t from = position + inclusive[s] - count_bits(kept[s]);
      position += warp.shuffle(inclusive[s], 31);
      FLOE_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t of_word = kept[s] >> (4 * i) & 15;
        v[s].word[i] = permute_bytes(read_word<Word>(buffer, from), 0, expand_selector(of_word));
        from += count_bits(of_word);
      }
    }
    warp.sync();  // all lanes have read what is overwritten now
    FLOE_UNROLL
    for (unsigned s = 0; s < expand_steps; ++s)
      store_aligned(buffer + base + s * step_bytes + 16 * warp.lane(), v[s]);
    return position;
  }

  /// The inverse of fold, into the sink.
  template <class Warp, class Sink>
  static FLOE_DEVICE void unfold(Warp& warp, const std::uint8_t* squares, const Split& split,
                                 std::uint32_t chunk_bytes, const Sink& sink) {
    Word carry = 0;
    if (chunk_bytes == core::chunk_bytes) {
      constexpr unsigned batch = 4;
      FLOE_NO_UNROLL
      for (unsigned first = 0; first < 32; first += batch) {
        Vector<Word> v[batch];
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b)
          v[b] = load_aligned<Vector<Word>>(squares +
                                            quad_offset(4 * (first + b) + warp.lane() / 8, warp.lane() % 8));
        put_sums<std::uint32_t>(warp, v, first, carry, sink);
      }
      return;
    }
    for (std::uint32_t base = 0; base < split.words; base += warp_lanes) {
      const std::uint32_t i = base + warp.lane();
      const Word word = i < split.words ? load_aligned<Word>(squares + word_offset(i)) : 0;
      const Word inclusive = inclusive_scan(warp, core::unzigzag(word));
      if (i < split.words) sink.put_word(i, inclusive + carry);
      carry += warp.shuffle(inclusive, 31);
    }
    const std::uint32_t i = 4 * split.words + warp.lane();
    if (i < chunk_bytes) sink.put_byte(i, squares[word_offset(split.words) + warp.lane()]);
  }
};

}  // namespace floe::gpu
