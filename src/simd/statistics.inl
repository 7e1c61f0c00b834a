// Counting words for statistics. A translation unit includes this inside its namespace and its region.

template <class W>
std::size_t count_changes(const W* words, std::size_t count) {
  constexpr std::size_t piece = 128;  // whose changes a byte can count
  std::size_t changes = 0;
  for (std::size_t begin = 0; begin < count; begin += piece) {
    W here = 0;  // as wide as the words, so that they fill vectors
    for (std::size_t i = begin; i < count && i < begin + piece; ++i)
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

template <class W>
BitSums sum_bit_lengths(const W* words, std::size_t count, W least, std::size_t first) {
  std::uint32_t offsets = 0, neighbours = 0, others = 0, second = 0;
  for (std::size_t i = 0; i < count; ++i) offsets += core::bit_length(static_cast<W>(words[i] - least));
  for (std::size_t i = first; i < count; ++i) {
    neighbours += core::bit_length(zigzag_of(static_cast<W>(words[i] - words[i - 1])));
    others += core::bit_length(zigzag_of(static_cast<W>(words[i] - words[i - 2])));
  }
  for (std::size_t i = 2; i < count; ++i)
    second += core::bit_length(zigzag_of(static_cast<W>(words[i] - 2 * words[i - 1] + words[i - 2])));
  return {offsets, neighbours, others, second};
}

template <class W>
std::uint32_t sum_difference_bits(const W* words, std::size_t count, std::size_t stride, std::size_t first) {
  std::uint32_t bits = 0;
  for (std::size_t i = first; i < count; ++i)
    bits += core::bit_length(zigzag_of(static_cast<W>(words[i] - words[i - stride])));
  return bits;
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
  const W most = static_cast<W>(static_cast<W>(~W{0}) / odd), low = static_cast<W>((W{1} << twos) - 1);
  std::size_t multiples = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const W offset = static_cast<W>(words[i] - base), quotient = static_cast<W>(offset * inverse);
    multiples += static_cast<std::size_t>(quotient <= most) & static_cast<std::size_t>((offset & low) == 0);
  }
  return multiples;
}
