// Maps of words in place. A translation unit includes this inside its namespace and its region; the
// compiler's vectorizer does the rest.

/// All bits set if the top bit is.
template <class W>
inline W sign_mask_of(W word) {
  return static_cast<W>(W{0} - static_cast<W>(word >> (core::word_bits<W> - 1)));
}

template <class W>
inline W turned(W word) {
  return static_cast<W>(word ^ static_cast<W>(sign_mask_of(word) >> 1));
}

template <class W>
void turn_words(const W* from, W* to, std::size_t count) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < count; ++i) to[i] = turned(from[i]);
}

/// Vectors are read before any of their words is written.
template <bool turns, class W>
void subtract_vectors(const W* words, const W* before, W* to, std::size_t count) {
  using Vector __attribute__((vector_size(vector_bytes))) = W;
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(W);
  const auto load = [](const W* from, Vector& vector) {
    std::memcpy(&vector, from, sizeof vector);
    if (turns) vector ^= (Vector{} - (vector >> (core::word_bits<W> - 1))) >> 1;
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Vector differences, subtrahends;
    load(words + i, differences);
    load(before + i, subtrahends);
    differences -= subtrahends;
    std::memcpy(to + i, &differences, sizeof differences);
  }
  const auto one = [](W word) { return turns ? turned(word) : word; };
  for (; i < count; ++i) to[i] = static_cast<W>(one(words[i]) - one(before[i]));
}
template <class W>
void subtract_words(const W* words, const W* before, W* to, std::size_t count, bool turns) {
  return turns ? subtract_vectors<true>(words, before, to, count)
               : subtract_vectors<false>(words, before, to, count);
}

/// Products of words below 32 bits would be signed.
template <class W>
using Multiplied = std::conditional_t<(sizeof(W) < 4), std::uint32_t, W>;

template <class W>
void scale_words(W* words, std::size_t count, W factor, W base) {
  for (std::size_t i = 0; i < count; ++i) words[i] = static_cast<W>(Multiplied<W>{words[i]} * factor + base);
}

template <class W>
void join_words(W* words, const W* remainders, std::size_t count, W divisor, bool by_magnitude) {
  if (by_magnitude) {
    constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
    for (std::size_t i = 0; i < count; ++i) {
      const W sign = sign_mask_of(words[i]);
      const W quotient = static_cast<W>(words[i] ^ sign);
      words[i] = static_cast<W>(static_cast<W>(Multiplied<W>{quotient} * divisor + remainders[i]) ^
                                static_cast<W>(sign & top));
    }
  } else {
    for (std::size_t i = 0; i < count; ++i)
      words[i] = static_cast<W>(Multiplied<W>{words[i]} * divisor + remainders[i]);
  }
}

/// Writes a vector at a time: most runs are short, and how short is as good as random.
template <class W>
std::size_t repeat_words(Runs<W>& runs, W* words, std::size_t count) {
  using Vector __attribute__((vector_size(vector_bytes < 32 ? vector_bytes : 32))) = W;
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(W);
  const std::uint32_t* const lengths = runs.lengths;
  const W* const values = runs.values;
  const std::size_t run_count = runs.count;
  std::size_t written = 0, next = runs.next, left = runs.left;
  while (written < count && next < run_count) {
    // Runs that end where a vector more still fits.
    for (; left + lanes <= count - written; left = lengths[next]) {
      const Vector vector = values[next] - Vector{};
      W* const to = words + written;
      std::memcpy(to, &vector, sizeof vector);
      for (std::size_t i = lanes; i < left; i += lanes) std::memcpy(to + i, &vector, sizeof vector);
      written += left;
      if (++next == run_count) {
        left = 0;
        break;
      }
    }
    if (next == run_count) break;
    const W value = values[next];
    const std::size_t part = left < count - written ? left : count - written;
    for (std::size_t i = 0; i < part; ++i) words[written + i] = value;
    written += part;
    left -= part;
    if (left == 0 && ++next < run_count) left = lengths[next];
  }
  runs.next = next;
  runs.left = static_cast<std::uint32_t>(left);
  return written;
}

template <class W, std::size_t parts>
void interleave_parts(const W* from, std::size_t distance, std::size_t rows, W* words) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t part = 0; part < parts; ++part) words[row * parts + part] = from[part * distance + row];
  }
}

/// Words of `a` and `b` by turns: those of their first or second halves.
template <bool second, class Vector, std::size_t... lane>
Vector interleave_halves(Vector a, Vector b, std::index_sequence<lane...>) {
  constexpr std::size_t lanes = sizeof...(lane), first = second ? lanes / 2 : 0;
  return __builtin_shufflevector(a, b, static_cast<int>(lane % 2 * lanes + first + lane / 2)...);
}

/// Squares of words, with as many on a side as a vector has: shuffled as often as it takes to double 1 to
/// that. Returns how many parts and rows are in squares.
template <class W>
std::pair<std::size_t, std::size_t> interleave_squares(const W* from, std::size_t distance, std::size_t parts,
                                                       std::size_t rows, W* words) {
  using Vector __attribute__((vector_size(16))) = W;
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(W);
  constexpr std::make_index_sequence<lanes> all;
  const std::size_t whole_parts = parts - parts % lanes, whole_rows = rows - rows % lanes;
  for (std::size_t part = 0; part < whole_parts; part += lanes) {
    for (std::size_t row = 0; row < whole_rows; row += lanes) {
      Vector square[lanes], shuffled[lanes];
      for (std::size_t i = 0; i < lanes; ++i)
        std::memcpy(&square[i], from + (part + i) * distance + row, sizeof(Vector));
      for (std::size_t turn = 1; turn < lanes; turn *= 2) {
        for (std::size_t i = 0; i < lanes / 2; ++i) {
          shuffled[2 * i] = interleave_halves<false>(square[i], square[i + lanes / 2], all);
          shuffled[2 * i + 1] = interleave_halves<true>(square[i], square[i + lanes / 2], all);
        }
        for (std::size_t i = 0; i < lanes; ++i) square[i] = shuffled[i];
      }
      for (std::size_t i = 0; i < lanes; ++i)
        std::memcpy(words + (row + i) * parts + part, &square[i], sizeof(Vector));
    }
  }
  return {whole_parts, whole_rows};
}

template <class W>
void interleave_many(const W* from, std::size_t distance, std::size_t parts, std::size_t rows, W* words) {
  const auto [whole_parts, whole_rows] = interleave_squares(from, distance, parts, rows, words);
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t row = part < whole_parts ? whole_rows : 0; row < rows; ++row)
      words[row * parts + part] = from[part * distance + row];
  }
}

template <class W>
void interleave_words(const W* from, std::size_t distance, std::size_t parts, std::size_t rows, W* words) {
  switch (parts) {
    case 2:
      return interleave_parts<W, 2>(from, distance, rows, words);
    case 3:
      return interleave_parts<W, 3>(from, distance, rows, words);
    case 4:
      return interleave_parts<W, 4>(from, distance, rows, words);
    case 8:
      return interleave_parts<W, 8>(from, distance, rows, words);
    default:
      return interleave_many(from, distance, parts, rows, words);
  }
}
