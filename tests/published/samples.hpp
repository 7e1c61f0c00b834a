// Inputs of the tests of the published streams: any length, any kind of content. Never to be changed:
// known_streams.csv holds checksums of their streams. Integers only, so that they are the same on every
// machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/word.hpp"
#include "tests/support/data.hpp"

namespace floe::published {

using test::Bytes;

inline constexpr unsigned sample_kinds = 8;

/// Word i of a sample, from the word before and a base that is random but the same for all words of the
/// sample.
inline std::uint64_t sample_word(unsigned kind, std::uint64_t i, std::uint64_t base, std::uint64_t previous,
                                 test::Random& random) {
  switch (kind) {
    case 0:
      return random.next();
    case 1:
      return base;
    case 2:
      return base + i * (base >> 40);  // a ramp
    case 3:
      return previous + random.below(4096) - 2048;  // a walk in 64-bit steps
    case 4:
      return (previous + ((random.below(512) << 32) | random.below(512))) ^
             (i % 64 == 0 ? base : 0);  // a walk in 32-bit steps
    case 5:
      return random.below(16) == 0 ? random.next() >> random.below(64) : 0;  // mostly zeros
    case 6:
      return base + (random.below(32) << 48);  // few different values
    default:
      return random.next() >> random.below(64);  // all widths
  }
}

inline Bytes sample(unsigned kind, std::size_t bytes, std::uint64_t seed) {
  test::Random random(seed);
  const std::uint64_t base = random.next();
  Bytes sample((bytes + 7) / 8 * 8);
  std::uint64_t previous = base;
  for (std::size_t i = 0; 8 * i < sample.size(); ++i)
    core::store(sample.data() + 8 * i, previous = sample_word(kind, i, base, previous, random));
  sample.resize(bytes);
  return sample;
}

/// Sample number `seed` of those in known_streams.csv: 1 to 70000 bytes, whole chunks among them.
inline Bytes known_sample(std::uint64_t seed) {
  test::Random random(~seed);
  const std::uint64_t lengths[] = {1 + random.below(600), 1 + random.below(17000), 1 + random.below(70000),
                                   16384 * (1 + random.below(4))};
  const std::size_t bytes = lengths[seed / sample_kinds % std::size(lengths)];
  return sample(static_cast<unsigned>(seed % sample_kinds), bytes, seed);
}

inline Bytes whole_words(Bytes bytes) {
  bytes.resize(bytes.size() / 8 * 8);
  return bytes;
}

}  // namespace floe::published
