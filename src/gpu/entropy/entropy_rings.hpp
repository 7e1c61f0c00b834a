// The shared memory of warps that decode entropy: rings through which extra bits and numbers of 16 bits come
// from device memory, in pieces of 512 bytes that are on their way while a warp decodes what came before.
#pragma once

#include "gpu/entropy/entropy_section.hpp"
#include "gpu/warp/shared_bytes.hpp"

namespace floe::gpu {

/// Bytes that a warp fetches at once. A group takes no more extra bits; and it asks for numbers as often as
/// it has taken half of that.
inline constexpr std::uint32_t ring_piece = 16 * warp_lanes;
/// A window never wraps: behind the end of a ring of extra bits stands a copy of its beginning.
inline constexpr std::uint32_t extra_ring_bytes = 4 * ring_piece, extra_ring_room = extra_ring_bytes + 16;
inline constexpr std::uint32_t number_ring_bytes = 2 * ring_piece;

/// Where the rings of a warp are.
struct EntropyRings {
  SharedBytes numbers;  ///< At a multiple of its size.
  SharedBytes extra;    ///< At a multiple of 16.
};

/// Of `warps` warps, behind the table.
FLOE_HD constexpr std::uint32_t rings_room(unsigned warps) {
  return number_ring_bytes * (warps + 1) + extra_ring_room * warps;
}
FLOE_DEVICE EntropyRings rings_of(std::uint8_t* room, unsigned warps, unsigned warp) {
  const SharedBytes begin = SharedBytes(room).aligned(number_ring_bytes);
  return {(begin + number_ring_bytes * warp).kept(),
          (begin + (number_ring_bytes * warps + extra_ring_room * warp)).kept()};
}

/// A stretch of device memory on its way through a ring: bytes from `from` on, a multiple of 16, up to `end`.
/// Behind the end come zeros. `is_padded`: up to the next multiple of 16 bytes may be read, and come instead.
template <bool is_padded>
class RingSource {
 public:
  RingSource() = default;
  FLOE_DEVICE RingSource(const std::uint8_t* from, std::uint32_t end, unsigned lane)
      : at_(from + 16 * lane), left_(static_cast<std::int32_t>(end) - static_cast<std::int32_t>(16 * lane)) {}
  /// Bytes that were asked for.
  [[nodiscard]] FLOE_DEVICE std::uint32_t fetched() const { return fetched_; }
  /// Asks for the next piece, which goes to `to` for this lane.
  FLOE_DEVICE void fetch(SharedBytes to) {
    fetch_also(to);
    pass();
  }
  /// The same for a piece of which the lane's bytes are wanted, or become zeros.
  FLOE_DEVICE void fetch_if(bool is_wanted, SharedBytes to) {
    to.begin_copy_if(is_wanted && left_ > 0, at_);
    pass();
  }
  /// Where this lane's bytes of the next piece lie.
  [[nodiscard]] FLOE_DEVICE const std::uint8_t* at() const { return at_; }
  /// Asks for this lane's bytes of the next piece, which remains the next one.
  FLOE_DEVICE void fetch_also(SharedBytes to) const {
    if constexpr (is_padded) {
      to.begin_copy_if(left_ > 0, at_);
    } else {
      to.begin_copy(at_, static_cast<std::uint32_t>(left_ < 0 ? 0 : left_ > 16 ? 16 : left_));
    }
  }

 private:
  FLOE_DEVICE void pass() {
    at_ += ring_piece;
    left_ -= static_cast<std::int32_t>(ring_piece);
    fetched_ += ring_piece;
  }

  const std::uint8_t* at_ = nullptr;
  std::int32_t left_ = 0;
  std::uint32_t fetched_ = 0;
};

}  // namespace floe::gpu
