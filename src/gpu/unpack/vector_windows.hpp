// The bytes that a walk along a bitpack payload looks at. Those around the positions where the next vectors
// are expected come to shared memory, all at once; what is asked for elsewhere comes from the payload itself.
#pragma once

#include "gpu/decode/open_tree.hpp"

namespace floe::gpu {

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
  std::uint32_t stride = 0;  ///< How long vectors are, about.
  bool is_varied = false;    ///< They were not all as long as that.
  std::uint32_t tail = 0;    ///< Of the last vector with exceptions: bytes about them.
};

/// Shared memory for a walk: the bytes where each of the next vectors may begin. Where more is said about
/// exceptions windows are longer, and there are fewer: with more memory fewer warps would walk at once.
inline constexpr std::uint32_t window_bytes = 112, long_window_bytes = 160,
                               walk_shared_bytes = warp_lanes * window_bytes;

/// What is said about the exceptions of a vector, as it stands in `header`.
struct ExceptionsHeader {
  std::uint32_t count, upper_bits, bytes;
  bool is_short;  ///< The count has no more than two bytes; otherwise nothing here is true.

  explicit FLOE_DEVICE ExceptionsHeader(std::uint32_t header) {
    const bool has_two = (header & 0x80) != 0;
    count = (header & 0x7F) | (has_two ? header >> 1 & 0x3F80 : 0);
    upper_bits = header >> (has_two ? 16 : 8) & 0xFF;
    bytes = has_two ? 3 : 2;
    is_short = !has_two || (header & 0x8000) == 0;
  }
};

/// Windows of the vectors that follow a walk, of which the first is number 0.
class VectorWindows {
 public:
  /// They begin so far ahead that what is said about exceptions of the vector before lies in them, too, if it
  /// can; long ones with as much to spare on that side as on the other. `memory` is a multiple of 16.
  FLOE_DEVICE VectorWindows(const Payload& payload, const Walk& walk, std::uint8_t* memory)
      : payload_(payload), memory_(memory), stride_(walk.stride) {
    constexpr std::uint32_t usual = 64, max = long_window_bytes - 16;
    const bool is_long = walk.tail > 40;
    size_ = is_long ? long_window_bytes : window_bytes;
    count_ = is_long ? walk_shared_bytes / long_window_bytes : warp_lanes;
    const std::uint32_t before = is_long && walk.tail < max ? (walk.tail + max) / 2 : usual;
    first_ = walk.at - (walk.at < before ? walk.at : before);
  }

  /// Brings their bytes. Called by all lanes.
  template <class Warp>
  FLOE_DEVICE void bring(Warp& warp) const {
    if (warp.lane() < count_) {
      const std::uint32_t from = begin(warp.lane()), left = from < payload_.end ? payload_.end - from : 0;
      std::uint8_t* const to = memory_ + warp.lane() * size_;
      const auto copy = [&](std::uint32_t i) {
        const std::uint32_t bytes = i < left ? left - i : 0;
        begin_copy(to + i, payload_.bytes + (bytes > 0 ? from + i : 0), bytes < 16 ? bytes : 16);
      };
      FLOE_UNROLL
      for (std::uint32_t i = 0; i < window_bytes; i += 16) copy(i);
      for (std::uint32_t i = window_bytes; i < size_; i += 16) copy(i);
    }
    end_copies();
    warp.sync();
  }

  /// Eight bytes of a vector, from its window or the next one, or else from the payload; zeros behind it.
  [[nodiscard]] FLOE_DEVICE std::uint64_t read(unsigned vector, std::uint32_t at) const {
    if (at - begin(vector) > size_ - 12) ++vector;
    const std::uint32_t offset = at - begin(vector);
    if (vector < count_ && offset <= size_ - 12) {
      const std::uint8_t* const from = memory_ + vector * size_ + offset / 4 * 4;
      const std::uint32_t a = word32(from, 0), b = word32(from, 1), c = word32(from, 2);
      return std::uint64_t{funnel_right(b, c, 8 * (offset % 4))} << 32 | funnel_right(a, b, 8 * (offset % 4));
    }
    const std::uint32_t left = at < payload_.end ? payload_.end - at : 0;
    return load_bits(payload_.bytes + at, 0, left < 8 ? 8 * left : 64);
  }

  /// Where the vector is that is `lane` vectors further than the first, by what the first `count` say of
  /// their lengths; those behind are taken to be as long as the last one. All lanes look at the same, each
  /// keeps its own. What no window holds comes from the payload: that takes long, but less than to bring
  /// windows for the few vectors before it.
  [[nodiscard]] FLOE_DEVICE std::uint32_t follow(std::uint32_t at, unsigned count, unsigned lane) const {
    std::uint32_t mine = at, length = stride_, here = begin(0);
    unsigned vector = 0;
    count = count < count_ ? count : count_;
    for (const std::uint8_t* window = memory_; vector + 1 < count; ++vector, window += size_) {
      const std::uint32_t there = begin(vector + 1);
      if (lane == vector) mine = at;
      const bool is_near = at - here <= size_ - 12;
      const std::uint64_t far = is_near ? 0 : read(vector, at);
      const std::uint32_t header = is_near ? look(window, at - here) : static_cast<std::uint32_t>(far);
      unsigned size = (header & 0x8000) == 0 ? 2 : (header & 0x800000) == 0 ? 3 : 4;
      if ((header & 0x80808000) == 0x80808000) {
        const std::uint32_t behind =
                                is_near ? look(window, at - here + 4) : static_cast<std::uint32_t>(far >> 32),
                            ends = ~behind & 0x80808080;
        if (ends == 0) break;
        size = 4 + core::bit_length(ends & (0u - ends)) / 8;
      }
      std::uint32_t next = at + 128 * (header & 0x7F) + size;
      if ((header & 0x80) != 0) {
        const ExceptionsHeader exceptions(static_cast<std::uint32_t>(read(vector, next)));
        next += exceptions.bytes + (exceptions.count * (10 + exceptions.upper_bits) + 7) / 8;
      }
      length = next - at;
      at = next;
      here = there;
    }
    return lane < vector ? mine : at + length * (lane - vector);
  }

 private:
  [[nodiscard]] FLOE_DEVICE std::uint32_t begin(unsigned vector) const {
    return (first_ + stride_ * vector) / 16 * 16;
  }
  /// Four bytes of a window.
  static FLOE_DEVICE std::uint32_t look(const std::uint8_t* window, std::uint32_t offset) {
    const std::uint8_t* const from = window + offset / 4 * 4;
    return funnel_right(word32(from, 0), word32(from, 1), 8 * (offset % 4));
  }

  const Payload& payload_;
  std::uint8_t* memory_;
  std::uint32_t stride_, first_, size_, count_;
};

}  // namespace floe::gpu
