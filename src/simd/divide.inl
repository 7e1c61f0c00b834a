// Dividing a stream by a threshold, and finding the words that differ from one. A translation unit includes
// this inside its namespace and its region.

template <class W>
std::size_t divide_words(const W* words, std::size_t count, W base, W limit, std::uint8_t* marks, W* first,
                         W* second) {
  std::size_t taken = 0;  // words of `second`
  for (std::size_t i = 0; i < count; ++i) {
    const W word = words[i];
    const bool mark = static_cast<W>(word - base) > limit;
    marks[i] = mark ? 1 : 0;
    first[i - taken] = word;
    second[taken] = word;
    taken += mark ? 1 : 0;
  }
  return taken;
}

template <class W>
std::size_t mark_others(const W* words, std::size_t count, W word, std::uint64_t* masks) {
  std::size_t others = 0;
  for (std::size_t begin = 0; begin < count; begin += 64) {
    const std::size_t end = begin + 64 < count ? begin + 64 : count;
    std::uint64_t mask = 0;
    for (std::size_t i = begin; i < end; ++i)
      mask |= static_cast<std::uint64_t>(words[i] != word ? 1 : 0) << (i - begin);
    masks[begin / 64] = mask;
    others += static_cast<std::size_t>(std::popcount(mask));
  }
  return others;
}
