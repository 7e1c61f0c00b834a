// Counting words for statistics. A translation unit includes this inside its namespace and its region.

/// As series::in_order, without branches.
template <bool as_floats, class W>
inline W ordered_word(W word, W flip) {
  if constexpr (!as_floats) return static_cast<W>(word ^ flip);
  constexpr unsigned top = core::word_bits<W> - 1;
  const W negative = static_cast<W>(W{0} - static_cast<W>(word >> top));
  return static_cast<W>(word ^ static_cast<W>(negative | flip));
}

template <bool as_floats, class W>
inline void count_ordered_words(const W* words, std::size_t count, W flip, WordCounts<W>& counts) {
  W least = counts.least, most = counts.most, all = counts.bits_in_all, any = counts.bits_in_any, changes = 0, descents = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const W word = words[i];
    const W here = ordered_word<as_floats>(word, flip), before = ordered_word<as_floats>(words[static_cast<std::ptrdiff_t>(i) - 1], flip);
    least = least < here ? least : here;
    most = most > here ? most : here;
    all = static_cast<W>(all & word);
    any = static_cast<W>(any | word);
    changes = static_cast<W>(changes + (here != before ? 1 : 0));
    descents = static_cast<W>(descents + (here < before ? 1 : 0));
  }
  counts = {least, most, all, any, static_cast<W>(counts.changes + changes), static_cast<W>(counts.descents + descents)};
}

template <class W>
void count_words(const W* words, std::size_t count, WordOrder order, WordCounts<W>& counts) {
  constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  if (order == WordOrder::floats) return count_ordered_words<true>(words, count, top, counts);
  count_ordered_words<false>(words, count, order == WordOrder::signed_integers ? top : W{0}, counts);
}

template <class W>
inline W zigzag_of(W difference) {
  return static_cast<W>(static_cast<W>(difference << 1) ^ static_cast<W>(W{0} - static_cast<W>(difference >> (core::word_bits<W> - 1))));
}

template <class W>
BitSums sum_bit_lengths(const W* words, std::size_t count, W least, std::size_t first) {
  std::uint32_t offsets = 0, neighbours = 0, others = 0, second = 0;
  for (std::size_t i = 0; i < count; ++i) offsets += core::bit_length(static_cast<W>(words[i] - least));
  for (std::size_t i = first; i < count; ++i) {
    neighbours += core::bit_length(zigzag_of(static_cast<W>(words[i] - words[i - 1])));
    others += core::bit_length(zigzag_of(static_cast<W>(words[i] - words[i - 2])));
  }
  for (std::size_t i = 2; i < count; ++i) second += core::bit_length(zigzag_of(static_cast<W>(words[i] - 2 * words[i - 1] + words[i - 2])));
  return {offsets, neighbours, others, second};
}
