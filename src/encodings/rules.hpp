// The rules of all encodings, by their ids.
#pragma once

#include <iterator>

#include "encodings/bitpack/rules.hpp"
#include "encodings/codec/rules.hpp"
#include "encodings/constant/rules.hpp"
#include "encodings/decimal/rules.hpp"
#include "encodings/delta/rules.hpp"
#include "encodings/dict/rules.hpp"
#include "encodings/divide/rules.hpp"
#include "encodings/entropy/rules.hpp"
#include "encodings/int_mult/rules.hpp"
#include "encodings/raw/rules.hpp"
#include "encodings/rle/rules.hpp"
#include "encodings/sortable/rules.hpp"
#include "encodings/sparse/rules.hpp"
#include "encodings/split/rules.hpp"
#include "encodings/stride_split/rules.hpp"
#include "encodings/unique/rules.hpp"

namespace floe::trees {

/// The numbers are part of the format: append, never renumber.
enum class EncodingId : std::uint8_t {
#define FLOE_ENCODING(rules, name) name,
#include "encodings/encodings.def"
#undef FLOE_ENCODING
};

inline constexpr unsigned encoding_count = 0
#define FLOE_ENCODING(rules, name) +1
#include "encodings/encodings.def"
#undef FLOE_ENCODING
    ;

/// Four bits for each number below 16, side by side. Devices make tables of switches, and bring them from
/// memory when they first look something up; this is part of an instruction.
template <class Of>
FLOE_HD constexpr std::uint64_t nibbles(const Of& of) {
  std::uint64_t all = 0;
  for (unsigned i = 0; i < 16; ++i) all |= static_cast<std::uint64_t>(of(i) & 15u) << (4 * i);
  return all;
}
FLOE_HD constexpr unsigned nibble_of(std::uint64_t all, unsigned index) {
  return static_cast<unsigned>(all >> (4 * index)) & 15;
}

namespace rules {

inline constexpr unsigned parameters[] = {
#define FLOE_ENCODING(rules, name) rules::parameters,
#include "encodings/encodings.def"
#undef FLOE_ENCODING
};
inline constexpr unsigned children[] = {
#define FLOE_ENCODING(rules, name) rules::children,
#include "encodings/encodings.def"
#undef FLOE_ENCODING
};
inline constexpr bool device_form[] = {
#define FLOE_ENCODING(rules, name) rules::has_device_form,
#include "encodings/encodings.def"
#undef FLOE_ENCODING
};
static_assert(encoding_count <= 16, "a nibble per encoding");

}  // namespace rules

FLOE_HD constexpr unsigned parameters_of(EncodingId id) {
  constexpr std::uint64_t all =
      nibbles([](unsigned i) { return i < encoding_count ? rules::parameters[i] : 0; });
  return nibble_of(all, static_cast<unsigned>(id));
}
FLOE_HD constexpr unsigned children_of(EncodingId id, std::uint32_t first_parameter) {
  constexpr std::uint64_t all =
      nibbles([](unsigned i) { return i < encoding_count ? rules::children[i] : 0; });
  const unsigned children = nibble_of(all, static_cast<unsigned>(id));
  return children == children_by_parameter ? first_parameter : children;
}
/// Whether the parameters of an encoding are within its limits.
FLOE_HD constexpr bool are_within_limits(EncodingId id, std::uint32_t a, std::uint32_t b) {
  switch (id) {
#define FLOE_ENCODING(rules, name)                                                                   \
  case EncodingId::name:                                                                             \
    return (rules::parameters < 1 || is_within(a, rules::ranges[0].least, rules::ranges[0].most)) && \
           (rules::parameters < 2 || is_within(b, rules::ranges[1].least, rules::ranges[1].most));
#include "encodings/encodings.def"
#undef FLOE_ENCODING
  }
  return false;
}
/// Whether it takes words of a type. Precondition: parameters within the limits.
FLOE_HD constexpr bool accepts(EncodingId id, DType type, std::uint32_t a, std::uint32_t b) {
  switch (id) {
#define FLOE_ENCODING(rules, name) \
  case EncodingId::name:           \
    return rules::accepts(type, a, b);
#include "encodings/encodings.def"
#undef FLOE_ENCODING
  }
  return false;
}
/// The type of a child; `b` is the second parameter. Precondition: accepts(id, type, a, b).
FLOE_HD constexpr DType child_type_of(EncodingId id, DType type, std::uint32_t b, unsigned child) {
  switch (id) {
#define FLOE_ENCODING(rules, name) \
  case EncodingId::name:           \
    return rules::child_type(type, b, child);
#include "encodings/encodings.def"
#undef FLOE_ENCODING
  }
  return type;
}
/// Whether GPUs encode and decode it, at a speed that fits them.
FLOE_HD constexpr bool has_device_form(EncodingId id) {
  constexpr std::uint64_t all =
      nibbles([](unsigned i) { return i < encoding_count && rules::device_form[i] ? 1U : 0U; });
  return nibble_of(all, static_cast<unsigned>(id)) != 0;
}

}  // namespace floe::trees
