// Offsets of segments while others are being encoded: sizes that are published, and added up behind.
#pragma once

#include "gpu/encode/encode_job.hpp"
#include "gpu/encode/encode_memory.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// No position.
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

/// The sum over a warp of numbers of less than 2^40.
template <class Warp>
FLOE_DEVICE std::uint64_t sum_of_warp(Warp& warp, std::uint64_t number) {
  const std::uint32_t low = warp.reduce_add(static_cast<std::uint32_t>(number & 0xFFFF));
  return low + (std::uint64_t{warp.reduce_add(static_cast<std::uint32_t>(number >> 16))} << 16);
}

/// The segments before one, of the same column, as a warp knows them. It looks at several per lane at a time,
/// as every look takes long, and again only at those of which nothing was known.
class SegmentsBefore {
 public:
  /// The states of all segments; those before are the ones from `first` up to before `ticket`.
  FLOE_DEVICE SegmentsBefore(const std::uint64_t* states, std::uint32_t first, std::uint32_t ticket)
      : states_(states), first_(first), ticket_(ticket) {}

  /// Their bytes; `nowhere` while these are not known.
  template <class Warp>
  FLOE_DEVICE std::uint64_t look(Warp& warp) {
    while (true) {
      FLOE_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        const std::uint32_t distance = 1 + r * warp_lanes + warp.lane();
        if (state_[r] < OffsetState::aggregate)
          state_[r] = ticket_ >= first_ + distance ? read_state(states_ + ticket_ - distance)
                                                   : OffsetState::inclusive;
      }
      std::uint64_t own = 0;
      FLOE_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        const std::uint32_t ends = warp.ballot(state_[r] >= OffsetState::inclusive),
                            unknown = warp.ballot(state_[r] < OffsetState::aggregate);
        const std::uint32_t before_end = ~ends & (ends - 1);  // all if there is none
        if ((unknown & before_end) != 0) return nowhere;
        if ((before_end >> warp.lane() & 1) != 0) own += state_[r] & OffsetState::number;
        if (ends != 0) {
          const std::uint64_t end = warp.shuffle(state_[r], highest_bit(ends & (~ends + 1)));
          return sum_ + sum_of_warp(warp, own) + (end & OffsetState::number);
        }
      }
      sum_ += sum_of_warp(warp, own);
      ticket_ -= rows * warp_lanes;
      FLOE_UNROLL
      for (std::uint64_t& state : state_) state = 0;
    }
  }

 private:
  static constexpr unsigned rows = 3;
  const std::uint64_t* states_;
  std::uint32_t first_, ticket_;
  std::uint64_t sum_ = 0;
  std::uint64_t state_[rows] = {};
};

/// Waits for the bytes of the segments from `first` up to before `ticket`, of the same column. Called by a
/// warp. If `gives_up` says so, waits no longer, and returns `nowhere`.
template <class Warp, class GivesUp>
FLOE_DEVICE std::uint64_t bytes_before(Warp& warp, const std::uint64_t* states, std::uint32_t first,
                                       std::uint32_t ticket, const GivesUp& gives_up) {
  SegmentsBefore before(states, first, ticket);
  while (true) {
    const std::uint64_t bytes = before.look(warp);
    if (bytes != nowhere || warp.ballot(gives_up()) != 0) return bytes;
    pause_briefly();
  }
}

FLOE_DEVICE void report_encode_failure(cuda::ItemResult& result, ErrorCode code) {
  atomic_add(&result.failed_chunks, 1);
  set_word(&result.code, static_cast<std::uint32_t>(code));
}

}  // namespace floe::gpu
