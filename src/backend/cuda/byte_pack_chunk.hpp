// GFC on a warp: lane_delta and byte_pack (docs/format/stages/byte_pack.md) in one go. Lane l has word l of every group of 32.
#pragma once

#include "backend/cuda/sink.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"
#include "stages/byte_pack.hpp"
#include "stages/lane_delta.hpp"

namespace floe::cuda {

template <core::Word W>
struct BytePackChunk {
  using Pack = stages::BytePack;
  static constexpr std::uint32_t group_bytes = warp_lanes * sizeof(W);
  static constexpr std::uint32_t code_bytes = warp_lanes / 2;
  static constexpr std::uint32_t most_groups = core::chunk_bytes / group_bytes;

  /// Encoding happens in place; a payload is at most the codes longer than the content, so it cannot overtake it.
  static constexpr std::uint32_t content_offset = code_bytes * most_groups;
  static constexpr std::uint32_t encode_bytes = content_offset + core::chunk_bytes;
  static constexpr std::uint32_t payload_offset = 0;
  static constexpr std::uint32_t decode_bytes = core::chunk_bytes + 16;  ///< Lanes read up to 12 bytes from a word's first on.

  struct Plan {};

  /// Encodes in place and returns the payload's size, or stored_raw; then the content is lost.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t measure(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes, unsigned dimensionality, Plan&) {
    const std::uint8_t* const content = buffer + content_offset;
    const std::uint32_t words = chunk_bytes / sizeof(W), tail_bytes = chunk_bytes % sizeof(W);
    const std::uint8_t tail = warp.lane() < tail_bytes ? content[sizeof(W) * words + warp.lane()] : std::uint8_t{0};
    const unsigned source = stages::LaneDelta::source_lane(warp.lane(), dimensionality);
    std::uint32_t position = 0;
    W before = 0;
    for (std::uint32_t base = 0; base < words; base += step_groups * warp_lanes) {
      Group group[step_groups];
      FLOE_UNROLL
      for (unsigned g = 0; g < step_groups; ++g) {
        const std::uint32_t i = base + g * warp_lanes + warp.lane();
        const W word = i < words ? load_aligned<W>(content + sizeof(W) * i) : W{0};
        const W predicted = base + g == 0 ? W{0} : warp.shuffle(before, source);
        before = word;
        const W residual = i < words ? stages::LaneDelta::residual(word, predicted) : W{0};
        group[g].code = Pack::code(residual);
        group[g].magnitude = Pack::payload(residual);
        group[g].bytes = Pack::template payload_bytes<W>(group[g].code);
      }
      // Two groups per scan: a group has at most 256 bytes.
      FLOE_UNROLL
      for (unsigned g = 0; g < step_groups; g += 2) {
        const std::uint32_t pair = group[g].bytes | group[g + 1].bytes << 16;
        const std::uint32_t inclusive = inclusive_scan(warp, pair), total = warp.shuffle(inclusive, 31);
        group[g].place = (inclusive - pair) & 0xFFFF;
        group[g + 1].place = (inclusive - pair) >> 16;
        group[g].total = total & 0xFFFF;
        group[g + 1].total = total >> 16;
      }
      warp.sync();  // all lanes have read what is overwritten now
      FLOE_UNROLL
      for (unsigned g = 0; g < step_groups; ++g) {
        if (base + g * warp_lanes >= words) break;
        std::uint8_t* const out = buffer + position;
        const unsigned next_code = warp.shuffle_down(group[g].code, 1);
        if (warp.lane() % 2 == 0) out[warp.lane() / 2] = static_cast<std::uint8_t>(group[g].code | next_code << 4);
        std::uint8_t* const to = out + code_bytes + group[g].place;
        FLOE_UNROLL
        for (unsigned b = 0; b < sizeof(W); ++b) {
          if (b < group[g].bytes) to[b] = static_cast<std::uint8_t>(group[g].magnitude >> (8 * b));
        }
        position += code_bytes + group[g].total;
      }
    }
    warp.sync();
    if (position + tail_bytes >= chunk_bytes) return stored_raw;
    if (warp.lane() < tail_bytes) buffer[position + warp.lane()] = tail;
    return position + tail_bytes;
  }

  template <class Warp>
  static FLOE_DEVICE void write(Warp&, std::uint8_t*, std::uint32_t, const Plan&) {}

  /// Decodes the payload at the front of `buffer`. False if it contradicts the format; the sink may then have got some bytes.
  template <class Warp, class Sink>
  static FLOE_DEVICE bool decode(Warp& warp, std::uint8_t* buffer, std::uint32_t stored_bytes, std::uint32_t chunk_bytes,
                                 unsigned dimensionality, const Sink& sink) {
    const std::uint32_t words = chunk_bytes / sizeof(W), tail_bytes = chunk_bytes % sizeof(W);
    const unsigned source = stages::LaneDelta::source_lane(warp.lane(), dimensionality);
    std::uint32_t position = 0;
    W before = 0;
    FLOE_UNROLL_BY(4)
    for (std::uint32_t base = 0; base < words; base += warp_lanes) {
      if (position + code_bytes > stored_bytes) return false;
      const unsigned code = buffer[position + warp.lane() / 2] >> (warp.lane() % 2 * 4) & 15;
      const std::uint32_t bytes = Pack::template payload_bytes<W>(code);
      const std::uint32_t from = position + code_bytes + inclusive_scan(warp, bytes) - bytes;
      position += code_bytes + warp.reduce_add(bytes);
      if (position > stored_bytes) return false;
      const W predicted = base == 0 ? W{0} : warp.shuffle(before, source);
      const W magnitude = static_cast<W>(read_word(buffer, from) & core::low_mask<W>(8 * bytes));
      before = stages::LaneDelta::combine(Pack::word(code, magnitude), predicted);
      if (base + warp.lane() < words) sink.put_word(base + warp.lane(), before);
    }
    if (position + tail_bytes != stored_bytes) return false;
    if (warp.lane() < tail_bytes)
      sink.put_byte(static_cast<std::uint32_t>(sizeof(W)) * words + warp.lane(), buffer[position + warp.lane()]);
    return true;
  }

 private:
  static constexpr unsigned step_groups = 4;
  static_assert(most_groups % step_groups == 0);

  struct Group {
    unsigned code;
    W magnitude;
    std::uint32_t bytes;  ///< Of this lane's word.
    std::uint32_t place;  ///< Of its first byte among those of the group.
    std::uint32_t total;  ///< Bytes of all lanes.
  };

  /// A word from any byte on.
  static FLOE_DEVICE W read_word(const std::uint8_t* buffer, std::uint32_t byte) {
    const std::uint8_t* const from = buffer + byte / 4 * 4;
    const std::uint32_t a = word32(from, 0), b = word32(from, 1);
    W word = funnel_right(a, b, 8 * byte);
    if constexpr (sizeof(W) == 8) word |= static_cast<W>(funnel_right(b, word32(from, 2), 8 * byte)) << 32;
    return word;
  }
};

}  // namespace floe::cuda
