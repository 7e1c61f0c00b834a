// Bit packing of 1024 words. A translation unit includes this inside its namespace and its region.
//
// The layout is the same for all words: memory is taken as rows of 1024 bits, each a row of 1024/W lanes of W
// bits. Row s of the words goes to bits s * width and up of each lane of the packed rows. So every step
// handles rows of sixteen 64-bit numbers, whatever W is: shifts of whole numbers, whose masks keep the bits
// of neighbouring lanes apart.

constexpr std::size_t row_bytes = 128;

/// The same bits in every lane of W bits.
template <class W>
constexpr std::uint64_t repeat(W bits) {
  return static_cast<std::uint64_t>(bits) * (~std::uint64_t{0} / static_cast<W>(~W{0}));
}
template <class W>
constexpr std::uint64_t lane_mask(unsigned bits) {
  return repeat<W>(core::low_mask<W>(bits));
}

using Numbers __attribute__((vector_size(vector_bytes))) = std::uint64_t;
template <class W>
struct LanesOf {
  using Type __attribute__((vector_size(vector_bytes))) = W;
};

template <class W>
void unpack_words(const std::uint8_t* packed, W base, unsigned width, W* vector) {
  constexpr unsigned bits = core::word_bits<W>;
  using Lanes = typename LanesOf<W>::Type;
  auto* const out = reinterpret_cast<std::uint8_t*>(vector);
  for (unsigned s = 0; s < bits; ++s) {
    const unsigned first = s * width, shift = first % bits, have = bits - shift;
    const std::uint8_t* const in = packed + first / bits * row_bytes;
    const bool is_split = shift + width > bits;  // over two rows
    const std::uint64_t low = lane_mask<W>(is_split ? have : width),
                        high = is_split ? lane_mask<W>(width) & ~low : 0;
    for (std::size_t at = 0; at < row_bytes; at += sizeof(Numbers)) {
      Numbers numbers = {};
      if (width > 0) {
        std::memcpy(&numbers, in + at, sizeof numbers);
        numbers = (numbers >> shift) & low;
      }
      if (is_split) {
        Numbers next;
        std::memcpy(&next, in + row_bytes + at, sizeof next);
        numbers |= (next << have) & high;
      }
      const Lanes words = reinterpret_cast<Lanes>(numbers) + base;
      std::memcpy(out + s * row_bytes + at, &words, sizeof words);
    }
  }
}

template <class W>
void pack_words(const W* vector, W base, unsigned width, std::uint8_t* packed) {
  constexpr unsigned bits = core::word_bits<W>;
  constexpr std::size_t parts = row_bytes / sizeof(Numbers);
  using Lanes = typename LanesOf<W>::Type;
  if (width == 0) return;
  const auto* const in = reinterpret_cast<const std::uint8_t*>(vector);
  const std::uint64_t kept = lane_mask<W>(width);
  Numbers pending[parts] = {};
  std::uint8_t* to = packed;
  for (unsigned s = 0, shift = 0; s < bits; ++s, shift = (shift + width) % bits) {
    const unsigned have = bits - shift;  // what the row that is begun has room for
    const std::uint64_t fits = lane_mask<W>(have);
    Numbers row[parts];
    for (std::size_t part = 0; part < parts; ++part) {
      Lanes words;
      std::memcpy(&words, in + s * row_bytes + part * sizeof words, sizeof words);
      row[part] = reinterpret_cast<Numbers>(words - base) & kept;
      pending[part] |= (row[part] & fits) << shift;
    }
    if (width < have) continue;
    std::memcpy(to, pending, row_bytes);
    to += row_bytes;
    const bool is_split = width > have;  // over two rows
    const std::uint64_t low = is_split ? lane_mask<W>(width - have) : 0;
    for (std::size_t part = 0; part < parts; ++part)
      pending[part] = is_split ? (row[part] >> have) & low : Numbers{};
  }
}
