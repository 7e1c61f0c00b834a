// The rules of `codec`: chunks of 16 KiB through a codec of the publications.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

/// Bytes of the words that a codec takes; 0 if there is no such codec. src/chunks/codecs has the same
/// numbers, which a test compares.
FLOE_HD constexpr std::size_t codec_word_bytes(std::uint32_t codec) noexcept {
  constexpr std::uint64_t bytes_by_id = 0x21'4884'840;  // a digit per id, from the last one on
  return codec <= 8 ? bytes_by_id >> (4 * codec) & 15 : 0;
}
FLOE_HD constexpr bool takes_dimensionality(std::uint32_t codec) noexcept { return codec == 5 || codec == 6; }

struct CodecRules {
  static constexpr const char* name = "codec";
  static constexpr const char* summary = "chunks of 16 KiB through a codec of the publications";
  static constexpr unsigned children = 0;
  static constexpr unsigned parameters = 2;
  static constexpr ParameterRange ranges[2] = {{1, 8, 1}, {1, 32, 1}};  // codec, dimensionality
  static constexpr bool has_device_form = false;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t a, std::uint32_t b) {
    return codec_word_bytes(a) == size_of(type) && (b == 1 || takes_dimensionality(a));
  }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) { return type; }
};

}  // namespace floe::trees
