// Takes a stream apart word by word with a block: into quotients and remainders, strides, differences over a
// stride.
#pragma once

#include "gpu/encode/encode_frequent.hpp"
#include "gpu/encode/encode_int_mult.hpp"
#include "gpu/encode/encode_runs.hpp"
#include "gpu/encode/encode_split.hpp"

namespace floe::gpu {

/// Quotients and remainders; see encodings/divide/divide.cpp.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void divide_stream(Block& block, const EncodeStream& stream, std::uint32_t multiplier,
                                    unsigned shift, std::uint8_t* quotients, std::uint8_t* remainders) {
  constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  const W divisor = static_cast<W>(std::uint64_t{multiplier} << shift);
  const bool is_float = floe::is_float(stream.type), is_signed = floe::is_signed(stream.type);
  const auto divide = [&](std::uint32_t i, W word) {
    const W sign = is_float || is_signed
                       ? static_cast<W>(W{0} - static_cast<W>(word >> (core::word_bits<W> - 1)))
                       : W{0};
    const W number = is_float ? static_cast<W>(word & ~top) : static_cast<W>(word ^ sign);
    const W quotient = multiplier == 1 ? static_cast<W>(number >> shift) : static_cast<W>(number / divisor);
    const W remainder = static_cast<W>(number - static_cast<W>(std::uint64_t{quotient} * divisor));
    store_word(quotients, i, static_cast<W>(quotient ^ sign));
    store_word(remainders, i, is_signed && sign != 0 ? static_cast<W>(divisor - 1 - remainder) : remainder);
  };
  for_each_loaded(
      block, 0, stream.count, [&](std::uint32_t i) { return stream_word<W>(stream, i); }, divide);
  block.sync();
}

/// Every k-th word, from word `child` on.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void take_stride(Block& block, const EncodeStream& stream, unsigned children, unsigned child,
                                  std::uint8_t* out, std::uint32_t count) {
  for_each_loaded(
      block, 0, count,
      [&](std::uint32_t i) { return stream_word<W>(stream, std::uint64_t{i} * children + child); },
      [&](std::uint32_t i, W word) { store_word(out, i, word); });
  block.sync();
}

/// Differences over a stride, once or twice; the heads go to a header.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void subtract_strides(Block& block, const EncodeStream& stream, unsigned order,
                                       std::uint32_t stride, HeaderWriter& header, std::uint8_t* out,
                                       std::uint32_t count) {
  const auto word = [&](std::uint64_t i) { return stream_word<W>(stream, i); };
  const auto difference = [&](std::uint32_t i) {
    const W step = static_cast<W>(word(i + std::uint64_t{stride}) - word(i));
    return order == 1
               ? step
               : static_cast<W>(word(i + 2 * std::uint64_t{stride}) - word(i + std::uint64_t{stride}) - step);
  };
  for_each_loaded(block, 0, count, difference, [&](std::uint32_t i, W step) { store_word(out, i, step); });
  if (block.rank() == 0) {
    const std::uint32_t heads = stride < stream.count ? stride : stream.count, rest = stream.count - heads;
    for (std::uint32_t i = 0; i < heads; ++i) header.put_signed(word(i), core::word_bits<W>);
    if (order == 2) {
      for (std::uint32_t i = 0; i < (stride < rest ? stride : rest); ++i)
        header.put_signed(static_cast<W>(word(i + stride) - word(i)), core::word_bits<W>);
    }
  }
  block.sync();
}

}  // namespace floe::gpu
