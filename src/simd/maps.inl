// Maps of words in place. A translation unit includes this inside its namespace and its region; the
// compiler's vectorizer does the rest.

/// All bits set if the top bit is.
template <class W>
inline W sign_mask_of(W word) {
  return static_cast<W>(W{0} - static_cast<W>(word >> (core::word_bits<W> - 1)));
}

template <class W>
void turn_words(const W* from, W* to, std::size_t count) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<W>(from[i] ^ static_cast<W>(sign_mask_of(from[i]) >> 1));
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
  using Vector __attribute__((vector_size(vector_bytes))) = W;
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(W);
  std::size_t written = 0, next = runs.next, left = runs.left;
  while (written < count && next < runs.count) {
    const W value = runs.values[next];
    const std::size_t part = left < count - written ? left : count - written;
    W* const to = words + written;
    if (written + part + lanes <= count) {
      const Vector vector = value - Vector{};
      for (std::size_t i = 0; i < part; i += lanes) std::memcpy(to + i, &vector, sizeof vector);
    } else {
      for (std::size_t i = 0; i < part; ++i) to[i] = value;
    }
    written += part;
    left -= part;
    if (left == 0 && ++next < runs.count) left = runs.lengths[next];
  }
  runs.next = next;
  runs.left = static_cast<std::uint32_t>(left);
  return written;
}
