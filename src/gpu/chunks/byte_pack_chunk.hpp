// GFC on a warp: lane_delta and byte_pack (docs/format/stages/byte_pack.md) on a chunk or its halves.
#pragma once

#include "core/chunk.hpp"
#include "gpu/chunks/byte_pack_decoder.hpp"
#include "gpu/chunks/byte_pack_encoder.hpp"
#include "gpu/chunks/shared_chunks.hpp"

namespace floe::gpu {

template <core::Word W>
struct BytePackChunk : BytePackLayout<W> {
  using Layout = BytePackLayout<W>;
  using Layout::word_bytes, Layout::group_bytes, Layout::code_bytes, Layout::max_groups;
  using Encoder = BytePackEncoder<W>;

  /// Encoding happens in place. A payload cannot overtake the content, nor the group before, which predicts.
  static constexpr std::uint32_t content_offset = code_bytes * max_groups + group_bytes + zeroed_ahead;
  static constexpr std::uint32_t encode_bytes = content_offset + core::chunk_bytes;
  static constexpr std::uint32_t payload_offset = 0;
  static constexpr unsigned max_warps = 16;

  static constexpr std::uint32_t decode_bytes = core::chunk_bytes + 32;  ///< 20 bytes behind are read.
  static constexpr std::uint32_t payload_begin(std::uint32_t /*padded_bytes*/) { return 0; }

  struct Plan {};

  /// Encodes in place and returns the payload's size, or stored_raw; then the content is lost.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t measure(Warp& warp, std::uint8_t* buffer, std::uint32_t chunk_bytes,
                                           unsigned dimensionality, Plan&) {
    const std::uint32_t words = chunk_bytes / word_bytes, tail_bytes = chunk_bytes % word_bytes;
    const std::uint8_t* const content = buffer + content_offset;
    const std::uint8_t tail =
        warp.lane() < tail_bytes ? content[sizeof(W) * words + warp.lane()] : std::uint8_t{0};
    zero_bytes(warp, buffer, content_offset - group_bytes, content_offset);  // predicts the first group
    warp.sync();
    const std::uint32_t position =
        chunk_bytes == core::chunk_bytes
            ? Encoder::encode_full(warp, buffer, content, dimensionality, words)
            : Encoder::template encode_words<false, false>(warp, buffer, content, dimensionality, words);
    warp.sync();
    if (position + tail_bytes >= chunk_bytes) return stored_raw;
    if (warp.lane() < tail_bytes) buffer[position + warp.lane()] = tail;
    return position + tail_bytes;
  }

  template <class Warp>
  static FLOE_DEVICE void write(Warp&, std::uint8_t*, std::uint32_t, const Plan&) {}

  /// A full chunk in halves (shared_chunks.hpp). The second warp moves its bytes when it knows where they
  /// belong.
  struct Halves {
    static constexpr std::uint32_t lead_bytes = group_bytes;
    static constexpr std::uint32_t first_offset = 16;  ///< Of the second half's bytes, until they are moved.
    static constexpr std::uint32_t content_offset =
        first_offset + code_bytes * max_groups / 2 + group_bytes + zeroed_ahead;
    static constexpr std::uint32_t region_bytes = content_offset + half_chunk_bytes;
    static constexpr unsigned max_pairs = 12;

    struct Share {
      std::uint32_t bytes;
    };
    struct Plan {
      std::uint32_t second;  ///< Where the bytes of the second half begin in the payload,
      std::uint32_t bytes;   ///< and how many they are.
    };

    template <class Warp>
    static FLOE_DEVICE void measure(Warp& warp, std::uint8_t* region, unsigned half, unsigned dimensionality,
                                    Share& share) {
      const std::uint8_t* const content = region + content_offset;
      if (half == 0)
        zero_bytes(warp, region, content_offset - group_bytes, content_offset);  // predicts the first group
      warp.sync();
      const std::uint32_t bytes = Encoder::encode_full(warp, region + half * first_offset, content,
                                                       dimensionality, half_chunk_bytes / word_bytes);
      if (warp.lane() == 0) share.bytes = bytes;
      warp.sync();
    }

    template <class Warp>
    static FLOE_DEVICE std::uint32_t join(Warp&, const Share (&share)[2], Plan& plan) {
      plan.second = share[0].bytes;
      plan.bytes = share[1].bytes;
      return plan.second + plan.bytes < core::chunk_bytes ? plan.second + plan.bytes : stored_raw;
    }

    template <class Warp>
    static FLOE_DEVICE void write(Warp& warp, std::uint8_t* /*payload*/, std::uint8_t* region, unsigned half,
                                  const Plan& plan) {
      if (half == 0) return;
      const std::uint32_t to = plan.second % 16, distance = first_offset - to,
                          words = (to + plan.bytes + 3) / 4;
      const std::uint8_t* const from = region + distance / 4 * 4;
      constexpr unsigned batch = 8;
      FLOE_NO_UNROLL
      for (std::uint32_t first = warp.lane(); first < words + warp.lane(); first += batch * warp_lanes) {
        std::uint32_t moved[batch];
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          const std::uint32_t i = first + b * warp_lanes < words ? first + b * warp_lanes : 0;
          moved[b] = funnel_right(word32(from, i), word32(from, i + 1), 8 * (distance % 4));
        }
        warp.sync();  // all lanes have read what is overwritten now: no byte moves back
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          if (first + b * warp_lanes < words) store_aligned(region + 4 * (first + b * warp_lanes), moved[b]);
        }
        warp.sync();
      }
    }
  };

  /// Decodes the payload at the front of `buffer`. If it is damaged, false; the sink may have got some bytes.
  template <class Warp, class Sink>
  static FLOE_DEVICE bool decode(Warp& warp, std::uint8_t* buffer, std::uint32_t stored_bytes,
                                 std::uint32_t chunk_bytes, unsigned dimensionality, const Sink& sink) {
    return BytePackDecoder<W>::decode(warp, buffer, stored_bytes, chunk_bytes, dimensionality, sink);
  }
};

}  // namespace floe::gpu
