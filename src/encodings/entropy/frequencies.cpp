#include "encodings/entropy/frequencies.hpp"

#include <algorithm>

#include "core/bit_stream.hpp"

namespace floe::trees {

using core::BitReader;
using core::BitWriter;

namespace {

constexpr unsigned length_bits = 4;

}  // namespace

void write_frequencies(const SymbolCounts& frequencies, core::ByteWriter& out) {
  unsigned first = 0, last = entropy_symbols - 1;
  while (frequencies[first] == 0) ++first;
  while (frequencies[last] == 0) --last;
  out.put_byte(static_cast<std::uint8_t>(first));
  out.put_byte(static_cast<std::uint8_t>(last));
  BitWriter bits(out);
  for (unsigned s = first; s <= last; ++s) bits.put(core::bit_length(frequencies[s]), length_bits);
  for (unsigned s = first; s <= last; ++s) {
    const unsigned length = core::bit_length(frequencies[s]);
    if (length > 1) bits.put(frequencies[s] & core::low_mask<std::uint32_t>(length - 1), length - 1);
  }
  bits.finish();
}

bool read_frequencies(core::ByteReader& in, unsigned bits, SymbolCounts& frequencies) {
  const unsigned first = in.get_byte(), last = in.get_byte();
  if (in.failed() || first > last) return false;
  const std::uint64_t all_length_bits = std::uint64_t{length_bits} * (last - first + 1);
  if (8 * std::uint64_t{in.remaining()} < all_length_bits) return false;
  BitReader lengths(in.rest());
  std::uint64_t all_bits = all_length_bits;
  frequencies = {};
  for (unsigned s = first; s <= last; ++s) {
    const auto length = static_cast<unsigned>(lengths.get(length_bits));
    frequencies[s] = length;
    all_bits += length > 1 ? length - 1 : 0;
  }
  const auto bytes = in.get_bytes(core::bytes_of_bits(all_bits));
  if (in.failed()) return false;
  BitReader rest(bytes);
  for (std::uint64_t done = 0; done < all_length_bits; done += length_bits) rest.get(length_bits);
  std::uint64_t sum = 0;
  for (unsigned s = first; s <= last; ++s) {
    const unsigned length = frequencies[s];
    if (length > 1) frequencies[s] = 1U << (length - 1) | static_cast<std::uint32_t>(rest.get(length - 1));
    sum += frequencies[s];
  }
  const std::uint32_t whole = 1U << bits;
  return sum == whole && std::none_of(frequencies.begin(), frequencies.end(),
                                      [&](std::uint32_t frequency) { return frequency == whole; });
}

}  // namespace floe::trees
