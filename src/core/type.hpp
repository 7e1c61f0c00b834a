// What can be said of the words of a stream by their type.
#pragma once

#include "core/word.hpp"
#include "floe/types.hpp"

namespace floe {

/// Types that the words of a stream can have.
inline constexpr DType word_types[] = {DType::f64, DType::f32, DType::f16,    DType::bf16, DType::i8,
                                       DType::i16, DType::i32, DType::i64,    DType::u8,   DType::u16,
                                       DType::u32, DType::u64, DType::boolean};
/// The type of words that stand for values of a type; text has none.
FLOE_HD constexpr DType word_type(DType type) noexcept { return type == DType::time ? DType::i64 : type; }

FLOE_HD constexpr bool is_float(DType type) noexcept { return type >= DType::f64 && type <= DType::bf16; }
/// Floats that C++ calculates with.
FLOE_HD constexpr bool is_wide_float(DType type) noexcept { return type == DType::f64 || type == DType::f32; }
/// Words that are numbers in steps of one; booleans count as unsigned ones.
FLOE_HD constexpr bool is_integer(DType type) noexcept { return !is_float(type); }
FLOE_HD constexpr bool is_signed(DType type) noexcept { return type >= DType::i8 && type <= DType::i64; }

FLOE_HD constexpr DType signed_type(std::size_t bytes) noexcept {
  return bytes == 8 ? DType::i64 : bytes == 4 ? DType::i32 : bytes == 2 ? DType::i16 : DType::i8;
}
FLOE_HD constexpr DType unsigned_type(std::size_t bytes) noexcept {
  return bytes == 8 ? DType::u64 : bytes == 4 ? DType::u32 : bytes == 2 ? DType::u16 : DType::u8;
}

/// Calls `work` with a word of `bytes` bytes, to be taken as `auto`: it says only how wide the words are.
/// Precondition: 1, 2, 4 or 8.
template <class Work>
constexpr decltype(auto) with_word(std::size_t bytes, Work&& work) {
  switch (bytes) {
    case 1:
      return work(std::uint8_t{});
    case 2:
      return work(std::uint16_t{});
    case 4:
      return work(std::uint32_t{});
    default:
      return work(std::uint64_t{});
  }
}

}  // namespace floe
