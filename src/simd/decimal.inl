// Floats to scaled integers and back. A translation unit includes this inside its namespace and its region.
// Nothing here may be contracted to fused operations; the flags of the build forbid it.
//
// Adding 1.5 * 2^52 to a number below 2^51 rounds it to an integer, which the lower bits of the sum then
// hold.

constexpr double to_integer = 6755399441055744.0;
constexpr std::uint64_t to_integer_bits = 0x4338000000000000;

/// Multiplies by the inverse where that gives the same floats as the division. The product is within 2^-52 of
/// the quotient x / 10^d. What decides how a float is rounded are numbers M * 2^e, M odd and below 2^25. From
/// one that it differs from, a quotient is 2^-25 * 5^-d away, or more: for d <= 11 that is more than 2^-52.
/// It is one only if M * 5^d < 2^31, which means d <= 3; for these d the inverse is so close (2^-54) that the
/// product is exact.
inline void multiply_by_inverse(const std::int32_t* integers, std::size_t count, double power,
                                float* values) {
  const double inverse = 1 / power;
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(integers[i] * inverse);
}
constexpr double max_power_to_multiply = 1e11;

/// Conditions are joined by operators on bits: the compiler's vectorizer does not take branches.
template <class F, class I, bool multiplies>
std::size_t decimals_to_integers(const F* values, std::size_t count, double power, I* integers,
                                 std::uint8_t* failed) {
  using FloatBits = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  constexpr double limit = sizeof(I) == 8 ? 2251799813685248.0 : 2147483647.0;
  const double inverse = 1 / power;
  std::size_t failures = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double scaled = static_cast<double>(values[i]) * power;
    const bool is_small = (scaled < limit) & (scaled > -limit);
    const double sum = scaled + to_integer;
    const double integer = sum - to_integer;
    const F restored = static_cast<F>(multiplies ? integer * inverse : integer / power);
    const bool is_same = std::bit_cast<FloatBits>(restored) == std::bit_cast<FloatBits>(values[i]);
    integers[i] = static_cast<I>(std::bit_cast<std::uint64_t>(sum) - to_integer_bits);
    failed[i] = static_cast<std::uint8_t>((is_small & is_same) ? 0 : 1);
  }
  for (std::size_t i = 0; i < count; ++i) failures += failed[i];
  return failures;
}

/// A float that is an integer comes back from it; what does not is none, or too large.
inline std::size_t floats_to_integers(const float* values, std::size_t count, std::int32_t* integers,
                                      std::uint8_t* failed) {
  constexpr float limit = 2147483648.0F;
  std::size_t failures = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = std::bit_cast<std::uint32_t>(values[i]),
               is_small = static_cast<std::uint32_t>((values[i] < limit) & (values[i] > -limit));
    integers[i] = static_cast<std::int32_t>(std::bit_cast<float>(word & (0U - is_small)));
    const auto restored = static_cast<float>(integers[i]);
    const bool is_same = std::bit_cast<std::uint32_t>(restored) == word;
    failed[i] = static_cast<std::uint8_t>(is_same ? 0 : 1);
  }
  for (std::size_t i = 0; i < count; ++i) failures += failed[i];
  return failures;
}

template <class F, class I>
std::size_t decimals_to_integers(const F* values, std::size_t count, double power, I* integers,
                                 std::uint8_t* failed) {
  if constexpr (sizeof(F) == 4) {
    if (power == 1) return floats_to_integers(values, count, integers, failed);
  }
  const bool multiplies = power == 1 || (sizeof(F) == 4 && power <= max_power_to_multiply);
  return multiplies ? decimals_to_integers<F, I, true>(values, count, power, integers, failed)
                    : decimals_to_integers<F, I, false>(values, count, power, integers, failed);
}

template <class F, class I>
bool integers_to_decimals(const I* integers, std::size_t count, double power, F* values) {
  if constexpr (sizeof(F) == 4) {
    if (power == 1) {
      for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<F>(integers[i]);
      return true;
    }
    if (power <= max_power_to_multiply) {
      multiply_by_inverse(integers, count, power, values);
      return true;
    }
  }
  if constexpr (sizeof(I) == 4) {
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<F>(integers[i] / power);
    return true;
  } else {
    std::uint64_t outside = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto integer = static_cast<std::uint64_t>(integers[i]);
      outside |= (integer + (std::uint64_t{1} << 51)) >> 52;
      values[i] = static_cast<F>((std::bit_cast<double>(integer + to_integer_bits) - to_integer) / power);
    }
    return outside == 0;
  }
}

template <class F, class I>
constexpr DecimalKernels<F, I> decimal_kernels() {
  return {decimals_to_integers<F, I>, integers_to_decimals<F, I>};
}
