// Normal equations of weighted sums. A translation unit includes this inside its namespace and its region.
// Nothing here may be contracted to fused operations; the flags of the build forbid it.

/// Adds up several words to a sum while it is in a register, one after the other.
inline void add_equations(const double* __restrict before, std::size_t stride, const double* __restrict words,
                          const double* __restrict weights, std::size_t unknowns, double* __restrict matrix,
                          double* __restrict right) {
  constexpr std::size_t n = LinearKernels::equations_at_once;
  for (std::size_t i = 0; i < unknowns; ++i) {
    double weighed[n];
    for (std::size_t k = 0; k < n; ++k) {
      weighed[k] = weights[k] * before[k * stride + i];
      right[i] += weighed[k] * words[k];
    }
    double* __restrict const row = matrix + i * unknowns;
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = row[j];
      for (std::size_t k = 0; k < n; ++k) sum += weighed[k] * before[k * stride + j];
      row[j] = sum;
    }
  }
}

inline std::int64_t sum_for(const std::int64_t* end, const std::int64_t* weights,
                            const std::uint32_t* distances, std::size_t weight_count) {
  std::uint64_t sum = 0;
  for (std::size_t j = 0; j < weight_count; ++j)
    sum += static_cast<std::uint64_t>(weights[j]) * static_cast<std::uint64_t>(*(end - distances[j]));
  return static_cast<std::int64_t>(sum);
}
