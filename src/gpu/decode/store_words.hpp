// Steps of a chain on words, but for sums, and where words go then: as they are, as decimals, or looked up.
#pragma once

#include "gpu/decode/decode_memory.hpp"
#include "gpu/warp/divide_integer.hpp"
#include "gpu/warp/memory_access.hpp"
#include "gpu/warp/word_maps.hpp"

namespace floe::gpu {

/// A step that is no sum.
template <core::Word W>
FLOE_DEVICE W apply_step(const ChainStep& step, W word) {
  if (step.kind == ChainStep::int_mult)
    return static_cast<W>(static_cast<W>(word * static_cast<W>(step.number[1])) +
                          static_cast<W>(step.number[0]));
  return flip_negative(word);
}

template <core::Word W>
FLOE_DEVICE Pack<W> apply_step(const ChainStep& step, Pack<W> pack) {
  Pack<W> out;
  FLOE_UNROLL
  for (unsigned k = 0; k < Pack<W>::words; ++k) out.put(k, apply_step(step, pack.word(k)));
  return out;
}

/// The same for several packs.
template <core::Word W, unsigned count>
FLOE_DEVICE void apply_step_to(const ChainStep& step, Pack<W> (&packs)[count]) {
  if (step.kind == ChainStep::nothing) return;
  FLOE_UNROLL
  for (unsigned i = 0; i < count; ++i) packs[i] = apply_step(step, packs[i]);
}

/// What storing needs of a chain, in registers.
struct StoreArguments {
  std::uint8_t* out;
  double power, inverse;  ///< 10^digits, and one by that.
  const std::uint8_t* table;
  std::uint32_t table_count;
  bool bad = false;  ///< Some word was out of its range.

  FLOE_DEVICE explicit StoreArguments(const Chain& chain)
      : out(chain.out),
        power(chain.power),
        inverse(1 / chain.power),
        table(chain.table),
        table_count(chain.table_count) {}
  FLOE_DEVICE StoreArguments(std::uint8_t* to, double divisor)
      : out(to), power(divisor), inverse(1 / divisor), table(nullptr), table_count(0) {}
};

/// Stores up to `left` words of a pack from word `index` of the stream on.
template <core::Word W>
struct StoreSame {
  static constexpr bool is_plain = true;  ///< Words are stored as they are.
  /// Whether store_all can store the packs of a tile that begins at word `first`.
  FLOE_DEVICE static bool is_aligned(const StoreArguments& to, std::uint64_t first) {
    return reinterpret_cast<std::uintptr_t>(to.out + first * sizeof(W)) % sizeof(typename Pack<W>::Bits) == 0;
  }
  FLOE_DEVICE static void store_all(StoreArguments& to, std::uint64_t index, Pack<W> pack) {
    store_aligned(to.out + index * sizeof(W), pack.bits);
  }
  FLOE_DEVICE static void store(StoreArguments& to, std::uint64_t index, Pack<W> pack, std::uint32_t left) {
    std::uint8_t* const at = to.out + index * sizeof(W);
    if (left >= Pack<W>::words && reinterpret_cast<std::uintptr_t>(at) % sizeof(pack.bits) == 0) {
      store_aligned(at, pack.bits);
      return;
    }
    for (unsigned k = 0; k < Pack<W>::words && k < left; ++k) store_word(at, k, pack.word(k));
  }
};

/// Integers of W as floats of `Float`, divided by a power of ten; see src/simd/decimal.inl.
template <core::Word W, class Float>
struct StoreDecimal {
  static constexpr bool is_plain = false;
  FLOE_DEVICE static bool is_aligned(const StoreArguments&, std::uint64_t) { return true; }
  FLOE_DEVICE static void store(StoreArguments& to, std::uint64_t index, Pack<W> pack, std::uint32_t) {
    store_all(to, index, pack);
  }
  FLOE_DEVICE static void store_all(StoreArguments& to, std::uint64_t index, Pack<W> pack) {
    const auto integer = static_cast<std::make_signed_t<W>>(pack.bits);
    if constexpr (sizeof(W) == 8)
      to.bad = to.bad || (static_cast<std::uint64_t>(integer) + (std::uint64_t{1} << 51)) >> 52 != 0;
    const auto value = static_cast<Float>(divide_exactly(double_of(integer), to.power, to.inverse));
    store_aligned(to.out + index * sizeof(Float), value);
  }
};

/// Codes as words of W from the dictionary.
template <core::Word W>
struct StoreLookUp {
  static constexpr bool is_plain = false;
  using Two = std::conditional_t<
      sizeof(W) == 8, Vector<std::uint64_t>,
      std::conditional_t<sizeof(W) == 4, std::uint64_t,
                         std::conditional_t<sizeof(W) == 2, std::uint32_t, std::uint16_t>>>;

  FLOE_DEVICE static W look_up(StoreArguments& to, std::uint32_t code) {
    const bool exists = code < to.table_count;
    to.bad = to.bad || !exists;
    return exists ? load_aligned<W>(to.table + code * sizeof(W)) : W{0};
  }
  FLOE_DEVICE static bool is_aligned(const StoreArguments& to, std::uint64_t first) {
    return reinterpret_cast<std::uintptr_t>(to.out + first * sizeof(W)) % sizeof(Two) == 0;
  }
  FLOE_DEVICE static void store_all(StoreArguments& to, std::uint64_t index, Pack<std::uint16_t> codes) {
    const W first = look_up(to, codes.word(0)), second = look_up(to, codes.word(1));
    std::uint8_t* const at = to.out + index * sizeof(W);
    if constexpr (sizeof(W) == 8) {
      store_aligned(at, Two{{first, second}});
    } else {
      store_aligned(
          at, static_cast<Two>(first | static_cast<Two>(static_cast<Two>(second) << core::word_bits<W>)));
    }
  }
  FLOE_DEVICE static void store(StoreArguments& to, std::uint64_t index, Pack<std::uint16_t> codes,
                                std::uint32_t left) {
    for (unsigned k = 0; k < 2 && k < left; ++k) store_word(to.out, index + k, look_up(to, codes.word(k)));
  }
};

}  // namespace floe::gpu
