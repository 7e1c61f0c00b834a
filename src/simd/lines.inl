// What lines are fitted by. A translation unit includes this inside its namespace and its region, after
// affine.inl. Nothing here may be contracted to fused operations; the flags of the build forbid it.

/// Intervals of every so-many-th point, so that none waits for the one before.
struct Intervals {
  static constexpr std::size_t count = 8;
  double low[count], high[count];

  Intervals(double min, double max) {
    for (std::size_t i = 0; i < count; ++i) {
      low[i] = min;
      high[i] = max;
    }
  }
  void cut(std::size_t i, double a, double b) {
    low[i] = low[i] < a ? a : low[i];
    high[i] = b < high[i] ? b : high[i];
  }
  /// Calls function(position in its group, point) for all points.
  template <class Function>
  static void for_groups(std::size_t points, const Function& function) {
    std::size_t first = 0;
    for (; first + count <= points; first += count)
      for (std::size_t i = 0; i < count; ++i) function(i, first + i);
    for (std::size_t i = 0; first + i < points; ++i) function(i, first + i);
  }
  [[nodiscard]] Interval common() const {
    Interval all{low[0], high[0]};
    for (std::size_t i = 1; i < count; ++i) {
      all.low = all.low < low[i] ? low[i] : all.low;
      all.high = high[i] < all.high ? high[i] : all.high;
    }
    return all;
  }
};

inline Interval steps_of_points(const LinePoints& points, double offset) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  Intervals steps(0, endless);
  Intervals::for_groups(points.count, [&](std::size_t i, std::size_t at) {
    const double moved = points.steps[at] + offset, a = (points.values[at] - points.halves[at]) / moved,
                 b = (points.values[at] + points.halves[at]) / moved, min = b < a ? b : a,
                 max = a < b ? b : a;
    const bool is_near = (moved < 0 ? -moved : moved) < 1;
    steps.cut(i, is_near ? 0 : min, is_near ? endless : max);
  });
  return steps.common();
}

inline Interval offsets_of_points(const LinePoints& points, double step) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  Intervals offsets(-endless, endless);
  Intervals::for_groups(points.count, [&](std::size_t i, std::size_t at) {
    const double offset = points.values[at] - points.steps[at] * step;
    offsets.cut(i, offset - points.halves[at], offset + points.halves[at]);
  });
  return offsets.common();
}

template <class F>
std::size_t put_on_line(const AffineLine& line, const double* integers, const double* values,
                        std::size_t count, double* on_line) {
  return with_form<F>(line.form, [&]<AffineForm form>() {
    const double step = line.step, offset = line.offset;
    std::uint64_t misses = 0;
    for (std::size_t i = 0; i < count; ++i) {
      on_line[i] = static_cast<double>(float_on<F>(form, step, offset, integers[i]));
      misses += on_line[i] != values[i] ? 1 : 0;
    }
    return static_cast<std::size_t>(misses);
  });
}

/// The nearest integer, the even one of two. From 2^52 on, all doubles are integers. Without branches, so
/// that loops become vectors.
inline double rounded(double value) {
  constexpr double rounds = 0x1p52;
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value), sign = bits & top, size = bits ^ sign,
                      integer = std::bit_cast<std::uint64_t>(std::bit_cast<double>(size) + rounds - rounds);
  const std::uint64_t has_fraction = size < std::bit_cast<std::uint64_t>(rounds) ? ~std::uint64_t{0} : 0;
  return std::bit_cast<double>((integer & has_fraction) | (size & ~has_fraction) | sign);
}

template <class F>
std::size_t put_nearest_on_line(const AffineLine& line, const double* values, std::size_t count,
                                double* on_line) {
  return with_form<F>(line.form, [&]<AffineForm form>() {
    const double step = line.step, offset = line.offset;
    std::uint64_t misses = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double integer = rounded(in_double(form) == AffineForm::sum       ? (values[i] - offset) / step
                                     : in_double(form) == AffineForm::product ? values[i] / step - offset
                                                                              : values[i] * step - offset);
      on_line[i] = static_cast<double>(float_on<F>(form, step, offset, integer));
      misses += on_line[i] != values[i] ? 1 : 0;
    }
    return static_cast<std::size_t>(misses);
  });
}

template <class F>
constexpr LineKernels line_kernels() {
  return {steps_of_points, offsets_of_points, put_on_line<F>, put_nearest_on_line<F>};
}
