// What do the tests compress? Named, seeded contents for every width of word; the same bytes on every
// machine. They are made by data.cpp, which is optimized also where tests are not.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/word.hpp"

namespace floe::test {

using Bytes = std::vector<std::uint8_t>;

/// SplitMix64. The generators and distributions of the standard library may differ between machines.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound);
  double unit();
  /// Bell-shaped, mean 0, variance 1: a sum of uniform numbers, exact on every machine.
  double bell();

 private:
  std::uint64_t state_;
};

/// The bits of a number as a word: a float or a double where there is one of that width, otherwise an
/// integer.
template <core::Word W>
W word_of(double number) {
  if constexpr (sizeof(W) == 8) {
    return std::bit_cast<W>(number);
  } else if constexpr (sizeof(W) == 4) {
    return std::bit_cast<W>(static_cast<float>(number));
  } else {
    return static_cast<W>(static_cast<std::int64_t>(number));
  }
}

/// Words whose handling differs: around zero, powers of two, one bit set, and (as floats) zeros, denormals,
/// infinities and NaNs with payloads, each with both signs.
template <core::Word W>
std::vector<W> edge_words();

/// One kind of content: word number i of an array, given a random generator that lives as long as the array.
template <core::Word W>
struct WordContent {
  std::string_view name;
  W (*word)(std::size_t i, W previous, Random& random);
};

/// A smooth wave between -1 and 1 out of parabolas; no library function, so that its bits are the same
/// everywhere.
double wave(double turns);

template <core::Word W>
std::span<const WordContent<W>> contents();

/// `count` words of one content.
template <core::Word W>
std::vector<W> make_words(const WordContent<W>& content, std::size_t count, std::uint64_t seed);

/// The same as bytes; the bytes after the last whole word are random.
template <core::Word W>
Bytes make_bytes(const WordContent<W>& content, std::size_t size, std::uint64_t seed);

/// Calls visit(W{}) for the word of that many bits, so that tests can go through codecs that they know at run
/// time only.
template <class Visit>
decltype(auto) with_word(unsigned word_bits, const Visit& visit) {
  switch (word_bits) {
    case 8:
      return visit(std::uint8_t{});
    case 16:
      return visit(std::uint16_t{});
    case 32:
      return visit(std::uint32_t{});
    default:
      return visit(std::uint64_t{});
  }
}

std::vector<std::string_view> content_names();

/// Bytes of the content of that number in content_names().
Bytes make_bytes(unsigned word_bits, std::size_t content, std::size_t size, std::uint64_t seed);

}  // namespace floe::test
