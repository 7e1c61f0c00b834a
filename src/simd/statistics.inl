// Counting words for statistics. A translation unit includes this inside its namespace and its region.

template <class W>
std::size_t count_changes(const W* words, std::size_t count) {
  constexpr std::size_t piece = 128;  // whose changes a byte can count
  std::size_t changes = 0;
  for (std::size_t begin = 0; begin < count; begin += piece) {
    const std::size_t end = count - begin < piece ? count : begin + piece;
    W here = 0;  // as wide as the words, so that they fill vectors
    for (std::size_t i = begin; i < end; ++i)
      here = static_cast<W>(here + (words[i] != words[static_cast<std::ptrdiff_t>(i) - 1] ? 1 : 0));
    changes += here;
  }
  return changes;
}

template <class W>
inline W zigzag_of(W difference) {
  return static_cast<W>(static_cast<W>(difference << 1) ^
                        static_cast<W>(W{0} - static_cast<W>(difference >> (core::word_bits<W> - 1))));
}

/// The bit length. Of up to 32 bits from the exponent of a float, as vectors can find it: of the upper bits
/// of a word, the lowest ones of which must not round it up.
template <class W>
inline std::uint32_t length_of(W word) {
  if constexpr (sizeof(W) == 8) return core::bit_length(word);
  const auto upper = static_cast<std::uint32_t>(word >> 1);
  const auto number = static_cast<float>(static_cast<std::int32_t>(upper & ~(upper >> 1)));
  constexpr std::uint32_t below = 126, mantissa_bits = 23;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(number) >> mantissa_bits;
  return (exponent > below ? exponent - below : 0) + (word != 0 ? 1 : 0);
}

template <class W>
void find_lengths(const W* words, std::size_t count, W base, std::uint8_t* lengths) {
  for (std::size_t i = 0; i < count; ++i)
    lengths[i] = static_cast<std::uint8_t>(length_of(static_cast<W>(words[i] - base)));
}

/// Each lane of a vector counts, until it is full.
inline std::size_t count_bytes(const std::uint8_t* bytes, std::size_t count, std::uint8_t byte) {
  using Lanes = typename LanesOf<std::uint8_t>::Type;
  constexpr std::size_t max_words = 255 * sizeof(Lanes);
  constexpr std::uint64_t every_second = repeat<std::uint16_t>(0xFF), ones = repeat<std::uint16_t>(1);
  std::size_t found = 0, i = 0;
  while (i + sizeof(Lanes) <= count) {
    const std::size_t end = count - i < max_words ? count : i + max_words;
    Lanes counts = {};
    for (; i + sizeof(Lanes) <= end; i += sizeof(Lanes)) {
      Lanes some;
      std::memcpy(&some, bytes + i, sizeof some);
      counts -= static_cast<Lanes>(some == byte);
    }
    std::uint64_t parts[sizeof(Lanes) / 8];
    std::memcpy(parts, &counts, sizeof parts);
    for (const std::uint64_t part : parts)
      found += ((part & every_second) + (part >> 8 & every_second)) * ones >> 48;
  }
  for (; i < count; ++i) found += bytes[i] == byte ? 1 : 0;
  return found;
}

template <class W>
std::uint32_t sum_difference_bits(const W* words, std::size_t count, std::size_t stride, std::size_t first) {
  std::uint32_t bits = 0;
  for (std::size_t i = first; i < count; ++i)
    bits += length_of(zigzag_of(static_cast<W>(words[i] - words[i - stride])));
  return bits;
}

template <class W>
BitSums sum_bit_lengths(const W* words, std::size_t count, W min, std::size_t first) {
  std::uint32_t offsets = 0, second = 0;
  for (std::size_t i = 0; i < count; ++i) offsets += length_of(static_cast<W>(words[i] - min));
  for (std::size_t i = 2; i < count; ++i)
    second += length_of(zigzag_of(static_cast<W>(words[i] - 2 * words[i - 1] + words[i - 2])));
  return {offsets, sum_difference_bits(words, count, 1, first), sum_difference_bits(words, count, 2, first),
          second};
}

/// The upper bits of a product (Knuth, "The art of computer programming", 6.4).
template <class W>
void hash_words(const W* words, std::size_t count, std::uint16_t* slots) {
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (sizeof(W) == 1) {
      slots[i] = words[i];
    } else if constexpr (sizeof(W) <= 4) {
      slots[i] = static_cast<std::uint16_t>(words[i] * 0x9E3779B1U >> (32 - hash_bits));
    } else {
      slots[i] = static_cast<std::uint16_t>(words[i] * 0x9E3779B97F4A7C15U >> (64 - hash_bits));
    }
  }
}

/// x is a multiple of an odd number if its product with the inverse is small, because only then is it the
/// quotient (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994).
template <class W>
std::size_t count_multiples(const W* words, std::size_t count, W base, W divisor) {
  using Wide =
      std::conditional_t<(sizeof(W) < 4), std::uint32_t, W>;  // products of narrower words would be signed
  const auto twos = static_cast<unsigned>(std::countr_zero(divisor));
  const W odd = static_cast<W>(divisor >> twos);
  Wide inverse = odd;
  for (unsigned bits = 3; bits < core::word_bits<W>; bits *= 2)
    inverse = static_cast<Wide>(inverse * (2 - odd * inverse));
  const W max_quotient = static_cast<W>(static_cast<W>(~W{0}) / odd),
          low = static_cast<W>((W{1} << twos) - 1);
  std::size_t multiples = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const W offset = static_cast<W>(words[i] - base), quotient = static_cast<W>(offset * inverse);
    multiples +=
        static_cast<std::size_t>(quotient <= max_quotient) & static_cast<std::size_t>((offset & low) == 0);
  }
  return multiples;
}
