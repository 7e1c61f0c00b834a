// What words become when their chain is done: nothing else, or decimals.
#pragma once

#include "gpu/decode/store_words.hpp"

namespace floe::gpu {

/// As they are.
template <core::Word W>
struct FinalSame {
  using Out = W;
  FLOE_DEVICE static Out of(StoreArguments&, W word) { return word; }
};
/// Words of a slot that is wider, in which sums of them become decimals.
struct FinalWide {
  using Out = std::uint64_t;
  FLOE_DEVICE static Out of(StoreArguments&, std::uint32_t word) { return word; }
};
/// Decimals; see StoreDecimal.
template <core::Word W, class Float>
struct FinalDecimal {
  using Out = Float;
  FLOE_DEVICE static Out of(StoreArguments& to, W word) {
    const auto integer = static_cast<std::make_signed_t<W>>(word);
    if constexpr (sizeof(W) == 8)
      to.bad = to.bad || (static_cast<std::uint64_t>(integer) + (std::uint64_t{1} << 51)) >> 52 != 0;
    return static_cast<Float>(divide_exactly(double_of(integer), to.power, to.inverse));
  }
};

}  // namespace floe::gpu
