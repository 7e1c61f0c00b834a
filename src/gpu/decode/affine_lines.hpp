// The blocks of lines in the header of an affine node, read by one thread, and the floats on such lines. See
// encodings/affine.
#pragma once

#include <bit>

#include "encodings/affine/line_limits.hpp"
#include "floe/types.hpp"
#include "gpu/decode/header_reader.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

/// How many words have no line; blocks; and lines, those of all channels of all blocks that have some.
struct AffineNumbers {
  std::uint32_t plain = 0, blocks = 0, lines = 0;
};

/// Of a table: first the blocks, then the lines.
struct AffineBlockEntry {
  std::uint32_t end, before_on_lines;  ///< Words up to its end, and those on lines before it.
  std::uint32_t form, first_line;
};
struct AffineLineEntry {
  double step, offset;
};
static_assert(sizeof(AffineBlockEntry) == 16 && sizeof(AffineLineEntry) == 16);
FLOE_HD constexpr std::uint64_t affine_table_bytes(std::uint64_t blocks, std::uint64_t lines) {
  return 16 * (blocks + lines);
}
FLOE_DEVICE double double_of_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

/// Reads the lines of a block to `table`, unless that is null. False if they contradict the format. A step
/// that is not there is that of the lines before.
FLOE_DEVICE bool read_lines_of_block(HeaderReader& reader, double limit, std::uint32_t channels,
                                     std::uint32_t first_line, std::uint8_t* table) {
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    const std::uint8_t has = reader.get_byte();
    const bool has_step = (has & 1) != 0, has_offset = (has & 2) != 0;
    if (has > 3 || (!has_step && first_line == 0)) return false;
    const double step = has_step ? double_of_bits(reader.get_word(8)) : 1,
                 offset = has_offset ? double_of_bits(reader.get_word(8)) : 0;
    if (reader.failed || !(step >= 1 / limit && step <= limit && offset >= -limit && offset <= limit))
      return false;
    if (table == nullptr) continue;
    std::uint8_t* const to = table + 16 * (std::uint64_t{first_line} + channel);
    AffineLineEntry line{step, offset};
    if (!has_step) line.step = load_aligned<AffineLineEntry>(to - 16 * std::uint64_t{channels}).step;
    store_aligned(to, line);
  }
  return true;
}

/// Reads the blocks of `count` words of a type, and puts them and their lines to `table`, where `numbers`
/// says how many blocks there are; or only counts, without a table. False if they contradict the format.
FLOE_DEVICE bool read_affine_blocks(HeaderReader& reader, DType type, std::uint32_t channels,
                                    std::uint32_t count, std::uint8_t* table, AffineNumbers& numbers) {
  const std::uint64_t blocks = reader.get_varint();
  const double limit = trees::limit_of_lines(type == DType::f64 ? 8 : 4);
  std::uint32_t done = 0;
  if (reader.failed || blocks > count) return false;
  std::uint8_t* const lines = table == nullptr ? nullptr : table + 16 * blocks;
  numbers = {};
  for (; numbers.blocks < blocks; ++numbers.blocks) {
    const std::uint32_t left = count - done, rows_left = left / channels + (left % channels == 0 ? 0 : 1);
    const std::uint64_t rows = reader.get_varint();
    const auto form = static_cast<trees::AffineForm>(reader.get_byte());
    if (reader.failed || rows == 0 || rows > rows_left || form > trees::AffineForm::quotient_in_single ||
        (trees::is_in_single(form) && type != DType::f32))
      return false;
    const std::uint32_t before_on_lines = done - numbers.plain,
                        words = rows == rows_left ? left : static_cast<std::uint32_t>(rows) * channels;
    done += words;
    if (table != nullptr)
      store_aligned(table + 16 * std::uint64_t{numbers.blocks},
                    AffineBlockEntry{done, before_on_lines, static_cast<std::uint32_t>(form), numbers.lines});
    if (form == trees::AffineForm::plain) {
      numbers.plain += words;
      continue;
    }
    if (!read_lines_of_block(reader, limit, channels, numbers.lines, lines)) return false;
    numbers.lines += channels;
  }
  return done == count;
}

// Operations that are rounded each, and never contracted.
#if defined(__CUDA_ARCH__)
FLOE_DEVICE double rounded_sum(double a, double b) { return __dadd_rn(a, b); }
FLOE_DEVICE double rounded_product(double a, double b) { return __dmul_rn(a, b); }
FLOE_DEVICE double rounded_quotient(double a, double b) { return __ddiv_rn(a, b); }
FLOE_DEVICE float rounded_sum(float a, float b) { return __fadd_rn(a, b); }
FLOE_DEVICE float rounded_product(float a, float b) { return __fmul_rn(a, b); }
FLOE_DEVICE float rounded_quotient(float a, float b) { return __fdiv_rn(a, b); }
#else
template <class F>
F rounded_sum(F a, F b) {
  return a + b;
}
template <class F>
F rounded_product(F a, F b) {
  return a * b;
}
template <class F>
F rounded_quotient(F a, F b) {
  return a / b;
}
#endif

template <class F>
FLOE_DEVICE F value_on_line(trees::AffineForm form, F step, F offset, F integer) {
  if (form == trees::AffineForm::sum) return rounded_sum(rounded_product(integer, step), offset);
  const F sum = rounded_sum(integer, offset);
  return form == trees::AffineForm::product ? rounded_product(sum, step) : rounded_quotient(sum, step);
}

/// The float of type F that is `error` floats away from that of an integer on a line.
template <class F>
FLOE_DEVICE F float_near_line(trees::AffineForm form, const AffineLineEntry& line, double integer,
                              std::int8_t error) {
  using W = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  F value;
  if (trees::is_in_single(form)) {
    value = static_cast<F>(value_on_line(trees::in_double(form), static_cast<float>(line.step),
                                         static_cast<float>(line.offset), static_cast<float>(integer)));
  } else {
    value = static_cast<F>(value_on_line(form, line.step, line.offset, integer));
  }
  const auto turned = [](W bits) {
    const W sign = static_cast<W>(W{0} - static_cast<W>(bits >> (core::word_bits<W> - 1)));
    return static_cast<W>(bits ^ static_cast<W>(sign >> 1));
  };
  const W number = static_cast<W>(turned(std::bit_cast<W>(value)) +
                                  static_cast<W>(static_cast<std::make_signed_t<W>>(error)));
  return std::bit_cast<F>(turned(number));
}

}  // namespace floe::gpu
