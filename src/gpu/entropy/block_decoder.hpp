// Decodes a block of entropy with a warp: the symbols of a group from the lanes' states, then the extra bits
// of all its words at once, whose positions are a prefix sum of their numbers.
#pragma once

#include "gpu/entropy/entropy_rings.hpp"
#include "gpu/entropy/entropy_tables.hpp"
#include "gpu/entropy/scan_words.hpp"
#include "gpu/entropy/stream_check.hpp"
#include "gpu/warp/word_maps.hpp"

namespace floe::gpu {

/// Decodes blocks by a warp. Groups go to sink(GroupWords&, beside), which all lanes call; it calls
/// beside(scan) once, with a WordScan or NoScan. A Check gets what comes through the rings.
template <core::Word W, EntropyShape shape, class Warp, class Check = NoCheck>
class BlockDecoder {
 public:
  static constexpr unsigned steps = trees::entropy_steps<W>;
  using Code = EntropyCode<W, shape>;
  static constexpr bool is_general = Code::is_general;
  using Source = RingSource<!is_general>;

  FLOE_DEVICE BlockDecoder(Warp& warp, const Code& code, const EntropyRings& rings, const Check& check = {})
      : warp_(warp),
        code_(code),
        rings_(rings),
        check_(check),
        lane_(kept(warp.lane())),
        lanes_before_(kept((1u << warp.lane()) - 1)) {}

  /// False to all if the block contradicts the format.
  template <class Sink>
  FLOE_DEVICE bool run(const EntropyBlock& block, Sink& sink) {
    const unsigned lane = warp_.lane(), lanes = code_.lanes();
    if (!block.is_sound) return false;
    const std::uint8_t* const numbers = block.states + 4 * (lanes + block.extra_words);
    const std::uint32_t before_states = misplaced(block.states), before_numbers = misplaced(numbers),
                        extra_end = before_states + 4 * (lanes + block.extra_words),
                        number_end = before_numbers + block.bytes - 4 * (lanes + block.extra_words);
    extra_ = Source(block.states - before_states, extra_end, lane);
    number_ = Source(numbers - before_numbers, number_end, lane);
    window_ = 8 * (before_states + 4 * lanes) - 32;
    number_at_ = before_numbers;
    if constexpr (Check::is_present) check_.begin();
    warp_.sync();
    if constexpr (Check::is_present) {
      number_.fetch_if(16 * lane + 16 > before_numbers, rings_.numbers + 16 * lane);
      extra_.fetch_if(16 * lane + 16 > before_states, rings_.extra + 16 * lane);
    }
    while (number_.fetched() < number_ring_bytes) fetch_numbers();
    while (extra_.fetched() < extra_ring_bytes) fetch_extra();
    state_ = is_general && lane >= lanes ? 0 : load_word<std::uint32_t>(block.states + 4 * lane);
    end_copy_group();
    wait_for_copy_groups<0>();
    warp_.sync();  // all have what they asked for
    const std::uint32_t group_words = lanes * steps;
    std::uint32_t first = 0, symbols[steps];
    // The symbols of a group are taken while the words of the one before are made and added up: a warp waits
    // less. Tables with entries of a byte take too many registers for it, and without sums it gains nothing.
    constexpr bool is_ahead = !is_general && !Code::has_tables && shape != EntropyShape::small_table &&
                              sizeof(W) >= 4 && Sink::adds_up;
    const auto nothing = [](auto& scan) { scan.finish(); };
    if constexpr (is_ahead) {
      take_symbols<0, steps>(symbols);
      FLOE_NO_UNROLL
      for (; first + group_words < block.words; first += group_words) {
        fetch_next(true);
        std::uint32_t own[steps];
        FLOE_UNROLL
        for (unsigned k = 0; k < steps; ++k) own[k] = symbols[k];
        make_group<true>(
            first, block, own, sink, [&](auto& scan) { take_symbols<0, steps / 2>(symbols, scan); },
            [&](auto& scan) { take_symbols<steps / 2, steps>(symbols, scan); });
      }
    } else if constexpr (!is_general) {
      FLOE_NO_UNROLL
      for (; first + group_words <= block.words; first += group_words) {
        fetch_next(true);
        choose_table(block, first);
        take_symbols<0, steps>(symbols);
        make_group<true>(first, block, symbols, sink, nothing, nothing);
      }
    }
    FLOE_NO_UNROLL
    for (; first < block.words; first += group_words) {
      fetch_next(true);
      if constexpr (!is_ahead) {
        choose_table(block, first);
        take_symbols<0, steps>(symbols);
      }
      make_group<false>(first, block, symbols, sink, nothing, nothing);
    }
    wait_for_copy_groups<0>();
    if constexpr (Check::is_present) end_check(block.states, numbers, extra_end, number_end);
    const bool is_bad = number_at_ > number_end || window_ + 32 > 8 * extra_end ||
                        (state_ != trees::min_entropy_state && !(is_general && lane >= lanes));
    return warp_.ballot(is_bad) == 0;
  }

 private:
  FLOE_DEVICE std::uint32_t misplaced(const std::uint8_t* at) const {
    if constexpr (Check::is_present) return check_.offset_of(at) & (ring_piece - 4);
    return is_general ? static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at) % 16)
                      : static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at)) & 12u;
  }
  FLOE_DEVICE void fetch_numbers() {
    const std::uint32_t position = number_.fetched() & (number_ring_bytes - 1);
    number_.fetch(rings_.numbers + (position + 16 * lane_));
  }
  FLOE_DEVICE void fetch_extra() {
    const std::uint32_t position = extra_.fetched() & (extra_ring_bytes - 1);
    const SharedBytes to = rings_.extra + (position + 16 * lane_);
    if ((position | lane_) == 0) extra_.fetch_also(to + extra_ring_bytes);
    extra_.fetch(to);
  }
  /// Asks for what fits into the rings; what was asked for the time before is there.
  FLOE_DEVICE void fetch_next(bool with_extra) {
    const bool numbers = number_.fetched() - number_at_ <= number_ring_bytes - ring_piece,
               extra = with_extra && extra_.fetched() - window_ / 8 <= extra_ring_bytes - ring_piece - 16;
    if (numbers || extra) {
      if constexpr (Check::is_present) {
        // What the next pieces take the place of.
        if (check_.is_on()) {
          if (numbers)
            check_.add(0, rings_.numbers + (number_.fetched() & (number_ring_bytes - 1)),
                       offset_of_next(number_) - number_ring_bytes, lane_);
          if (extra)
            check_.add(1, rings_.extra + (extra_.fetched() & (extra_ring_bytes - 1)),
                       offset_of_next(extra_) - extra_ring_bytes, lane_);
        }
      }
      warp_.sync();  // all have read what was there
    }
    if (numbers) fetch_numbers();
    if (extra) fetch_extra();
    end_copy_group();
    wait_for_copy_groups<1>();
    warp_.sync();
  }

  /// Where in the stream the next piece of a source begins.
  FLOE_DEVICE std::uint32_t offset_of_next(const Source& source) const {
    return check_.offset_of(source.at()) - 16 * lane_;
  }
  /// Adds what is still in the rings. The 16 bytes that both have count as those of numbers.
  FLOE_DEVICE void end_check(const std::uint8_t* states, const std::uint8_t* numbers, std::uint32_t extra_end,
                             std::uint32_t number_end) const {
    warp_.sync();
    if (!check_.is_on()) return;
    const std::uint32_t last = extra_end / 16 * 16;
    if (extra_end != last && lane_ < 4)
      (rings_.extra + ((last & (extra_ring_bytes - 1)) + 4 * lane_)).store32(0);
    warp_.sync();
    check_.end(0, rings_.numbers, number_ring_bytes, number_.fetched(),
               check_.offset_of(numbers) / ring_piece * ring_piece, number_end, lane_);
    check_.end(1, rings_.extra, extra_ring_bytes, extra_.fetched(),
               check_.offset_of(states) / ring_piece * ring_piece, extra_end, lane_);
  }

  /// Makes the words of the group from word `first` on. `is_full`: all lanes have all words. beside(scan) and
  /// then(scan) take the next symbols, and go on with a scan between them.
  template <bool is_full, class Sink, class Beside, class Then>
  FLOE_DEVICE void make_group(std::uint32_t first, const EntropyBlock& block, std::uint32_t (&symbols)[steps],
                              Sink& sink, const Beside& beside, const Then& then) {
    GroupWords<W, is_full> group;
    group.first = first + steps * lane_;
    if constexpr (!is_full) {
      const bool has_words = group.first < block.words && !(is_general && warp_.lane() >= code_.lanes());
      group.left = has_words ? block.words - group.first : 0;
    }
    if constexpr (shape == EntropyShape::halves) {
      const std::uint32_t left = block.words - first;
      NoScan nothing;
      beside(nothing);
      add_lower_halves(symbols, left < warp_lanes * steps ? left : warp_lanes * steps, group);
    } else {
      add_extra_bits(symbols, group, beside);
    }
    sink(group, then);
  }

  /// For the symbols of the group from word `first` on.
  FLOE_DEVICE void choose_table([[maybe_unused]] const EntropyBlock& block,
                                [[maybe_unused]] std::uint32_t first) {
    if constexpr (Code::has_tables)
      table_ = (code_.choices + (block.first + first + steps * lane_) / trees::entropy_run_words).load8();
  }
  template <unsigned first, unsigned end>
  FLOE_DEVICE void take_symbols(std::uint32_t (&symbols)[steps]) {
    NoScan nothing;
    take_symbols<first, end>(symbols, nothing);
  }
  /// Symbols of a group, each in the lowest byte of a number.
  template <unsigned first, unsigned end, class Scan>
  FLOE_DEVICE void take_symbols(std::uint32_t (&symbols)[steps], Scan& scan) {
    const bool in_pairs = code_.bits() == trees::short_frequency_bits;
    FLOE_UNROLL
    for (unsigned k = first; k < end; ++k) {
      if (k == 4 && !in_pairs) fetch_next(false);
      scan.go_on(2 * (k - first), 2 * (end - first));
      symbols[k] = take_symbol();
      scan.go_on(2 * (k - first) + 1, 2 * (end - first));
      if (k % 2 == 1 || !in_pairs) renormalise();
    }
  }
  FLOE_DEVICE std::uint32_t take_symbol() {
    const std::uint32_t whole = 1u << code_.bits();
    if constexpr (Code::has_tables) return take_symbol_of_table(state_ & (whole - 1));
    if constexpr (shape == EntropyShape::small_table) {
      const std::uint32_t state = state_ & (whole - 1), symbol = (code_.entries + state).load8(),
                          code = code_.symbols.word(symbol).load32();
      state_ = (code >> 16) * (state_ >> code_.bits()) + (state - (code & 0xFFFF));
      return symbol;
    }
    const std::uint32_t entry = code_.entries.word(state_ & (whole - 1)).load32();
    state_ = (entry >> 20) * (state_ >> code_.bits()) + (entry >> 8 & 0xFFF);
    return entry;
  }

  /// The symbol of the lane's table that has a state.
  FLOE_DEVICE std::uint32_t take_symbol_of_table(std::uint32_t state) {
    if (code_.frequency_bits == trees::short_frequency_bits) {
      const std::uint32_t entry = code_.entries.word(table_ << trees::short_frequency_bits | state).load32();
      state_ = (entry >> 20) * (state_ >> trees::short_frequency_bits) + (entry >> 8 & 0xFFF);
      return entry;
    }
    const unsigned shift = code_.shared_state_bits;
    std::uint32_t symbol =
        (code_.entries + ((table_ << trees::long_frequency_bits | state) >> shift)).load8();
    const SharedBytes symbols = code_.symbols.word(table_ * trees::entropy_symbols);
    std::uint32_t code = symbols.word(symbol).load32();
    while (state - (code & 0xFFFF) >= code >> 16)
      code = symbols.word(++symbol).load32();  // of a state before
    state_ = (code >> 16) * (state_ >> trees::long_frequency_bits) + state - (code & 0xFFFF);
    return symbol;
  }

  /// Lanes with a state that is too small take a number each, in the order of lanes.
  FLOE_DEVICE void renormalise() {
#if defined(__CUDA_ARCH__)
    if constexpr (!is_general) {
      asm volatile(
          "{\n\t.reg .pred takes;\n\t.reg .u32 at, all, number;\n\t"
          "setp.lt.u32 takes, %0, 65536;\n\t"
          "vote.sync.ballot.b32 all, takes, 0xffffffff;\n\t"
          "and.b32 at, all, %2;\n\tpopc.b32 at, at;\n\tmad.lo.u32 at, at, 2, %1;\n\t"
          "lop3.b32 at, at, %4, %3, 0xEA;\n\t"
          "ld.shared.u16 number, [at];\n\t"
          "popc.b32 all, all;\n\tmad.lo.u32 %1, all, 2, %1;\n\t"
          "@takes prmt.b32 %0, number, %0, 0x5410;\n\t}"
          : "+r"(state_), "+r"(number_at_)
          : "r"(lanes_before_), "r"(rings_.numbers.address()), "n"(number_ring_bytes - 1));
      return;
    }
#endif
    constexpr std::uint32_t mask = number_ring_bytes - 1;
    const bool takes = state_ < trees::min_entropy_state && !(is_general && warp_.lane() >= code_.lanes());
    const std::uint32_t all = warp_.ballot(takes);
    if (takes) {
      const std::uint32_t at = number_at_ + 2 * count_bits(all & lanes_before_);
      const std::uint32_t low = (rings_.numbers + (at & mask)).load8(),
                          high = (rings_.numbers + ((at + 1) & mask)).load8();
      state_ = state_ << 16 | high << 8 | low;
    }
    number_at_ += 2 * count_bits(all);
  }

  /// Makes words of symbols. Where there are no words any more, there are no extra bits.
  template <bool is_full, class Beside>
  FLOE_DEVICE void add_extra_bits(std::uint32_t (&symbols)[steps], GroupWords<W, is_full>& group,
                                  const Beside& beside) {
    std::uint32_t counts[steps], all = 0;
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      const std::uint32_t symbol = symbols[k] & 255, exponent = symbol >> code_.mantissa_bits,
                          from_1 = exponent > 1 ? exponent : 1;
      symbols[k] = symbol + (1u << code_.mantissa_bits) - (from_1 << code_.mantissa_bits);
      counts[k] = from_1 + code_.raw_bits - 1;
    }
    if constexpr (!is_full) {
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k) counts[k] = k < group.left ? counts[k] : 0;
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) all += counts[k];
    WordScan<std::uint32_t, Warp> scan(warp_, all);
    beside(scan);
    const std::uint32_t inclusive = scan.sum();
    std::uint32_t position = window_ + inclusive - all;
    window_ += warp_.shuffle(inclusive, warp_lanes - 1);
    ExtraWindow windows[steps];  // all are asked for before the first one is looked at
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      position += counts[k];
      windows[k] = window_at(position);
    }
    // Without this the compiler asks for one after the other, which takes fewer registers.
    if constexpr (sizeof(W) == 8 && shape != EntropyShape::small_table) warp_.sync();
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) group.word[k] = offset_of(symbols[k], counts[k], windows[k]);
    if (code_.is_usual) {
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k) group.word[k] = unfolded(group.word[k]);
    } else if (code_.mode == trees::EntropyMode::folded) {
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k)
        group.word[k] = static_cast<W>(unfolded(group.word[k]) + code_.base);
    } else if (code_.mode == trees::EntropyMode::rotated) {
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k)
        group.word[k] = trees::word_of(group.word[k], trees::EntropyMode::rotated, W{0});
    } else {
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k) group.word[k] = static_cast<W>(group.word[k] + code_.base);
    }
  }

  /// The words of the ring in which extra bits end with the window of a word's size that begins at bit
  /// `position`, or 32 bits before it.
  struct ExtraWindow {
    std::uint32_t word[sizeof(W) == 8 ? 3 : 2], position;
  };
  FLOE_DEVICE ExtraWindow window_at(std::uint32_t position) const {
    ExtraWindow window;
    window.position = position;
    const std::uint32_t first = sizeof(W) == 8 ? position - 32 : position;
    const SharedBytes at = rings_.extra + (first / 8 & (extra_ring_bytes - 4));
    FLOE_UNROLL
    for (unsigned i = 0; i < sizeof window.word / 4; ++i) window.word[i] = (at + 4 * i).load32();
    return window;
  }
  /// An offset, whose extra bits end with a window.
  FLOE_DEVICE static W offset_of(std::uint32_t top, std::uint32_t count, const ExtraWindow& window) {
    const std::uint32_t low = funnel_right(window.word[0], window.word[1], window.position);
    if constexpr (sizeof(W) == 8) {
      const std::uint64_t bits =
          std::uint64_t{funnel_right(window.word[1], window.word[2], window.position)} << 32 | low;
      return shift_left(top, count) | shift_right(bits >> 1, 63 - count);
    } else {
      return static_cast<W>(funnel_left(low, top, count));
    }
  }

  /// Makes words of symbols, their upper halves, in pairs; `words` are those of the group.
  template <bool is_full>
  FLOE_DEVICE void add_lower_halves(const std::uint32_t (&symbols)[steps], std::uint32_t words,
                                    GroupWords<W, is_full>& group) {
    const SharedBytes at = rings_.extra + (((window_ + 32) / 8 + steps * lane_) & (extra_ring_bytes - 4));
    const std::uint32_t lower[2] = {at.load32(), (at + 4).load32()};
    window_ += 8 * words;
    FLOE_UNROLL
    for (unsigned k = 0; k + 1 < steps; k += 2) {
      const std::uint32_t upper = permute_bytes(symbols[k], symbols[k + 1], 0x0040),
                          both = permute_bytes(upper, lower[k / 4 % 2], k % 4 == 0 ? 0x1504 : 0x1706),
                          rotated = (both >> 1 & 0x7FFF7FFF) | (both << 15 & 0x80008000);
      group.word[k] = static_cast<W>(rotated);
      group.word[k + 1] = static_cast<W>(rotated >> 16);
    }
  }

  Warp& warp_;
  const Code& code_;
  const EntropyRings& rings_;
  Check check_;
  Source extra_, number_;
  std::uint32_t state_ = 0, number_at_ = 0;
  std::uint32_t table_ = 0;   ///< Of the lane's words of a group.
  std::uint32_t window_ = 0;  ///< The bit at which 32 bits begin that end with the next extra bit.
  unsigned lane_;
  std::uint32_t lanes_before_;
};

}  // namespace floe::gpu
