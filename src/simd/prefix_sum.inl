// Prefix sums over words that are a stride apart. A translation unit includes this inside its namespace and
// its region, behind maps.inl.

template <class W, bool turns>
void add_last(W* __restrict words, W* __restrict last, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const W sum = static_cast<W>(words[i] + last[i]);
    last[i] = sum;
    words[i] = turns ? turned(sum) : sum;
  }
}
template <class W>
void add_last_words(W* words, W* last, std::size_t count, bool turns) {
  turns ? add_last<W, true>(words, last, count) : add_last<W, false>(words, last, count);
}

/// Word by word: the definition, and for what is left behind vectors.
template <class W>
void add_up_words(W* words, std::size_t count, std::size_t stride, W* history) {
  if (stride == 1) {
    W sum = history[0];
    for (std::size_t i = 0; i < count; ++i) words[i] = sum = static_cast<W>(sum + words[i]);
    history[0] = sum;
    return;
  }
  const std::size_t first = count < stride ? count : stride;
  for (std::size_t i = 0; i < first; ++i) words[i] = static_cast<W>(words[i] + history[i]);
  for (std::size_t i = first; i < count; ++i) words[i] = static_cast<W>(words[i] + words[i - stride]);
  if (count >= stride) {
    std::memcpy(history, words + count - stride, stride * sizeof(W));
  } else {
    std::memmove(history, history + count, (stride - count) * sizeof(W));
    std::memcpy(history + stride - count, words, count * sizeof(W));
  }
}

/// The sums of a row of `stride` words stay in vectors, of which the last one may have lanes too many: what
/// those write belongs to the next row, whose first vector is read before.
template <class W, std::size_t vector_size, std::size_t vectors>
void add_up_rows(W* words, std::size_t count, std::size_t stride, W* history) {
  using Vector __attribute__((vector_size(vector_size))) = W;
  constexpr std::size_t lanes = vector_size / sizeof(W), row = vectors * lanes;
  std::size_t i = 0;
  if (count >= stride + row) {
    W last[row] = {};
    std::memcpy(last, history, stride * sizeof(W));
    Vector sums[vectors];
    std::memcpy(sums, last, sizeof sums);
    Vector first, next;
    std::memcpy(&first, words, sizeof first);
    for (; i + stride + row <= count; i += stride) {
      std::memcpy(&next, words + i + stride, sizeof next);
      sums[0] += first;
      std::memcpy(words + i, &sums[0], sizeof(Vector));
      if constexpr (vectors > 1) {  // GCC warns of a loop that is never entered
        for (std::size_t v = 1; v < vectors; ++v) {
          Vector more;
          std::memcpy(&more, words + i + v * lanes, sizeof more);
          sums[v] += more;
          std::memcpy(words + i + v * lanes, &sums[v], sizeof(Vector));
        }
      }
      first = next;
    }
    std::memcpy(words + i, &first, sizeof first);
    std::memcpy(last, sums, sizeof sums);
    std::memcpy(history, last, stride * sizeof(W));
  }
  add_up_words(words + i, count - i, stride, history);
}

/// As many vectors as a row needs. In longer rows nothing waits for a store, and words need no registers.
template <class W, std::size_t vectors = 1>
void add_up_long_rows(W* words, std::size_t count, std::size_t stride, W* history) {
  constexpr std::size_t size = vector_bytes < 32 ? vector_bytes : 32, max_row_bytes = 96;
  if (stride * sizeof(W) <= vectors * size)
    return add_up_rows<W, size, vectors>(words, count, stride, history);
  if constexpr (vectors * size < max_row_bytes)
    return add_up_long_rows<W, vectors + 1>(words, count, stride, history);
  add_up_words(words, count, stride, history);
}

template <class W>
void add_up(W* words, std::size_t count, std::size_t stride, W* history) {
  const std::size_t bytes = stride * sizeof(W);
  if (stride == 1) return add_up_words(words, count, stride, history);
  if constexpr (sizeof(W) < 4) {
    if (bytes <= 4) return add_up_rows<W, 4, 1>(words, count, stride, history);
  }
  if (bytes <= 8) return add_up_rows<W, 8, 1>(words, count, stride, history);
  if (bytes <= 16) return add_up_rows<W, 16, 1>(words, count, stride, history);
  add_up_long_rows(words, count, stride, history);
}
