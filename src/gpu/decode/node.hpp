// What does a team know of the nodes of a tree? The rules of encodings that src/series states in tables of functions, in a form for
// devices; a test holds both against each other.
#pragma once

#include <utility>

#include "core/bits.hpp"
#include "core/power_of_ten.hpp"
#include "encodings/encoding.hpp"
#include "tree/plan.hpp"

namespace floe::series_cuda {

using series::EncodingId;
using series::Type;

inline constexpr unsigned most_nodes = series::max_plan_nodes;
inline constexpr unsigned most_depth = series::max_plan_depth;
inline constexpr unsigned encoding_count = 16;

struct NodeRules {
  std::uint8_t children = 0;  ///< 255: the first parameter says it.
  std::uint8_t parameters = 0;
  std::uint32_t least[2] = {}, most[2] = {};
};

FLOE_HD constexpr NodeRules rules_of(EncodingId id) {
  switch (id) {
    case EncodingId::delta:
      return {1, 2, {1, 1}, {2, 64}};
    case EncodingId::rle:
      return {2, 0, {}, {}};
    case EncodingId::scale:
    case EncodingId::ordered:
      return {1, 0, {}, {}};
    case EncodingId::decimal:
      return {3, 2, {0, 4}, {core::most_decimal_digits, 8}};
    case EncodingId::split:
      return {3, 1, {0, 0}, {3, 0}};
    case EncodingId::freq:
      return {2, 0, {}, {}};
    case EncodingId::stride_split:
      return {255, 1, {2, 0}, {8, 0}};
    case EncodingId::dict:
      return {3, 2, {0, 1}, {2, 65535}};
    case EncodingId::divide:
      return {2, 2, {1, 0}, {0xFFFFFFFF, 63}};
    case EncodingId::unique:
      return {2, 0, {}, {}};
    case EncodingId::codec:
      return {0, 1, {0, 0}, {65535, 0}};
    default:
      return {};
  }
}

/// Four bits for each number below 16, side by side. Devices make tables of switches, and bring them from memory when they first look
/// something up; this is part of an instruction.
template <class Of>
FLOE_HD constexpr std::uint64_t nibbles(const Of& of) {
  std::uint64_t all = 0;
  for (unsigned i = 0; i < 16; ++i) all |= static_cast<std::uint64_t>(of(i) & 15u) << (4 * i);
  return all;
}
FLOE_HD constexpr unsigned nibble_of(std::uint64_t all, unsigned index) { return static_cast<unsigned>(all >> (4 * index)) & 15; }

FLOE_HD constexpr unsigned parameters_of(EncodingId id) {
  constexpr std::uint64_t all = nibbles([](unsigned i) { return rules_of(static_cast<EncodingId>(i)).parameters; });
  return nibble_of(all, static_cast<unsigned>(id));
}
FLOE_HD constexpr unsigned children_of(EncodingId id, std::uint32_t first_parameter) {
  constexpr std::uint64_t all = nibbles([](unsigned i) { return rules_of(static_cast<EncodingId>(i)).children; });
  const unsigned children = nibble_of(all, static_cast<unsigned>(id));
  return children == 15 ? first_parameter : children;
}

/// Whether the parameters of an encoding are within its limits.
FLOE_HD constexpr bool are_within_limits(EncodingId id, std::uint32_t a, std::uint32_t b) {
  return [&]<unsigned... other>(std::integer_sequence<unsigned, other...>) {
    const auto fits = [&](EncodingId is, NodeRules rules) {
      const bool first = rules.parameters < 1 || (a >= rules.least[0] && a <= rules.most[0]);
      const bool second = rules.parameters < 2 || (b >= rules.least[1] && b <= rules.most[1]);
      return id != is || (first && second);
    };
    return (fits(static_cast<EncodingId>(other), rules_of(static_cast<EncodingId>(other))) && ...);
  }
  (std::make_integer_sequence<unsigned, encoding_count>{});
}

FLOE_HD constexpr bool is_float_type(Type type) { return type == Type::f32 || type == Type::f64; }
FLOE_HD constexpr unsigned word_bytes(Type type) {
  constexpr std::uint64_t all = nibbles([](unsigned i) { return series::bytes_of(static_cast<Type>(i)); });
  return nibble_of(all, static_cast<unsigned>(type));
}
FLOE_HD constexpr bool is_signed_type(Type type) { return type == Type::i8 || type == Type::i16 || type == Type::i32 || type == Type::i64; }
FLOE_HD constexpr Type signed_of(unsigned bytes) {
  return bytes == 8 ? Type::i64 : bytes == 4 ? Type::i32 : bytes == 2 ? Type::i16 : Type::i8;
}
FLOE_HD constexpr Type unsigned_of(unsigned bytes) {
  return bytes == 8 ? Type::u64 : bytes == 4 ? Type::u32 : bytes == 2 ? Type::u16 : Type::u8;
}

FLOE_HD constexpr bool accepts(EncodingId id, Type type, std::uint32_t a, std::uint32_t b) {
  switch (id) {
    case EncodingId::afl:
    case EncodingId::delta:
    case EncodingId::scale:
    case EncodingId::entropy:
      return !is_float_type(type);
    case EncodingId::decimal:
      return is_float_type(type) && (b == 4 || (b == 8 && type == Type::f64));
    case EncodingId::ordered:
      return is_float_type(type);
    case EncodingId::split:
      return !is_float_type(type) || a >= 2;
    case EncodingId::divide:
      return core::bit_length(std::uint64_t{a}) + b <= 8 * word_bytes(type);
    default:
      return true;
  }
}

FLOE_HD constexpr Type child_type_of(EncodingId id, Type type, std::uint32_t b, unsigned child) {
  switch (id) {
    case EncodingId::delta:
    case EncodingId::ordered:
      return signed_of(word_bytes(type));
    case EncodingId::rle:
      return child == 0 ? Type::u32 : type;
    case EncodingId::scale:
      return unsigned_of(word_bytes(type));
    case EncodingId::decimal:
      return child == 0 ? signed_of(b) : child == 1 ? Type::u64 : type;
    case EncodingId::split:
      return child == 0 ? Type::boolean : type;
    case EncodingId::freq:
      return child == 0 ? Type::u64 : type;
    case EncodingId::dict:
      return child == 1 ? Type::u16 : type;
    case EncodingId::unique:
      return child == 1 ? Type::u32 : type;
    case EncodingId::divide:
      return child == 0 && (is_signed_type(type) || is_float_type(type)) ? signed_of(word_bytes(type)) : unsigned_of(word_bytes(type));
    default:
      return type;
  }
}

/// Whether the device has a form of an encoding.
FLOE_HD constexpr bool decodes(EncodingId id) { return id != EncodingId::codec && id != EncodingId::entropy && id != EncodingId::unique; }

/// One node of the tree that a team works on.
struct Node {
  EncodingId encoding{};
  Type type{};
  std::uint8_t parent = 0, slot = 0;  ///< Of the parent, which child.
  std::uint8_t child[8] = {};         ///< Where its children are; those of a stride_split may be 8.
  std::uint8_t child_count = 0;       ///< Of them, that were read so far.
  bool is_stream = false;             ///< Its words are written to memory; otherwise they belong to a chain.
  std::uint32_t parameter[2] = {};
  std::uint32_t count = 0;        ///< Words.
  std::uint32_t at = 0, end = 0;  ///< Where its header's lists or its payload lie in the segment.
  std::uint64_t number[2] = {};   ///< From its header.
  std::uint8_t* words = nullptr;  ///< Of a stream.
  std::uint8_t* table = nullptr;  ///< Memory that its evaluation needs besides; of afl the places of its vectors, if they are known.
};

}  // namespace floe::series_cuda
