// Integers on lines to floats and back. A translation unit includes this inside its namespace and its region.
// Nothing here may be contracted to fused operations; the flags of the build forbid it.

/// The bits of a float as a number in the order of floats, and back.
template <class W>
constexpr W turn_negative(W bits) {
  using Signed = std::make_signed_t<W>;
  const W sign = static_cast<W>(static_cast<Signed>(bits) < 0 ? ~W{0} : W{0});
  return static_cast<W>(bits ^ (sign >> 1));
}

/// The double of an integer from -2^51 to 2^51 - 1, which instruction sets without conversions of 64 bits
/// have, too.
inline double exact_double(std::int32_t integer) { return integer; }
inline double exact_double(std::int64_t integer) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(integer) + to_integer_bits) - to_integer;
}

template <class F, class I, AffineForm form>
bool line_to_floats(const I* integers, const std::int8_t* errors, std::size_t count, const double* steps,
                    const double* offsets, F* values) {
  using W = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  using Signed = std::make_signed_t<W>;
  constexpr std::uint64_t half = std::uint64_t{1} << 51;
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (sizeof(I) == 8) beyond |= static_cast<std::uint64_t>(integers[i]) + half;
    const F value = float_on<F>(form, steps[i], offsets[i], exact_double(integers[i]));
    const W number = static_cast<W>(turn_negative(std::bit_cast<W>(value)) +
                                    static_cast<W>(static_cast<Signed>(errors[i])));
    values[i] = std::bit_cast<F>(turn_negative(number));
  }
  return beyond < 2 * half;
}

template <class F, class I, AffineForm form>
std::size_t floats_to_line(const F* values, std::size_t count, const double* steps, const double* offsets,
                           I* integers, std::int8_t* errors, std::uint8_t* failed) {
  using W = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  constexpr double limit = sizeof(I) == 8 ? 2251799813685247.0 : 2147483647.0;
  constexpr W max_error = 127;
  std::size_t failures = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    const double scaled = in_double(form) == AffineForm::sum       ? (value - offsets[i]) / steps[i]
                          : in_double(form) == AffineForm::product ? value / steps[i] - offsets[i]
                                                                   : value * steps[i] - offsets[i];
    const double sum = scaled + to_integer;
    const double integer = sum - to_integer;
    const F on_line = float_on<F>(form, steps[i], offsets[i], integer);
    const W error =
        static_cast<W>(turn_negative(std::bit_cast<W>(values[i])) - turn_negative(std::bit_cast<W>(on_line)));
    // Without branches, so that compilers make vectors of it.
    const unsigned is_small = static_cast<unsigned>(scaled < limit) & static_cast<unsigned>(scaled > -limit);
    const unsigned is_near = static_cast<W>(error + max_error) <= 2 * max_error;
    integers[i] = static_cast<I>(std::bit_cast<std::uint64_t>(sum) - to_integer_bits);
    errors[i] = static_cast<std::int8_t>(error);
    failed[i] = static_cast<std::uint8_t>(1 ^ (is_small & is_near));
  }
  for (std::size_t i = 0; i < count; ++i) failures += failed[i];
  return failures;
}

/// Calls `work` with a form as a constant. Only floats of single precision have forms in single precision.
template <class F, class Work>
auto with_form(AffineForm form, const Work& work) {
  if constexpr (sizeof(F) == 4) {
    if (form == AffineForm::sum_in_single) return work.template operator()<AffineForm::sum_in_single>();
    if (form == AffineForm::product_in_single)
      return work.template operator()<AffineForm::product_in_single>();
    if (form == AffineForm::quotient_in_single)
      return work.template operator()<AffineForm::quotient_in_single>();
  }
  if (form == AffineForm::product) return work.template operator()<AffineForm::product>();
  if (form == AffineForm::quotient) return work.template operator()<AffineForm::quotient>();
  return work.template operator()<AffineForm::sum>();
}

template <class F, class I>
bool affine_to_floats(AffineForm form, const I* integers, const std::int8_t* errors, std::size_t count,
                      const double* steps, const double* offsets, F* values) {
  return with_form<F>(form, [&]<AffineForm of>() {
    return line_to_floats<F, I, of>(integers, errors, count, steps, offsets, values);
  });
}

template <class F, class I>
std::size_t affine_to_integers(AffineForm form, const F* values, std::size_t count, const double* steps,
                               const double* offsets, I* integers, std::int8_t* errors,
                               std::uint8_t* failed) {
  return with_form<F>(form, [&]<AffineForm of>() {
    return floats_to_line<F, I, of>(values, count, steps, offsets, integers, errors, failed);
  });
}

template <class F, class I>
constexpr AffineKernels<F, I> affine_kernels() {
  return {affine_to_integers<F, I>, affine_to_floats<F, I>};
}
