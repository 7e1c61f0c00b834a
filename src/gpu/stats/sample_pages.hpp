// The first 1024 words of every page of 8192, which warps look at more closely than at the others.
#pragma once

#include "core/bits.hpp"
#include "gpu/stats/bit_counter.hpp"
#include "gpu/stats/count_words.hpp"

namespace floe::series_cuda {

inline constexpr std::uint64_t page_words = 8192, sampled_words = 1024;

/// Counts of the words that were sampled: of offsets, zig-zags of differences, changed bits. Shared by warps,
/// which add to them.
struct SampleCounts {
  static constexpr unsigned copies = 8;  ///< So that fewer lanes meet at a counter.
  std::uint32_t lengths[3][65][copies];  ///< Bit lengths of long words.
  std::uint32_t longer[3][16];           ///< Short words of more than k bits.
  std::uint32_t special[4];              ///< NaNs, infinities, negative zeros, subnormals.

  /// Words of a bit length among `sampled` ones.
  template <core::Word W>
  [[nodiscard]] FLOE_HD std::uint32_t count(unsigned histogram, unsigned bits, std::uint32_t sampled) const {
    if constexpr (sizeof(W) < 4) {
      if (bits > core::word_bits<W>) return 0;
      return (bits == 0 ? sampled : longer[histogram][bits - 1]) -
             (bits == core::word_bits<W> ? 0 : longer[histogram][bits]);
    }
    std::uint32_t sum = 0;
    for (const std::uint32_t copy : lengths[histogram][bits]) sum += copy;
    return sum;
  }
};

/// Which of the four kinds a float is: 1 << 8 * kind; 0 for the others.
template <core::Word W>
FLOE_DEVICE std::uint32_t special_kind(W word) {
  constexpr unsigned mantissa = core::word_bits<W> == 64 ? 52 : 23;
  constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  constexpr W infinity = static_cast<W>(static_cast<W>(~top) >> mantissa << mantissa);
  const W magnitude = static_cast<W>(word & ~top);
  std::uint32_t kind = magnitude > infinity ? 1 : 0;
  kind |= magnitude == infinity ? 1u << 8 : 0;
  kind |= word == top ? 1u << 16 : 0;
  kind |= magnitude != 0 && magnitude >> mantissa == 0 ? 1u << 24 : 0;
  return kind;
}

/// The least of all lanes.
template <core::Word W, class Warp>
FLOE_DEVICE W min_of(Warp& warp, W least) {
  FLOE_UNROLL
  for (unsigned distance = 1; distance < cuda::warp_lanes; distance *= 2) {
    const W other = warp.shuffle(least, warp.lane() ^ distance);
    least = other < least ? other : least;
  }
  return least;
}

/// Short words side by side in registers.
template <core::Word W>
class NarrowSampler {
 public:
  using P = Packed<W>;
  static constexpr unsigned rows = static_cast<unsigned>(sampled_words / Words<W>::row_words);

  template <bool whole, class Warp>
  FLOE_DEVICE void add_page(Warp& warp, const Words<W>& page, SampleCounts&) {
    const std::uint32_t flip = page.order == trees::WordOrder::signed_integers ? P::tops : 0;
    NarrowRange<W> range;
    std::uint32_t registers[rows][4];
    FLOE_UNROLL
    for (unsigned row = 0; row < rows; ++row) {
      page.template load<whole>(row * Words<W>::row_words + warp.lane() * Words<W>::lane_words,
                                registers[row]);
      FLOE_UNROLL
      for (unsigned i = 0; i < 4; i += 2) {
        const std::uint32_t a = registers[row][i] ^ flip, b = registers[row][i + 1] ^ flip;
        range.add(a, b, a << P::bits | (a & P::low), b << P::bits | (b & P::low));
      }
    }
    const std::uint32_t least = P::repeat(min_of(warp, range.least()));
    std::uint32_t carried = static_cast<std::uint32_t>(page.values[0]) << (32 - P::bits);
    FLOE_UNROLL
    for (unsigned row = 0; row < rows; ++row) {
      std::uint32_t before = take_turns(warp, registers[row][3], carried);
      std::uint32_t offset[4], difference[4], change[4];
      FLOE_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t now = registers[row][i], shifted = cuda::funnel_left(before, now, P::bits);
        offset[i] = P::lengths((now ^ flip) - least);
        if constexpr (!whole) {
          const std::uint64_t at =
              row * Words<W>::row_words + warp.lane() * Words<W>::lane_words + i * P::words;
          offset[i] &= P::first_words(page.count > at ? static_cast<unsigned>(page.count - at) : 0);
        }
        difference[i] =
            P::zigzag_lengths(P::subtract(now, shifted));  // none behind the end, where words repeat
        change[i] = P::lengths(now ^ shifted);
        before = now;
      }
      counter_[0].add(offset[0], offset[1], offset[2], offset[3]);
      counter_[1].add(difference[0], difference[1], difference[2], difference[3]);
      counter_[2].add(change[0], change[1], change[2], change[3]);
    }
  }
  template <class Warp>
  FLOE_DEVICE void finish(Warp& warp, SampleCounts& counts) {
    FLOE_UNROLL
    for (unsigned histogram = 0; histogram < 3; ++histogram)
      warp.shared_add(&counts.longer[histogram][warp.lane() % P::bits],
                      sum_counters(warp, counter_[histogram]));
  }

  /// A lane has 8 registers of bytes in a page, 16 of 16 bits; counters go to 63.
  static constexpr unsigned max_pages = sizeof(W) == 1 ? 4 : 2;

 private:
  BitCounter<6> counter_[3];
};

/// Long words one by one.
template <core::Word W, bool as_floats>
class WideSampler {
 public:
  using P = Packed<W>;
  static constexpr unsigned rows = static_cast<unsigned>(sampled_words / Words<W>::row_words);
  static constexpr unsigned max_pages = 1;

  template <bool whole, class Warp>
  FLOE_DEVICE void add_page(Warp& warp, const Words<W>& page, SampleCounts& counts) {
    const W flip = page.order == trees::WordOrder::unsigned_integers ? 0 : P::tops;
    const auto number_of = [flip](W word) {
      if constexpr (as_floats) return order_float(word);
      return static_cast<W>(word ^ flip);
    };
    const unsigned copy = warp.lane() % SampleCounts::copies;
    W least = static_cast<W>(~W{0});
    FLOE_UNROLL_BY(8)
    for (unsigned row = 0; row < rows; ++row) {
      W registers[P::registers];
      page.template load<whole>(row * Words<W>::row_words + warp.lane() * Words<W>::lane_words, registers);
      FLOE_UNROLL
      for (unsigned i = 0; i < P::registers; ++i) {
        const W number = number_of(registers[i]);
        least = number < least ? number : least;
      }
    }
    least = min_of(warp, least);
    W carried = page.values[0];
    FLOE_UNROLL_BY(2)
    for (unsigned row = 0; row < rows; ++row) {
      W registers[P::registers];
      const std::uint64_t at = row * Words<W>::row_words + warp.lane() * Words<W>::lane_words;
      page.template load<whole>(at, registers);
      W before = take_turns(warp, registers[P::registers - 1], carried);
      FLOE_UNROLL
      for (unsigned i = 0; i < P::registers; ++i) {
        const W now = registers[i];
        if (whole || at + i < page.count) {
          const W number = number_of(now);
          const W step = core::zigzag(static_cast<W>(number - number_of(before)));
          warp.shared_add(&counts.lengths[0][core::bit_length(static_cast<W>(number - least))][copy], 1);
          warp.shared_add(&counts.lengths[1][core::bit_length(step)][copy], 1);
          warp.shared_add(&counts.lengths[2][core::bit_length(static_cast<W>(now ^ before))][copy], 1);
          if constexpr (as_floats) special_ += special_kind(now);
        }
        before = now;
      }
    }
  }
  template <class Warp>
  FLOE_DEVICE void finish(Warp& warp, SampleCounts& counts) {
    if constexpr (as_floats) {
      const std::uint32_t even = warp.reduce_add(special_ & 0x00FF00FF),
                          odd = warp.reduce_add(special_ >> 8 & 0x00FF00FF);
      const std::uint32_t mine = (warp.lane() % 2 == 0 ? even : odd) >> (16 * (warp.lane() / 2 % 2)) & 0xFFFF;
      if (warp.lane() < 4) warp.shared_add(counts.special + warp.lane(), mine);
    }
  }

 private:
  std::uint32_t special_ = 0;
};

template <core::Word W, bool as_floats>
using Sampler = std::conditional_t<(sizeof(W) >= 4), WideSampler<W, as_floats>, NarrowSampler<W>>;

/// The samples of up to Sampler::max_pages pages, the first of which begins at word `first`; those behind
/// word `end` are left out.
template <core::Word W, bool as_floats, class Warp>
FLOE_DEVICE void sample_pages(Warp& warp, const Words<W>& words, std::uint64_t first, std::uint64_t end,
                              SampleCounts& counts) {
  Sampler<W, as_floats> sampler;
  FLOE_NO_UNROLL
  for (unsigned page = 0; page < Sampler<W, as_floats>::max_pages && first < end;
       ++page, first += page_words) {
    const std::uint64_t here = words.count - first < sampled_words ? words.count - first : sampled_words;
    const Words<W> sampled{words.values + first, here, words.order};
    if (sampled.has_rows_to(sampled_words)) {
      sampler.template add_page<true>(warp, sampled, counts);
    } else {
      sampler.template add_page<false>(warp, sampled, counts);
    }
  }
  sampler.finish(warp, counts);
}

}  // namespace floe::series_cuda
