// Merging two streams by a stencil. A translation unit includes this inside its namespace and its region.

inline std::size_t count_marks(const std::uint8_t* marks, std::size_t count) {
  constexpr std::size_t piece = 128;  // whose marks a byte can count
  std::size_t all = 0;
  for (std::size_t begin = 0; begin < count; begin += piece) {
    const std::size_t end = begin + piece < count ? begin + piece : count;
    std::uint8_t here = 0;
    for (std::size_t i = begin; i < end; ++i)
      here = static_cast<std::uint8_t>(here + (marks[i] != 0 ? 1 : 0));
    all += here;
  }
  return all;
}

template <class W>
void merge_words(const std::uint8_t* picks, const W* first, const W* second, std::size_t count, W* words) {
  std::size_t i = 0, taken = 0;  // words of `second`
  for (; i + 8 <= count; i += 8) {
    if (core::load<std::uint64_t>(picks + i) == 0) {  // nearly always, where `second` has the outliers
      std::memcpy(words + i, first + (i - taken), 8 * sizeof(W));
      continue;
    }
    for (std::size_t j = i; j < i + 8; ++j) {
      const bool mark = picks[j] != 0;
      words[j] = mark ? second[taken] : first[j - taken];
      taken += mark ? 1 : 0;
    }
  }
  for (; i < count; ++i) {
    const bool mark = picks[i] != 0;
    words[i] = mark ? second[taken] : first[i - taken];
    taken += mark ? 1 : 0;
  }
}
