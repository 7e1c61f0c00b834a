#include "plan/lists/list_estimate.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/fixed_log.hpp"
#include "core/splitmix.hpp"
#include "encodings/word_order.hpp"
#include "plan/objective.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t min_chosen = 64;

/// The bits by which words are chosen: nearly equal floats are all chosen, or none of them.
template <core::Word W>
constexpr W upper_part(DType type) {
  constexpr unsigned lower = sizeof(W) == 8 ? 32 : 6;
  return static_cast<W>(is_float(type) ? ~W{0} << lower : ~W{0});
}

template <core::Word W>
constexpr W magnitude_of(W word) {
  return static_cast<W>(static_cast<W>(word << 1) >> 1);
}

/// Those of which hashes of these bits, but for signs of floats, begin alike.
template <core::Word W>
std::vector<W> choose_by(W bits, std::span<const W> words, DType type, unsigned part_bits) {
  if (is_float(type)) bits = magnitude_of(bits);
  std::vector<W> chosen;
  std::array<W, 1024> some;  // no branch for each word
  for (std::size_t first = 0; first < words.size(); first += some.size()) {
    std::size_t count = 0;
    for (const W word : words.subspan(first, std::min(some.size(), words.size() - first))) {
      const std::uint64_t hash = static_cast<W>(word & bits) * core::splitmix_step;
      some[count] = word;
      count += hash >> (64 - part_bits) == 1 ? 1 : 0;  // 0 often fills gaps
    }
    chosen.insert(chosen.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return chosen;
}

/// Of numbers that were chosen by these bits; sorts them, and leaves each once.
template <core::Word W>
ListEstimate estimate(std::vector<W>& chosen, W bits, unsigned part_bits) {
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  const std::uint64_t count = chosen.size();
  std::uint64_t cost = 0;
  for (auto at = chosen.begin() + 1; at != chosen.end(); ++at) {
    const std::uint64_t gap = core::fixed_log2(static_cast<std::uint64_t>(*at - at[-1]));
    // Between these, others were left out.
    const std::uint64_t longer = ((*at ^ at[-1]) & bits) != 0 ? part_bits * cost_of_bit : 0;
    // Gaps that are not all as long need two bits more than their logarithms say.
    cost += gap - std::min(gap, longer) + 2 * cost_of_bit;
  }
  return {count << part_bits, cost << part_bits};
}

/// What differences of positions in a list need on average, of which some words are known, sorted: of
/// neighbours, or of channels in turn.
template <core::Word W>
std::uint64_t position_cost(std::span<const W> known, std::span<const W> words, DType type,
                            unsigned part_bits) {
  constexpr std::uint64_t samples = 256, sign_and_spread = 2 * cost_of_bit;
  constexpr std::size_t max_channels = 4;
  const auto position_of = [&](W word) {
    const W number = in_order(word, order_of(type));
    const auto above = std::upper_bound(known.begin(), known.end(), number);
    const auto index = static_cast<std::uint64_t>(above - known.begin());
    if (index == 0 || above == known.end()) return index << part_bits;
    const W gap = static_cast<W>(*above - above[-1]), part = static_cast<W>(number - above[-1]);
    const auto between =
        static_cast<std::uint64_t>(static_cast<double>(part) / static_cast<double>(gap) * (1 << part_bits));
    return ((index - 1) << part_bits) + between;
  };
  const std::uint64_t step = (words.size() - max_channels) / samples;
  std::array<std::uint64_t, max_channels> costs{};
  for (std::uint64_t i = 0; i < samples; ++i) {
    const std::uint64_t position = position_of(words[i * step]);
    for (std::size_t channels = 1; channels <= max_channels; ++channels) {
      const std::uint64_t next = position_of(words[i * step + channels]);
      costs[channels - 1] += core::fixed_log2((position > next ? position - next : next - position) + 1);
    }
  }
  return *std::min_element(costs.begin(), costs.end()) / samples + sign_and_spread;
}

template <core::Word W>
std::optional<ListEstimates> estimate(std::span<const W> words, DType type, unsigned part_bits) {
  W bits = upper_part<W>(type);
  std::vector<W> chosen = choose_by(bits, words, type, part_bits);
  if (chosen.size() < min_chosen) chosen = choose_by(bits = static_cast<W>(~W{0}), words, type, part_bits);
  if (chosen.size() < min_chosen) return std::nullopt;
  std::vector<W> numbers;
  const auto estimate_of = [&](const auto& number_of) {
    numbers = chosen;
    std::transform(numbers.begin(), numbers.end(), numbers.begin(), number_of);
    return estimate(numbers, bits, part_bits);
  };
  ListEstimates estimates;
  estimates.words = estimate_of([&](W word) { return in_order(word, order_of(type)); });
  estimates.words.position_cost = position_cost<W>(numbers, words, type, part_bits);
  if (is_float(type)) estimates.magnitudes = estimate_of(magnitude_of<W>);
  return estimates;
}

}  // namespace

bool words_seem_to_repeat(const ColumnView& stream, std::uint64_t max_occurrences) {
  constexpr std::uint64_t window_words = 1024, looked_at_part = 8, min_repeating_part = 16;
  constexpr std::uint16_t chosen_slots = hash_slots / 64;
  return with_word(size_of(stream.type), [&]<class W>(W) {
    const std::span<const W> words = stream.words<W>();
    std::array<std::uint16_t, window_words> slots;
    std::vector<W> chosen;
    chosen.reserve(words.size() / looked_at_part * chosen_slots / hash_slots * 2);
    for (std::size_t first = 0; first + window_words <= words.size();
         first += looked_at_part * window_words) {
      const W* const window = words.data() + first;
      kernels().of<W>().hash_words(window, window_words, slots.data());
      for (std::size_t i = 0; i < window_words; ++i)
        if (slots[i] < chosen_slots && window[i] != 0) chosen.push_back(window[i]);  // 0 often fills gaps
    }
    std::sort(chosen.begin(), chosen.end());
    const auto different =
        static_cast<std::uint64_t>(std::unique(chosen.begin(), chosen.end()) - chosen.begin());
    return (chosen.size() - different) * min_repeating_part * looked_at_part >= chosen.size() &&
           different * max_occurrences >= chosen.size();
  });
}

std::optional<ListEstimates> estimate_lists(const ColumnView& stream, unsigned part_bits) {
  return with_word(size_of(stream.type),
                   [&]<class W>(W) { return estimate<W>(stream.words<W>(), stream.type, part_bits); });
}

}  // namespace floe::trees
