// Floats to multiples of a power of two and back. A translation unit includes this inside its namespace and
// its region; the compiler's vectorizer does what needs no order.

/// Where the bits of floats of so many bits lie.
template <class W>
struct FloatBits {
  using Float = std::conditional_t<sizeof(W) == 8, double, float>;
  static constexpr unsigned mantissa = sizeof(W) == 8 ? 52 : 23, all = 8 * sizeof(W);
  static constexpr W hidden = W{1} << mantissa, top_exponent = (W{1} << (all - 1 - mantissa)) - 1;
};

/// A word is on the grid if its exponent lies at most a mantissa below that of the grid. Its multiple is then
/// a float of the exponent that makes a part of it a whole number, and is not 0.
template <class W>
bool grid_to_multiples(const W* words, std::size_t count, unsigned exponent, W* multiples, W* low,
                       std::uint8_t* widths) {
  using Bits = FloatBits<W>;
  using Signed = std::make_signed_t<W>;
  constexpr W max_exponent = Bits::top_exponent / 2 + Bits::mantissa;
  const W moved = (max_exponent - static_cast<W>(exponent)) << Bits::mantissa;
  W failed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const W word = words[i], own = word >> Bits::mantissa & Bits::top_exponent,
            distance = static_cast<W>(exponent) - own,  // wraps around if too large
        on_grid = W{0} - (static_cast<W>(distance <= Bits::mantissa) & static_cast<W>(own != 0)),
            shift = distance & on_grid;
    if constexpr (sizeof(W) == 4) {
      multiples[i] =
          static_cast<W>(static_cast<Signed>(std::bit_cast<typename Bits::Float>((word + moved) & on_grid)));
    } else {
      const W mantissa = Bits::hidden | (word & (Bits::hidden - 1)), sign = W{0} - (word >> (Bits::all - 1));
      multiples[i] = (((mantissa >> shift) ^ sign) - sign) & on_grid;
    }
    low[i] = word & ((W{1} << shift) - 1);
    widths[i] = static_cast<std::uint8_t>(shift);
    failed |= word & ~on_grid;
  }
  return failed == 0;
}

/// Numbers convert exactly; what is missing of their mantissas shows in their exponents.
template <class W>
std::size_t grid_to_floats(W* words, std::size_t count, unsigned exponent, std::uint8_t* widths) {
  using Bits = FloatBits<W>;
  using Signed = std::make_signed_t<W>;
  constexpr W max_exponent = Bits::top_exponent / 2 + Bits::mantissa;
  const W moved = (static_cast<W>(exponent) - max_exponent) << Bits::mantissa;
  W sum = 0, bad = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const W word = std::bit_cast<W>(static_cast<typename Bits::Float>(static_cast<Signed>(words[i])));
    const W used = W{0} - static_cast<W>(word != 0),
            width = (max_exponent - (word >> Bits::mantissa & Bits::top_exponent)) & used;
    words[i] = (word + moved) & used;
    widths[i] = static_cast<std::uint8_t>(width);
    sum += width & 63;
    bad |= static_cast<W>(width > Bits::mantissa) | static_cast<W>(width >= exponent);
  }
  return bad != 0 ? ~std::size_t{0} : static_cast<std::size_t>(sum);
}

template <class W>
std::size_t grid_put_low(W* words, std::size_t count, const std::uint8_t* widths, const std::uint8_t* bits,
                         std::size_t at) {
  const auto mask = [](unsigned width) { return (std::uint64_t{1} << width) - 1; };
  std::size_t i = 0;
  if constexpr (sizeof(W) == 4) {  // the bits of two words fit into what one load brings
    for (; i + 2 <= count; i += 2) {
      std::uint64_t low;
      std::memcpy(&low, bits + at / 8, sizeof low);
      low >>= at % 8;
      const unsigned first = widths[i], second = widths[i + 1];
      words[i] |= static_cast<W>(low & mask(first));
      words[i + 1] |= static_cast<W>(low >> first & mask(second));
      at += first + second;
    }
  }
  for (; i < count; ++i) {
    std::uint64_t low;
    std::memcpy(&low, bits + at / 8, sizeof low);
    words[i] |= static_cast<W>(low >> (at % 8) & mask(widths[i]));
    at += widths[i];
  }
  return at;
}

/// The bits of neighbouring words that go into one number: all eight bytes of `low` and their widths.
struct JoinedLow {
  std::uint64_t bits;
  std::uint64_t width;
};
template <class W>
JoinedLow join_low(const W* low, const std::uint8_t* widths) {
  if constexpr (sizeof(W) == 2) {
    std::uint64_t all;
    std::uint32_t width;
    std::memcpy(&all, low, sizeof all);
    std::memcpy(&width, widths, sizeof width);
    const std::uint64_t first = width & 0xFF, second = first + (width >> 8 & 0xFF),
                        third = second + (width >> 16 & 0xFF);
    return {
        (all & 0xFFFF) | (all >> 16 & 0xFFFF) << first | (all >> 32 & 0xFFFF) << second | all >> 48 << third,
        third + (width >> 24)};
  } else if constexpr (sizeof(W) == 4) {
    std::uint64_t both;
    std::uint16_t width;
    std::memcpy(&both, low, sizeof both);
    std::memcpy(&width, widths, sizeof width);
    const std::uint64_t first = width & 0xFF;
    return {(both & 0xFFFFFFFF) | both >> 32 << first, first + (width >> 8)};
  } else {
    return {*low, *widths};
  }
}

/// Words are joined side by side; numbers go behind each other two at a time where they are few bits.
template <class W>
std::size_t grid_pack_low(const W* low, std::size_t count, const std::uint8_t* widths, std::uint8_t* bits,
                          std::size_t at) {
  constexpr std::size_t joined = sizeof(std::uint64_t) / sizeof(W), numbers = 32;
  constexpr std::uint64_t max_bits = 56;
  std::uint8_t* to = bits + at / 8;
  unsigned used = at % 8;
  std::uint64_t pending = used == 0 ? 0 : *to & ((1U << used) - 1);
  const auto put = [&](std::uint64_t some, std::uint64_t width) {
    pending |= some << used;
    used += static_cast<unsigned>(width);
    std::memcpy(to, &pending, sizeof pending);
    to += used / 8;
    pending >>= used & ~7U;
    used %= 8;
  };
  std::size_t i = 0;
  for (; i + numbers * joined <= count; i += numbers * joined) {
    std::uint64_t all[numbers], all_widths[numbers];
    for (std::size_t k = 0; k < numbers; ++k) {
      const JoinedLow some = join_low(low + i + joined * k, widths + i + joined * k);
      all[k] = some.bits;
      all_widths[k] = some.width;
    }
    for (std::size_t k = 0; k < numbers; k += 2) {
      if (all_widths[k] + all_widths[k + 1] <= max_bits) {
        put(all[k] | all[k + 1] << all_widths[k], all_widths[k] + all_widths[k + 1]);
      } else {
        put(all[k], all_widths[k]);
        put(all[k + 1], all_widths[k + 1]);
      }
    }
  }
  for (; i < count; ++i) put(low[i], widths[i]);
  return static_cast<std::size_t>(to - bits) * 8 + used;
}

template <class W>
constexpr GridKernels<W> grid_kernels() {
  return {grid_to_multiples<W>, grid_to_floats<W>, grid_put_low<W>, grid_pack_low<W>};
}

inline bool short_grid_to_multiples(const std::uint16_t* words, std::size_t count, unsigned precision,
                                    unsigned exponent, std::uint16_t* multiples, std::uint16_t* low,
                                    std::uint8_t* widths) {
  const std::uint32_t mantissa_bits = precision - 1, hidden = 1U << mantissa_bits,
                      top_exponent = (1U << (16 - precision)) - 1;
  std::uint32_t failed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t word = words[i], own = word >> mantissa_bits & top_exponent,
                        distance = exponent - own,  // wraps around if too large
        on_grid = 0U - (static_cast<std::uint32_t>(distance <= mantissa_bits) &
                        static_cast<std::uint32_t>(own != 0)),
                        shift = distance & on_grid, mantissa = hidden | (word & (hidden - 1)),
                        sign = 0U - (word >> 15);
    multiples[i] = static_cast<std::uint16_t>((((mantissa >> shift) ^ sign) - sign) & on_grid);
    low[i] = static_cast<std::uint16_t>(word & ((1U << shift) - 1));
    widths[i] = static_cast<std::uint8_t>(shift);
    failed |= word & ~on_grid;
  }
  return failed == 0;
}

inline std::size_t short_grid_to_floats(std::uint16_t* words, std::size_t count, unsigned precision,
                                        unsigned exponent, std::uint8_t* widths) {
  using Bits = FloatBits<std::uint32_t>;
  const std::uint32_t mantissa_bits = precision - 1,
                      max_exponent =
                          Bits::top_exponent / 2 + mantissa_bits;  // the exponent of the largest multiples
  std::uint32_t sum = 0, bad = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::int32_t>(static_cast<std::int16_t>(words[i]));
    const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    const std::uint32_t used = 0U - static_cast<std::uint32_t>(word != 0),
                        width = (max_exponent - (word >> Bits::mantissa & Bits::top_exponent)) & used,
                        mantissa = (word & (Bits::hidden - 1)) >> (Bits::mantissa - mantissa_bits),
                        magnitude = (((exponent - width) << mantissa_bits) + mantissa) & 0x7FFF;
    words[i] = static_cast<std::uint16_t>((word >> 31 << 15 | magnitude) & used);
    widths[i] = static_cast<std::uint8_t>(width);
    sum += width & 15;
    bad |= static_cast<std::uint32_t>(width > mantissa_bits) | static_cast<std::uint32_t>(width >= exponent);
  }
  return bad != 0 ? ~std::size_t{0} : std::size_t{sum};
}

/// The bits of four words, of which each lacks up to 10, fit into what one load brings.
inline std::size_t short_grid_put_low(std::uint16_t* words, std::size_t count, const std::uint8_t* widths,
                                      const std::uint8_t* bits, std::size_t at) {
  std::size_t i = 0;
  while (i < count) {
    std::uint64_t low;
    std::memcpy(&low, bits + at / 8, sizeof low);
    low >>= at % 8;
    for (const std::size_t end = std::min<std::size_t>(i + 4, count); i < end; ++i) {
      const unsigned width = widths[i];
      words[i] = static_cast<std::uint16_t>(words[i] | (low & ((1U << width) - 1)));
      low >>= width;
      at += width;
    }
  }
  return at;
}
