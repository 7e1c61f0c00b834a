// Normal equations of weighted sums: as many rows of the matrix at once as a vector has numbers, and several
// sums of a row, each in the order of the words. A translation unit that defines its vector of `lanes`
// numbers, Doubles, includes this inside its namespace and its region. Nothing here may be contracted to
// fused operations; the flags of the build forbid it.

/// Some rows of a matrix, and words whose numbers for these rows are weighed.
struct WeighedRows {
  static constexpr std::size_t rows = lanes, max_words = 128;

  /// The numbers of rows from `first` on. Adds to their right side.
  void weigh(const WeighedWords& all, std::size_t first, double* right) {
    Doubles sum = load(right + first);
    for (std::size_t k = 0; k < all.count; ++k) {
      const Doubles of_word =
          product(in_all_lanes(all.weights[k]), load(all.before + k * all.stride + first));
      store(numbers + k * rows, of_word);
      sum = added(sum, product(of_word, in_all_lanes(all.words[k])));
    }
    store(right + first, sum);
  }
  /// Adds to columns from `first` on, all sums of which are in registers.
  template <std::size_t vectors>
  void add(const WeighedWords& all, std::size_t first, double* matrix, std::size_t matrix_stride) const {
    Doubles sums[rows][vectors];
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t v = 0; v < vectors; ++v)
        sums[i][v] = load(matrix + i * matrix_stride + first + v * lanes);
    }
    for (std::size_t k = 0; k < all.count; ++k) {
      const double* const before = all.before + k * all.stride + first;
      Doubles columns[vectors];
      for (std::size_t v = 0; v < vectors; ++v) columns[v] = load(before + v * lanes);
      for (std::size_t i = 0; i < rows; ++i) {
        const Doubles weighed = in_all_lanes(numbers[k * rows + i]);
        for (std::size_t v = 0; v < vectors; ++v)
          sums[i][v] = added(sums[i][v], product(weighed, columns[v]));
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t v = 0; v < vectors; ++v)
        store(matrix + i * matrix_stride + first + v * lanes, sums[i][v]);
    }
  }

  alignas(Doubles) double numbers[rows * max_words];
};

/// As add_equations: squares of the matrix get what all words add to them.
void add_in_squares(const WeighedWords& all, std::size_t unknowns, double* matrix, double* right) {
  const std::size_t matrix_stride = LinearKernels::padded(unknowns);
  WeighedRows rows;
  WeighedWords some = all;
  for (std::size_t left = all.count; left > 0; left -= some.count) {
    some.count = std::min(left, WeighedRows::max_words);
    for (std::size_t i = 0; i < unknowns; i += WeighedRows::rows) {
      double* const of_rows = matrix + i * matrix_stride;
      rows.weigh(some, i, right);
      std::size_t j = 0;
      for (; j + lanes <= i; j += 2 * lanes) rows.add<2>(some, j, of_rows, matrix_stride);
      if (j <= i) rows.add<1>(some, j, of_rows, matrix_stride);
    }
    some.words += some.count;
    some.weights += some.count;
    some.before += some.count * some.stride;
  }
}
