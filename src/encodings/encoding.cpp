#include "encodings/encoding.hpp"

#include "encodings/encodings.hpp"

namespace floe::series {
namespace {

const std::array<Encoding, encoding_count>& encodings() noexcept {
  static const std::array<Encoding, encoding_count> all = {
      raw_encoding(),     constant_encoding(), afl_encoding(),    delta_encoding(),  rle_encoding(),          scale_encoding(),
      decimal_encoding(), ordered_encoding(),  split_encoding(),  freq_encoding(),   stride_split_encoding(), dict_encoding(),
      codec_encoding(),   entropy_encoding(),  divide_encoding(), unique_encoding(),
  };
  return all;
}

}  // namespace

std::span<const Encoding> all_encodings() noexcept { return encodings(); }

const Encoding* find_encoding(std::uint8_t id) noexcept { return id < encoding_count ? &encodings()[id] : nullptr; }

const Encoding* find_encoding(std::string_view name) noexcept {
  for (const Encoding& encoding : encodings()) {
    if (encoding.name == name) return &encoding;
  }
  return nullptr;
}

}  // namespace floe::series
