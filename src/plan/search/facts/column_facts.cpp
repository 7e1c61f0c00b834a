#include "plan/search/facts/column_facts.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/bits.hpp"
#include "core/fixed_log.hpp"

namespace floe::trees {
namespace {

/// Rows that are looked at: windows of neighbours.
constexpr std::uint64_t windows = 4, max_window_rows = min_rows_of_columns / windows;
/// Of longer rows, so many columns are looked at.
constexpr std::uint64_t max_columns = 64;
/// Parts of the range of all words; there are up to 65 lengths of differences.
constexpr unsigned range_bits = 6, max_classes = 65;

/// How many words of each column are of which class.
class ClassesOfColumns {
 public:
  explicit ClassesOfColumns(std::uint64_t columns) : counts_(columns * max_classes) {}
  void add(std::uint64_t column, unsigned of) { ++counts_[column * max_classes + of]; }

  /// What the classes of all words say of their columns, in 1/256 bit.
  [[nodiscard]] std::uint64_t information() const {
    std::array<std::uint32_t, max_classes> sums{};
    std::uint64_t apart = 0;
    for (std::size_t i = 0; i < counts_.size(); i += max_classes) {
      const auto column = std::span(counts_).subspan(i, max_classes);
      for (unsigned k = 0; k < max_classes; ++k) sums[k] += column[k];
      apart += bits_of(column);
    }
    const std::uint64_t joint = bits_of(sums);
    return joint - std::min(joint, apart);
  }

 private:
  static std::uint64_t bits_of(std::span<const std::uint32_t> counts) {
    // Few words make too little of many classes, by 1/2 ln 2 bit for each but one (Miller, "Note on the bias
    // of information estimates", 1955).
    constexpr std::uint64_t bias = 185;
    std::uint64_t words = 0, own = 0, classes = 0;
    for (const std::uint64_t count : counts) {
      words += count;
      own += count * core::fixed_log2(count);
      classes += count > 0 ? 1 : 0;
    }
    return classes == 0 ? 0 : words * core::fixed_log2(words) - own + (classes - 1) * bias;
  }

  std::vector<std::uint32_t> counts_;
};

/// Unsigned integers in the order of the numbers.
template <core::Word W>
W in_order(W word, DType type) {
  constexpr W sign = W{1} << (8 * sizeof(W) - 1);
  if (is_float(type)) return static_cast<W>((word & sign) != 0 ? ~word : word | sign);
  return static_cast<W>(is_signed(type) ? word ^ sign : word);
}

/// `taken` words of each row of the windows, which lie apart.
template <core::Word W>
std::vector<W> sample_of_rows(const ColumnView& from, std::uint64_t columns, std::uint64_t taken,
                              std::uint64_t window_rows) {
  const std::span<const W> words = from.words<W>();
  const std::uint64_t distance = (words.size() / columns - window_rows) / (windows - 1);
  std::vector<W> sample;
  sample.reserve(windows * window_rows * taken);
  for (std::uint64_t i = 0; i < windows * window_rows; ++i) {
    const std::uint64_t row = i / window_rows * distance + i % window_rows;
    for (std::uint64_t column = 0; column < taken; ++column)
      sample.push_back(in_order(words[row * columns + column * columns / taken], from.type));
  }
  return sample;
}

}  // namespace

std::uint64_t information_of_columns(const ColumnView& words, std::uint64_t all_columns) {
  const std::uint64_t columns = std::min(all_columns, max_columns),
                      window_rows = std::min(words.count / all_columns / windows, max_window_rows);
  return with_word(size_of(words.type), [&]<class W>(W) {
    const std::vector<W> sample = sample_of_rows<W>(words, all_columns, columns, window_rows);
    const auto [min, max] = std::ranges::minmax(sample);
    const unsigned bits = core::bit_length(std::uint64_t{static_cast<W>(max - min)}),
                   shift = bits - std::min(bits, range_bits);
    ClassesOfColumns magnitudes(columns), differences(columns);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const W word = sample[i];
      magnitudes.add(i % columns, static_cast<unsigned>(static_cast<W>(word - min) >> shift));
      if (i % (window_rows * columns) < columns) continue;
      const W before = sample[i - columns], difference = word > before ? word - before : before - word;
      differences.add(i % columns, core::bit_length(std::uint64_t{difference}));
    }
    return std::max(magnitudes.information(), differences.information()) / sample.size();
  });
}

}  // namespace floe::trees
