// Chunks of any length through delta, zig-zag and bit_pack, or offset_pack, on a warp, word by word.
#pragma once

#include "gpu/chunks/pack_payload.hpp"
#include "gpu/chunks/sink.hpp"

namespace floe::gpu {

template <core::Word W>
struct PackAny : PackPayload<W> {
  using Payload = PackPayload<W>;
  using Payload::subchunk_begin;
  using Payload::subchunks;
  using typename Payload::Plan;

  /// Replaces words by what is packed of them, but does not fold wide words.
  template <class Warp>
  static FLOE_DEVICE void measure_any(Warp& warp, std::uint8_t* content, std::uint32_t words, Plan& plan) {
    if constexpr (Payload::narrow) {
      measure_narrow(warp, content, words, plan);
    } else {
      measure_wide(warp, content, words, plan);
    }
  }

  template <class Warp>
  static FLOE_DEVICE void write_any(Warp& warp, std::uint8_t* buffer, const std::uint8_t* content,
                                    std::uint32_t chunk_bytes, const Plan& plan) {
    constexpr std::uint32_t word_bytes = sizeof(W);
    const std::uint32_t words = chunk_bytes / word_bytes, tail_bytes = chunk_bytes % word_bytes;
    const std::uint8_t tail =
        warp.lane() < tail_bytes ? content[sizeof(W) * words + warp.lane()] : std::uint8_t{0};
    for (unsigned s = 0; s < subchunks; ++s) {
      const std::uint32_t begin = subchunk_begin(words, s), count = subchunk_begin(words, s + 1) - begin;
      const unsigned width = warp.shuffle(plan.width, s);
      const std::uint32_t first = 8 * Payload::header_bytes + warp.shuffle(plan.before, s),
                          end = first + count * width;
      constexpr unsigned max_words = core::chunk_bytes / sizeof(W) / subchunks / warp_lanes;
      W word[max_words];
      FLOE_UNROLL
      for (unsigned k = 0; k < max_words; ++k) {
        const std::uint32_t i = warp.lane() + warp_lanes * k;
        word[k] = i < count ? load_aligned<W>(content + sizeof(W) * (begin + i)) : W{0};
        if (!Payload::narrow && plan.is_folded(s)) word[k] = stages::BitPack::fold(word[k]);
      }
      warp.sync();
      for (std::uint32_t i = (first + 31) / 32 + warp.lane(); i < (end + 31) / 32; i += warp_lanes)
        store_aligned(buffer + 4 * i, std::uint32_t{0});
      warp.sync();
      FLOE_UNROLL
      for (unsigned k = 0; k < max_words; ++k) {
        const std::uint32_t i = warp.lane() + warp_lanes * k;
        if (i < count) or_bits(warp, buffer, first + i * width, width, word[k]);
      }
      warp.sync();
    }
    Payload::write_bases(warp, buffer, plan);
    if (warp.lane() < tail_bytes) buffer[plan.payload - tail_bytes + warp.lane()] = tail;
    warp.sync();
  }

  template <class Warp, class Sink>
  static FLOE_DEVICE void decode_any(Warp& warp, const std::uint8_t* buffer, std::uint32_t stored_bytes,
                                     std::uint32_t chunk_bytes, const Plan& plan, const Sink& sink) {
    constexpr std::uint32_t word_bytes = sizeof(W);
    const std::uint32_t words = chunk_bytes / word_bytes, tail_bytes = chunk_bytes % word_bytes;
    W carry = 0;
    for (unsigned s = 0; s < subchunks; ++s) {
      const std::uint32_t begin = subchunk_begin(words, s), end = subchunk_begin(words, s + 1);
      const unsigned width = warp.shuffle(plan.width, s);
      const std::uint32_t first = 8 * Payload::header_bytes + warp.shuffle(plan.before, s);
      const W number = static_cast<W>(warp.shuffle(plan.base, s));
      for (std::uint32_t base = begin; base < end; base += warp_lanes) {
        const std::uint32_t i = base + warp.lane();
        W word = i < end ? read_bits<W>(buffer, first + (i - begin) * width, width) : W{0};
        if (Payload::narrow && plan.has_offsets(s)) {
          word = stages::OffsetPack::word(word, number);
          carry = static_cast<W>(warp.shuffle(word, (end - base < warp_lanes ? end - base : warp_lanes) - 1));
        } else {
          if (plan.is_folded(s)) word = stages::BitPack::unfold(word);
          const W inclusive = inclusive_scan(warp, core::unzigzag(word));
          word = stages::Delta::combine(inclusive, carry);
          carry = static_cast<W>(carry + warp.shuffle(inclusive, warp_lanes - 1));
        }
        if (i < end) sink.put_word(i, word);
      }
    }
    if (warp.lane() < tail_bytes)
      sink.put_byte(static_cast<std::uint32_t>(sizeof(W)) * words + warp.lane(),
                    buffer[stored_bytes - tail_bytes + warp.lane()]);
  }

 private:
  template <class Warp>
  static FLOE_DEVICE void measure_wide(Warp& warp, std::uint8_t* content, std::uint32_t words, Plan& plan) {
    W carry = 0;
    for (std::uint32_t base = 0; base < words; base += warp_lanes) {
      const std::uint32_t i = base + warp.lane();
      const W word = i < words ? load_aligned<W>(content + sizeof(W) * i) : W{0};
      const W previous = word_before(warp, word, carry);
      if (i < words)
        store_aligned(content + sizeof(W) * i, core::zigzag(stages::Delta::residual(word, previous)));
    }
    warp.sync();
    W max = 0, max_folded = 0;  // of the sub-chunk with this lane's number
    for (std::uint32_t i = subchunk_begin(words, warp.lane()); i < subchunk_begin(words, warp.lane() + 1);
         ++i) {
      const W word = load_aligned<W>(content + sizeof(W) * i), folded = stages::BitPack::fold(word);
      max = word > max ? word : max;
      max_folded = folded > max_folded ? folded : max_folded;
    }
    plan.folded = warp.ballot(max_folded < max);
    plan.width = core::bit_length(max_folded < max ? max_folded : max);
  }

  /// Each lane chooses for its sub-chunk as offset_pack says.
  template <class Warp>
  static FLOE_DEVICE void measure_narrow(Warp& warp, std::uint8_t* content, std::uint32_t words, Plan& plan) {
    using Stage = stages::OffsetPack;
    const std::uint32_t begin = subchunk_begin(words, warp.lane()),
                        end = subchunk_begin(words, warp.lane() + 1);
    const W before = begin > 0 ? load_aligned<W>(content + sizeof(W) * (begin - 1)) : W{0};
    W all = 0, all_folded = 0, largest = 0, base = static_cast<W>(~W{0}), previous = before;
    for (std::uint32_t i = begin; i < end; ++i) {
      const W word = load_aligned<W>(content + sizeof(W) * i), residual = Stage::residual(word, previous),
              ordered = Stage::ordered(word), less = static_cast<W>(ordered - 1);
      previous = word;
      all = static_cast<W>(all | residual);
      all_folded = static_cast<W>(all_folded | Stage::fold(residual));
      largest = ordered > largest ? ordered : largest;
      base = less < base ? less : base;
    }
    if (largest == 0) base = 0;
    const unsigned plain = core::bit_length(all), folded = core::bit_length(all_folded);
    const unsigned range = core::bit_length(static_cast<W>(largest - base)), offset = range == 0 ? 1 : range;
    plan.width = folded < plain ? folded : plain;
    const bool fewer_bits = (end - begin) * offset + core::word_bits<W> < (end - begin) * plan.width;
    const bool offsets = plain > Stage::enough_bits<W> && fewer_bits, folds = !offsets && folded < plain;
    if (offsets) plan.width = offset;
    plan.base = base;
    plan.offsets = warp.ballot(offsets);
    plan.folded = warp.ballot(folds);
    warp.sync();
    previous = before;
    for (std::uint32_t i = begin; i < end; ++i) {
      const W word = load_aligned<W>(content + sizeof(W) * i), residual = Stage::residual(word, previous);
      previous = word;
      store_aligned(content + sizeof(W) * i, offsets ? Stage::offset(word, base)
                                             : folds ? Stage::fold(residual)
                                                     : residual);
    }
    warp.sync();
  }
};

}  // namespace floe::gpu
