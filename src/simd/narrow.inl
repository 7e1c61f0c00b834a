// Doubles that were floats to floats and back, see docs/format/encodings/narrow.md. To be included after
// decimal.inl, whose constants it has, and compiled like it: nothing may be contracted.

constexpr std::uint64_t sign_of_double = std::uint64_t{1} << 63;

/// A float as it is. What is not below the limit is no good.
struct KeptFloat {
  static constexpr double limit = std::numeric_limits<double>::infinity();
  double product, value;
  KeptFloat(float word, double) : product(static_cast<double>(word)), value(product) {}
};
/// The product with `power` is rounded to an integer and divided again; the sign is the float's.
struct RoundedFloat {
  static constexpr double limit = 2251799813685248.0;  // 2^51
  double product, value;
  RoundedFloat(float word, double power) : product(static_cast<double>(word) * power) {
    const double rounded = (product + to_integer - to_integer) / power;
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(rounded) |
                                  (std::bit_cast<std::uint64_t>(static_cast<double>(word)) & sign_of_double));
  }
};
/// The upper bit is 1 if a product is no good, or no number.
template <class Restored>
std::uint64_t is_outside(const Restored& restored) {
  return (std::bit_cast<std::uint64_t>(restored.product) & ~sign_of_double) +
         (sign_of_double - std::bit_cast<std::uint64_t>(Restored::limit));
}

/// Powers of ten for floats with so many significant digits.
inline void find_powers(const float* floats, std::size_t count, const PowersOfDecades& of_decades,
                        double* powers) {
  constexpr std::uint32_t magnitude = 0x7FFFFFFF;
  for (std::size_t i = 0; i < count; ++i)
    powers[i] = of_decades.all[decades.begun(std::bit_cast<std::uint32_t>(floats[i]) & magnitude)];
}

/// Calls `work` with pieces: where each begins, how long it is, its powers of ten, and std::true_type if
/// these are one for each float, otherwise std::false_type.
template <class Work>
void with_powers(const float* floats, std::size_t count, DecimalRounding rounding, const Work& work) {
  if (rounding.kind != DecimalRounding::significant) {
    const double power = core::power_of_ten(rounding.digits);
    work(std::size_t{0}, count, &power, std::false_type());
    return;
  }
  constexpr std::size_t piece = 1024;
  const PowersOfDecades& of_decades = powers_of_decades[rounding.digits];
  std::array<double, piece> powers;
  for (std::size_t first = 0; first < count; first += piece) {
    const std::size_t part = std::min(piece, count - first);
    find_powers(floats + first, part, of_decades, powers.data());
    work(first, part, powers.data(), std::true_type());
  }
}

template <class Restored, bool has_powers>
bool restore_doubles(const float* floats, std::size_t count, const double* powers, double* values) {
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Restored restored(floats[i], powers[has_powers ? i : 0]);
    values[i] = restored.value;
    outside |= is_outside(restored);
  }
  return outside < sign_of_double;
}

template <class Restored, bool has_powers>
void find_failed(const double* values, const float* floats, std::size_t count, const double* powers,
                 std::uint8_t* failed) {
  for (std::size_t i = 0; i < count; ++i) {
    const Restored restored(floats[i], powers[has_powers ? i : 0]);
    const std::uint64_t difference =
        std::bit_cast<std::uint64_t>(restored.value) ^ std::bit_cast<std::uint64_t>(values[i]);
    failed[i] =
        (difference | (is_outside(restored) & sign_of_double)) == 0 ? std::uint8_t{0} : std::uint8_t{1};
  }
}

template <class Restored>
bool floats_to_doubles(const float* floats, std::size_t count, DecimalRounding rounding, double* values) {
  bool is_good = true;
  with_powers(floats, count, rounding,
              [&]<class Each>(std::size_t first, std::size_t part, const double* powers, Each) {
                is_good &=
                    restore_doubles<Restored, Each::value>(floats + first, part, powers, values + first);
              });
  return is_good;
}

inline bool floats_to_doubles(const float* floats, std::size_t count, DecimalRounding rounding,
                              double* values) {
  return rounding.kind == DecimalRounding::none
             ? floats_to_doubles<KeptFloat>(floats, count, rounding, values)
             : floats_to_doubles<RoundedFloat>(floats, count, rounding, values);
}

template <class Restored>
std::size_t doubles_to_floats(const double* values, std::size_t count, DecimalRounding rounding,
                              float* floats, std::uint8_t* failed) {
  for (std::size_t i = 0; i < count; ++i) floats[i] = static_cast<float>(values[i]);
  with_powers(floats, count, rounding,
              [&]<class Each>(std::size_t first, std::size_t part, const double* powers, Each) {
                find_failed<Restored, Each::value>(values + first, floats + first, part, powers,
                                                   failed + first);
              });
  std::size_t failures = 0;
  for (std::size_t i = 0; i < count; ++i) failures += failed[i];
  return failures;
}

inline std::size_t doubles_to_floats(const double* values, std::size_t count, DecimalRounding rounding,
                                     float* floats, std::uint8_t* failed) {
  return rounding.kind == DecimalRounding::none
             ? doubles_to_floats<KeptFloat>(values, count, rounding, floats, failed)
             : doubles_to_floats<RoundedFloat>(values, count, rounding, floats, failed);
}
