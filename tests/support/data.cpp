// Makes what the tests compress.
#include "tests/support/data.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace floe::test {

std::uint64_t Random::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint64_t Random::below(std::uint64_t bound) { return next() % bound; }

double Random::unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double Random::bell() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += unit();
  return sum;
}

double wave(double turns) {
  const double phase = turns - static_cast<double>(static_cast<std::int64_t>(turns));
  return phase < 0.5 ? 16 * phase * (0.5 - phase) : -16 * (phase - 0.5) * (1 - phase);
}

template <core::Word W>
std::vector<W> edge_words() {
  constexpr unsigned bits = core::word_bits<W>;
  constexpr unsigned mantissa_bits = bits == 64 ? 52 : bits == 32 ? 23 : bits == 16 ? 10 : 3;
  constexpr W all = static_cast<W>(~W{0}), sign = static_cast<W>(W{1} << (bits - 1));
  constexpr W infinity = static_cast<W>(static_cast<W>(all >> 1) >> mantissa_bits << mantissa_bits);
  std::vector<W> words = {
      0, 1, 2, 3, all, static_cast<W>(all - 1), static_cast<W>(sign - 1), static_cast<W>(sign + 1)};
  for (unsigned b = 0; b < bits; ++b) words.push_back(static_cast<W>(W{1} << b));
  const W smallest_normal = static_cast<W>(W{1} << mantissa_bits);
  for (const W word : {W{0}, W{1}, static_cast<W>(smallest_normal - 1), smallest_normal,
                       static_cast<W>(infinity - 1), infinity, static_cast<W>(infinity + 1),
                       static_cast<W>(infinity | smallest_normal >> 1), static_cast<W>(infinity | 5)}) {
    words.push_back(word);
    words.push_back(static_cast<W>(word | sign));
  }
  return words;
}

template <core::Word W>
std::span<const WordContent<W>> contents() {
  static constexpr double scale = sizeof(W) == 1 ? 100 : sizeof(W) == 2 ? 20000 : 1;
  using Index = std::size_t;
  static constexpr std::array<WordContent<W>, 14> all = {{
      {"zeros", [](Index, W, Random&) { return W{0}; }},
      {"constant", [](Index, W, Random&) { return word_of<W>(1.5 * scale); }},
      {"ramp", [](Index i, W, Random&) { return word_of<W>(static_cast<double>(i) * 0.25); }},
      {"integer_ramp", [](Index i, W, Random&) { return static_cast<W>(3 * i); }},
      {"smooth", [](Index i, W, Random&) { return word_of<W>(scale * wave(static_cast<double>(i) / 700)); }},
      {"smooth_with_noise",
       [](Index i, W, Random& random) {
         return word_of<W>(scale * (wave(static_cast<double>(i) / 90) + 1e-3 * random.bell()));
       }},
      {"random_walk", [](Index, W previous,
                         Random& random) { return static_cast<W>(previous + random.below(2001) - 1000); }},
      {"noise", [](Index, W, Random& random) { return word_of<W>(scale / 10 * random.bell()); }},
      {"random_bits", [](Index, W, Random& random) { return static_cast<W>(random.next()); }},
      {"alternating_sign",
       [](Index i, W, Random&) {
         return word_of<W>((i % 2 == 0 ? 0.01 : -0.01) * scale * static_cast<double>(i % 97));
       }},
      {"sparse",
       [](Index, W, Random& random) { return random.below(50) == 0 ? static_cast<W>(random.next()) : W{0}; }},
      {"few_distinct",
       [](Index, W, Random& random) { return word_of<W>(scale / 8 * static_cast<double>(random.below(4))); }},
      {"edge_words",
       [](Index, W, Random& random) {
         static const std::vector<W> words = edge_words<W>();
         return words[random.below(words.size())];
       }},
      {"changing_kinds",
       [](Index i, W, Random& random) {
         constexpr unsigned bits = core::word_bits<W>;
         const std::size_t kind = i / 300 % 5;
         if (kind == 0) return static_cast<W>(i);
         if (kind == 3 && random.below(3) != 0) return W{0};
         const std::uint64_t range = kind == 4 ? 7 : std::uint64_t{1} << bits * 5 / 8,
                             magnitude = (std::uint64_t{5} << (bits - 4)) + random.below(range),
                             sign = random.below(kind + 1) << (bits - 1);
         return static_cast<W>(magnitude ^ sign);
       }},
  }};
  return all;
}

template <core::Word W>
std::vector<W> make_words(const WordContent<W>& content, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<W> words(count);
  W previous = 0;
  for (std::size_t i = 0; i < count; ++i) words[i] = previous = content.word(i, previous, random);
  return words;
}

template <core::Word W>
Bytes make_bytes(const WordContent<W>& content, std::size_t size, std::uint64_t seed) {
  const std::vector<W> words = make_words(content, size / sizeof(W), seed);
  Bytes bytes(size);
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), words.size() * sizeof(W));
  Random random(~seed);
  for (std::size_t i = words.size() * sizeof(W); i < size; ++i)
    bytes[i] = static_cast<std::uint8_t>(random.next());
  return bytes;
}

std::vector<std::string_view> content_names() {
  std::vector<std::string_view> names;
  for (const auto& content : contents<std::uint8_t>()) names.push_back(content.name);
  return names;
}

Bytes make_bytes(unsigned word_bits, std::size_t content, std::size_t size, std::uint64_t seed) {
  return with_word(word_bits,
                   [&]<core::Word W>(W) { return make_bytes(contents<W>()[content], size, seed); });
}

#define FLOE_CONTENTS_OF(word)                                                                 \
  template std::vector<word> edge_words<word>();                                               \
  template std::span<const WordContent<word>> contents<word>();                                \
  template std::vector<word> make_words(const WordContent<word>&, std::size_t, std::uint64_t); \
  template Bytes make_bytes(const WordContent<word>&, std::size_t, std::uint64_t);
FLOE_CONTENTS_OF(std::uint8_t)
FLOE_CONTENTS_OF(std::uint16_t)
FLOE_CONTENTS_OF(std::uint32_t)
FLOE_CONTENTS_OF(std::uint64_t)
#undef FLOE_CONTENTS_OF

}  // namespace floe::test
