// A weighted sum of what contexts say of a bit: docs/format/text.md, "Mixing".
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace floe::pipeline {

/// Weights of several sets are added up, and learn the same. Sums of products of numbers of 16 bits are what
/// all processors have vectors for.
class TextMixer {
 public:
  static constexpr std::size_t input_count = 10, set_count = 5, lanes = 16;
  using Inputs = std::array<std::int16_t, input_count>;
  using Sets = std::array<std::size_t, set_count>;

  /// May throw std::bad_alloc.
  explicit TextMixer(const Sets& set_sizes) {
    Weights first{};
    std::fill_n(first.of.begin(), input_count, first_weight);
    for (std::size_t i = 0; i < set_count; ++i) weights_[i].assign(set_sizes[i], first);
  }

#if defined(__SSE2__)
  /// The sum of products with the weights that the sets say.
  [[nodiscard]] std::int32_t mix(const Inputs& inputs, const Sets& sets) noexcept {
    for (std::size_t i = 0; i < set_count; ++i) chosen_[i] = &weights_[i][sets[i]];
    low_ = _mm_setr_epi16(inputs[0], inputs[1], inputs[2], inputs[3], inputs[4], inputs[5], inputs[6],
                          inputs[7]);
    high_ = _mm_setr_epi16(inputs[8], inputs[9], 0, 0, 0, 0, 0, 0);
    __m128i low = chosen_[0]->low(), high = chosen_[0]->high();
    for (std::size_t i = 1; i < set_count; ++i) {
      low = _mm_adds_epi16(low, chosen_[i]->low());
      high = _mm_adds_epi16(high, chosen_[i]->high());
    }
    __m128i sums = _mm_add_epi32(_mm_madd_epi16(low, low_), _mm_madd_epi16(high, high_));
    sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4E));
    sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xB1));
    return _mm_cvtsi128_si32(sums) >> weight_bits;
  }
  /// Of the bit that was mixed last.
  void learn(std::int32_t error) noexcept {
    const __m128i errors = _mm_set1_epi16(static_cast<std::int16_t>(4 * error));
    const __m128i low = product(low_, errors), high = product(high_, errors);
    for (Weights* weights : chosen_) {
      _mm_store_si128(weights->vectors(), _mm_adds_epi16(weights->low(), low));
      _mm_store_si128(weights->vectors() + 1, _mm_adds_epi16(weights->high(), high));
    }
  }
#else
  /// The sum of products with the weights that the sets say.
  [[nodiscard]] std::int32_t mix(const Inputs& inputs, const Sets& sets) noexcept {
    inputs_ = inputs;
    for (std::size_t i = 0; i < set_count; ++i) chosen_[i] = &weights_[i][sets[i]];
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < input_count; ++i) {
      std::int32_t weight = chosen_[0]->of[i];
      for (std::size_t k = 1; k < set_count; ++k) weight = limited(weight + chosen_[k]->of[i]);
      sum += weight * inputs[i];
    }
    return sum >> weight_bits;
  }
  /// Of the bit that was mixed last.
  void learn(std::int32_t error) noexcept {
    for (std::size_t i = 0; i < input_count; ++i) {
      const std::int32_t step = (inputs_[i] * error + (std::int32_t{1} << 13)) >> 14;
      for (Weights* weights : chosen_) weights->of[i] = limited(weights->of[i] + step);
    }
  }
#endif

 private:
  static constexpr int weight_bits = 14;
  static constexpr std::int16_t first_weight = 393;

  struct alignas(32) Weights {
    std::array<std::int16_t, lanes> of;
#if defined(__SSE2__)
    __m128i* vectors() noexcept { return reinterpret_cast<__m128i*>(of.data()); }
    __m128i low() noexcept { return _mm_load_si128(vectors()); }
    __m128i high() noexcept { return _mm_load_si128(vectors() + 1); }
#endif
  };
#if defined(__SSE2__)
  /// Products divided by 2^16, rounded to the nearest.
  static __m128i product(__m128i inputs, __m128i errors) noexcept {
    const __m128i twice = _mm_mulhi_epi16(_mm_add_epi16(inputs, inputs), errors);
    return _mm_srai_epi16(_mm_add_epi16(twice, _mm_set1_epi16(1)), 1);
  }
  __m128i low_{}, high_{};
#else
  static std::int16_t limited(std::int32_t sum) noexcept {
    return static_cast<std::int16_t>(std::clamp(sum, -32768, 32767));
  }
  Inputs inputs_{};
#endif

  std::array<std::vector<Weights>, set_count> weights_;
  std::array<Weights*, set_count> chosen_{};
};

}  // namespace floe::pipeline
