// The rules of all encodings: how many children and parameters each has, which words it takes, and which its
// children have. Planners, CPUs, GPUs, cursors and texts go by them.
#pragma once

#include <cstdint>
#include <iterator>

#include "core/bits.hpp"
#include "core/power_of_ten.hpp"
#include "core/type.hpp"

namespace floe::trees {

/// What a parameter may be, and what it is when a text does not say.
struct ParameterRange {
  std::uint32_t min = 0, max = 0, usual = 0;
};

/// By value, because device code has no memory with the ranges.
FLOE_HD constexpr bool is_within(std::uint32_t parameter, std::uint32_t min, std::uint32_t max) {
  return parameter - min <= max - min;  // smaller ones wrap around
}

/// The first parameter says how many children there are: that of StrideSplitRules.
inline constexpr unsigned children_by_parameter = 15;

/// What devices do with an encoding, at a speed that fits them.
enum class DeviceForm : std::uint8_t { none, decoded, both };

/// What encodings have in common; `a` and `b` are the parameters.
template <unsigned children_, unsigned parameters_ = 0>
struct Rules {
  static constexpr unsigned children = children_, parameters = parameters_;
  static constexpr ParameterRange ranges[2] = {};
  static constexpr DeviceForm device_form = DeviceForm::both;
  static FLOE_HD constexpr bool accepts(DType, std::uint32_t, std::uint32_t) { return true; }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) { return type; }
};
template <unsigned children_, unsigned parameters_ = 0>
struct IntegerRules : Rules<children_, parameters_> {
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t, std::uint32_t) { return is_integer(type); }
};

struct RawRules : Rules<0> {
  static constexpr const char* name = "raw";
  static constexpr const char* summary = "the words as they are";
};

struct ConstantRules : Rules<0> {
  static constexpr const char* name = "constant";
  static constexpr const char* summary = "one word for all";
};

struct BitpackRules : IntegerRules<0> {
  static constexpr const char* name = "bitpack";
  static constexpr const char* summary = "bit packing, 1024 words at a time";
};

struct DeltaRules : IntegerRules<1, 2> {
  static constexpr const char* name = "delta";
  static constexpr const char* summary = "differences to the words before";
  static constexpr ParameterRange ranges[2] = {{1, 2, 1}, {1, 1 << 20, 1}};  // order, stride
  /// Up to this stride the first words stand in the header; with greater ones, the rows and planes of arrays,
  /// they are among the differences, as if there were zeros before them.
  static constexpr std::uint32_t max_near_stride = 64;
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) {
    return signed_type(size_of(type));
  }
};

struct RleRules : Rules<2> {
  static constexpr const char* name = "rle";
  static constexpr const char* summary = "lengths and words of runs";
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 0 ? DType::u32 : type;
  }
};

struct IntMultRules : IntegerRules<1> {
  static constexpr const char* name = "int_mult";
  static constexpr const char* summary = "words less the smallest, divided by what divides all of them";
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) {
    return unsigned_type(size_of(type));
  }
};

struct DecimalRules : Rules<3, 2> {
  static constexpr const char* name = "decimal";
  static constexpr const char* summary = "floats as integers, divided by a power of ten";
  static constexpr ParameterRange ranges[2] = {{0, core::max_decimal_digits, 0},
                                               {4, 8, 4}};  // digits, bytes of the integers
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t, std::uint32_t b) {
    return (b == 4 && is_wide_float(type)) || (b == 8 && type == DType::f64);
  }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t b, unsigned child) {
    return child == 0 ? signed_type(b) : child == 1 ? DType::u64 : type;
  }
};

struct SortableRules : Rules<1> {
  static constexpr const char* name = "sortable";
  static constexpr const char* summary = "floats as integers in the same order";
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t, std::uint32_t) { return is_float(type); }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) {
    return signed_type(size_of(type));
  }
};

struct SplitRules : Rules<3, 1> {
  static constexpr const char* name = "split";
  static constexpr const char* summary = "two children and a stencil";
  static constexpr ParameterRange ranges[2] = {{0, 3, 0}};     // kind
  static constexpr std::uint32_t max_counted_words = 1 << 15;  ///< That say where words are divided.
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t a, std::uint32_t) {
    return is_integer(type) || a >= 2;
  }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 0 ? DType::boolean : type;
  }
};

struct SparseRules : Rules<2> {
  static constexpr const char* name = "sparse";
  static constexpr const char* summary = "the most frequent word, and exceptions";
  static constexpr std::uint32_t polled_words = 255;  ///< Of which the most frequent one may be it.
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 0 ? DType::u64 : type;
  }
};

struct StrideSplitRules : Rules<children_by_parameter, 1> {
  static constexpr const char* name = "stride_split";
  static constexpr const char* summary = "every k-th word to the same child, or one part behind the other";
  static constexpr std::uint32_t max_children = 64, max_parts = 65535, max_on_devices = 8;
  /// k, with a child for each part; more than max_children: max_children + k, with one child for all parts.
  static constexpr ParameterRange ranges[2] = {{2, max_children + max_parts, 2}};
  /// Parts of so many bytes of words at a time lie in one child.
  static constexpr std::uint32_t max_block_bytes = 1 << 23;
  static FLOE_HD constexpr bool has_one_child(std::uint32_t a) { return a > max_children; }
  static FLOE_HD constexpr std::uint32_t parts_of(std::uint32_t a) {
    return has_one_child(a) ? a - max_children : a;
  }
  static FLOE_HD constexpr bool accepts(DType, std::uint32_t a, std::uint32_t) { return parts_of(a) >= 2; }
};

struct DictRules : Rules<3, 2> {
  static constexpr const char* name = "dict";
  static constexpr const char* summary = "a dictionary, codes, and exceptions";
  static constexpr ParameterRange ranges[2] = {{0, 2, 0}, {1, 65535, 65535}};  // order, max entries
  /// How entries are sorted: the first parameter.
  enum Order : std::uint32_t {
    by_frequency = 0,  ///< Codes are small, and skewed for entropy coders.
    by_value = 1,      ///< The dictionary itself is small, and neighbouring words have neighbouring codes.
    by_frequency_then_value = 2  ///< Codes are small, and a dictionary of many rare words, too.
  };
  /// With more different words than that, a dictionary is no good.
  static constexpr std::uint32_t max_distinct_words = 4 * 65535;
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 1 ? DType::u16 : type;
  }
};

/// Bytes of the words that a codec takes; 0 if there is no such codec. src/chunks/codecs has the same
/// numbers, which a test compares.
FLOE_HD constexpr std::size_t codec_word_bytes(std::uint32_t codec) noexcept {
  constexpr std::uint64_t bytes_by_id = 0x21'4884'840;  // a digit per id, from the last one on
  return codec <= 8 ? bytes_by_id >> (4 * codec) & 15 : 0;
}
FLOE_HD constexpr bool takes_dimensionality(std::uint32_t codec) noexcept { return codec == 5 || codec == 6; }

struct CodecRules : Rules<0, 2> {
  static constexpr const char* name = "codec";
  static constexpr const char* summary = "chunks of 16 KiB through a codec of the publications";
  static constexpr ParameterRange ranges[2] = {{1, 8, 1}, {1, 32, 1}};  // codec, dimensionality
  static constexpr DeviceForm device_form = DeviceForm::none;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t a, std::uint32_t b) {
    return codec_word_bytes(a) == size_of(type) && (b == 1 || takes_dimensionality(a));
  }
};

struct EntropyRules : Rules<0> {
  static constexpr const char* name = "entropy";
  static constexpr const char* summary = "symbols by frequency, and extra bits";
};

struct MultiEntropyRules : Rules<0, 1> {
  static constexpr const char* name = "multi_entropy";
  static constexpr const char* summary = "entropy with several tables, from which runs of words choose";
  static constexpr ParameterRange ranges[2] = {{1, 3, 2}};  // log2 of the most tables
  static constexpr DeviceForm device_form = DeviceForm::decoded;
};

/// The divisor is the first parameter times 2 to the power of the second.
struct DivideRules : Rules<2, 2> {
  static constexpr const char* name = "divide";
  static constexpr const char* summary = "quotients and remainders";
  static constexpr ParameterRange ranges[2] = {{1, 0xFFFFFFFF, 1}, {0, 63, 0}};  // multiplier, shift
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t a, std::uint32_t b) {
    return core::bit_length(std::uint64_t{a}) + b <= 8 * size_of(type);
  }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 1 || !(is_signed(type) || is_float(type)) ? unsigned_type(size_of(type))
                                                              : signed_type(size_of(type));
  }
};

struct UniqueRules : Rules<2> {
  static constexpr std::uint64_t max_entries = std::uint64_t{1} << 20;
  static constexpr const char* name = "unique";
  static constexpr const char* summary = "all different words, ascending, and codes";
  static constexpr DeviceForm device_form = DeviceForm::decoded;
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 1 ? DType::u32 : type;
  }
};

/// Floats as multiples of one power of two, and the bits below it.
struct GridRules : Rules<4> {
  static constexpr const char* name = "grid";
  static constexpr const char* summary = "floats as multiples of a power of two, and the bits below";
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t, std::uint32_t) { return is_float(type); }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 0 ? signed_type(size_of(type)) : child == 1 ? DType::u8 : child == 2 ? DType::u64 : type;
  }
};

struct LinearRules : IntegerRules<1, 2> {
  static constexpr const char* name = "linear";
  static constexpr const char* summary = "differences to a weighted sum of the words before";
  static constexpr ParameterRange ranges[2] = {{1, 32, 16},
                                               {1, 1 << 20, 1}};  // words before, length of a row
  static constexpr std::uint32_t max_distance = 1 << 20;          ///< Of a word before.
  static constexpr DeviceForm device_form = DeviceForm::none;
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) {
    return signed_type(size_of(type));
  }
};

/// Floats as integers on lines, with errors in units of the last place.
struct AffineRules : Rules<5, 2> {
  static constexpr const char* name = "affine";
  static constexpr const char* summary = "floats as integers times a step, plus an offset";
  static constexpr ParameterRange ranges[2] = {{1, 64, 1}, {4, 8, 4}};  // channels, bytes of the integers
  static constexpr DeviceForm device_form = DeviceForm::decoded;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t, std::uint32_t b) {
    return (b == 4 && is_wide_float(type)) || (b == 8 && type == DType::f64);
  }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t b, unsigned child) {
    return child == 0 ? signed_type(b) : child == 1 ? DType::i8 : child == 3 ? DType::u64 : type;
  }
};

struct MatchRules : Rules<4, 2> {
  static constexpr const char* name = "match";
  static constexpr const char* summary = "words that stood before, as lengths and distances";
  static constexpr ParameterRange ranges[2] = {{0, 2, 1}, {0, 64, 0}};  // effort, bits of a literal
  static constexpr std::uint32_t max_distance = 1 << 24;
  static constexpr DeviceForm device_form = DeviceForm::none;
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 0 ? type : DType::u32;
  }
};

/// Doubles that were floats once, which may have been printed and read since then.
struct NarrowRules : Rules<3, 2> {
  static constexpr const char* name = "narrow";
  static constexpr const char* summary = "doubles as floats, rounded to decimal digits";
  static constexpr ParameterRange ranges[2] = {{0, core::max_decimal_digits, 0}, {0, 2, 0}};  // digits, which
  static constexpr std::uint32_t max_significant_digits = 15;
  static constexpr DeviceForm device_form = DeviceForm::none;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t a, std::uint32_t b) {
    return type == DType::f64 && (b == 0 ? a == 0 : b == 1 || is_within(a, 1, max_significant_digits));
  }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 0 ? DType::f32 : child == 1 ? DType::u64 : type;
  }
};

/// Integers in the order of how large those around them are in the row before.
struct ContextRules : IntegerRules<1, 2> {
  static constexpr const char* name = "context";
  static constexpr const char* summary =
      "words in the order of how large their neighbours in the row before are";
  static constexpr ParameterRange ranges[2] = {{2, 1 << 20, 2}, {1, 64, 1}};  // words of a row, of a step
  static constexpr DeviceForm device_form = DeviceForm::none;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t a, std::uint32_t b) {
    return is_integer(type) && b < a;
  }
};

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
FLOE_HD constexpr std::uint64_t nibble(std::uint64_t number, unsigned index) { return number << (4 * index); }
FLOE_HD constexpr unsigned nibble_of(std::uint64_t all, unsigned index) {
  return static_cast<unsigned>(all >> (4 * index)) & 15;
}

/// A nibble for each encoding.
struct EncodingNibbles {
  std::uint64_t first = 0, rest = 0;  ///< Of the ids up to 15; of those above.
  [[nodiscard]] FLOE_HD constexpr EncodingNibbles with(EncodingId id, unsigned number) const {
    const auto index = static_cast<unsigned>(id);
    return index < 16 ? EncodingNibbles{first | nibble(number, index), rest}
                      : EncodingNibbles{first, rest | nibble(number, index - 16)};
  }
  [[nodiscard]] FLOE_HD constexpr unsigned of(EncodingId id) const {
    const auto index = static_cast<unsigned>(id);
    return index < 16 ? nibble_of(first, index) : nibble_of(rest, index - 16);
  }
};
static_assert(encoding_count <= 32, "a nibble per encoding");

FLOE_HD constexpr unsigned parameters_of(EncodingId id) {
  constexpr EncodingNibbles all = EncodingNibbles()
#define FLOE_ENCODING(rules, name) .with(EncodingId::name, rules::parameters)
#include "encodings/encodings.def"
#undef FLOE_ENCODING
      ;
  return all.of(id);
}
FLOE_HD constexpr unsigned children_of(EncodingId id, std::uint32_t first_parameter) {
  constexpr EncodingNibbles all = EncodingNibbles()
#define FLOE_ENCODING(rules, name) .with(EncodingId::name, rules::children)
#include "encodings/encodings.def"
#undef FLOE_ENCODING
      ;
  const unsigned children = all.of(id);
  if (children != children_by_parameter) return children;
  return StrideSplitRules::has_one_child(first_parameter) ? 1 : first_parameter;
}
/// What GPUs do with it.
FLOE_HD constexpr DeviceForm device_form_of(EncodingId id) {
  constexpr EncodingNibbles all = EncodingNibbles()
#define FLOE_ENCODING(rules, name) .with(EncodingId::name, static_cast<unsigned>(rules::device_form))
#include "encodings/encodings.def"
#undef FLOE_ENCODING
      ;
  return static_cast<DeviceForm>(all.of(id));
}
FLOE_HD constexpr bool is_decoded_by_devices(EncodingId id) { return device_form_of(id) != DeviceForm::none; }
/// Whether GPUs encode and decode it.
FLOE_HD constexpr bool has_device_form(EncodingId id) { return device_form_of(id) == DeviceForm::both; }
/// Whether the parameters of an encoding are within its limits.
FLOE_HD constexpr bool are_within_limits(EncodingId id, std::uint32_t a, std::uint32_t b) {
  switch (id) {
#define FLOE_ENCODING(rules, name)                                                                \
  case EncodingId::name:                                                                          \
    return (rules::parameters < 1 || is_within(a, rules::ranges[0].min, rules::ranges[0].max)) && \
           (rules::parameters < 2 || is_within(b, rules::ranges[1].min, rules::ranges[1].max));
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

}  // namespace floe::trees
