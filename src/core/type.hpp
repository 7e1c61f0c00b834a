// Which types can the words of a stream have?
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/word.hpp"

namespace floe::series {

/// The numbers are part of the format: append, never renumber. Timestamps are i64.
enum class Type : std::uint8_t { i8 = 1, i16, i32, i64, u8, u16, u32, u64, f32, f64, boolean };

inline constexpr Type all_types[] = {Type::i8,  Type::i16, Type::i32, Type::i64, Type::u8,     Type::u16,
                                     Type::u32, Type::u64, Type::f32, Type::f64, Type::boolean};

/// Bytes of a word: 1, 2, 4 or 8; a boolean takes one byte. 0 for a number that is no Type.
constexpr std::size_t bytes_of(Type type) noexcept {
  switch (type) {
    case Type::i8:
    case Type::u8:
    case Type::boolean:
      return 1;
    case Type::i16:
    case Type::u16:
      return 2;
    case Type::i32:
    case Type::u32:
    case Type::f32:
      return 4;
    case Type::i64:
    case Type::u64:
    case Type::f64:
      return 8;
  }
  return 0;
}

constexpr bool is_float(Type type) noexcept { return type == Type::f32 || type == Type::f64; }
/// Words that are numbers in steps of one; booleans count as unsigned ones.
constexpr bool is_integer(Type type) noexcept { return !is_float(type); }
constexpr bool is_signed(Type type) noexcept { return type >= Type::i8 && type <= Type::i64; }

constexpr Type signed_type(std::size_t bytes) noexcept {
  return bytes == 8 ? Type::i64 : bytes == 4 ? Type::i32 : bytes == 2 ? Type::i16 : Type::i8;
}
constexpr Type unsigned_type(std::size_t bytes) noexcept {
  return bytes == 8 ? Type::u64 : bytes == 4 ? Type::u32 : bytes == 2 ? Type::u16 : Type::u8;
}

/// "i8" ... "f64", "bool"; "unknown" for a number that is no Type.
std::string_view name_of(Type type) noexcept;
/// The inverse of name_of.
std::optional<Type> type_from_name(std::string_view name) noexcept;

/// Calls `work` with a word of `bytes` bytes, to be taken as `auto`: it says only how wide the words are. Precondition: 1, 2, 4 or 8.
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

}  // namespace floe::series
