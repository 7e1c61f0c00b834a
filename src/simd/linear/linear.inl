// Normal equations of weighted sums. A translation unit includes this inside its namespace and its region.
// Nothing here may be contracted to fused operations; the flags of the build forbid it.

inline void add_equations(const WeighedWords& all, std::size_t unknowns, double* __restrict matrix,
                          double* __restrict right) {
  for (std::size_t k = 0; k < all.count; ++k) {
    const double* const before = all.before + k * all.stride;
    for (std::size_t i = 0; i < unknowns; ++i) {
      const double weighed = all.weights[k] * before[i];
      right[i] += weighed * all.words[k];
      double* const row = matrix + i * LinearKernels::padded(unknowns);
      for (std::size_t j = 0; j <= i; ++j) row[j] += weighed * before[j];
    }
  }
}

inline double error_of(const WeighedWords& all, const double* weights, std::size_t unknowns,
                       std::size_t word) {
  double left = all.words[word];
  for (std::size_t j = 0; j < unknowns; ++j) left -= weights[j] * all.before[word * all.stride + j];
  return std::fabs(left);
}

inline std::int64_t sum_for(const std::int64_t* end, const std::int64_t* weights,
                            const std::uint32_t* distances, std::size_t weight_count) {
  std::uint64_t sum = 0;
  for (std::size_t j = 0; j < weight_count; ++j)
    sum += static_cast<std::uint64_t>(weights[j]) * static_cast<std::uint64_t>(*(end - distances[j]));
  return static_cast<std::int64_t>(sum);
}
