#include "encodings/linear/weights.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "simd/linear/kernels.hpp"

namespace floe::trees {
namespace {

/// Of words that weights are found with: windows of neighbours, spread evenly.
constexpr std::size_t windows = 48, window_words = 96;
/// Rounds of least squares in which each word counts less the larger its error was, so that they come near
/// the fewest bits of all errors: first with every fourth of many windows, then with all. Rounds end earlier
/// if they save less than 1/64 bit per word.
struct Rounds {
  unsigned rough, all;
};
constexpr Rounds rounds_for_weights = {12, 10}, rounds_for_distances = {2, 1};
constexpr std::uint64_t min_gain = 4;
constexpr std::size_t rough_part = 4, min_windows_for_part = 16;
constexpr double largest_weight = 127, regularization = 1e-12;

/// Words of the stream that are looked at together, and the words before each, the nearest first.
struct Batch {
  std::size_t first;  ///< Its number among those that are looked at.
  std::span<const double> words;
  const double* before;
  std::size_t stride;  ///< From those before a word to those before the next one.

  [[nodiscard]] const double* before_word(std::size_t i) const { return before + i * stride; }
};

/// Normal equations: sums of products, and the solution. All in the order of the words, without
/// transcendental functions, so that it is the same everywhere.
class Equations {
 public:
  explicit Equations(std::size_t count)
      : count_(count), stride_(LinearKernels::padded(count)), matrix_(stride_ * stride_), right_(stride_) {}
  void clear() {
    std::fill(matrix_.begin(), matrix_.end(), 0.0);
    std::fill(right_.begin(), right_.end(), 0.0);
  }
  void add(const Batch& batch, const double* weights) {
    linear_kernels().add_equations(
        {batch.words.data(), weights, batch.words.size(), batch.before, batch.stride}, count_, matrix_.data(),
        right_.data());
  }
  /// Only those of some of the unknowns, in ascending order.
  void keep(std::span<const std::size_t> kept) {
    const std::size_t stride = LinearKernels::padded(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      right_[i] = right_[kept[i]];
      for (std::size_t j = 0; j <= i; ++j) matrix_[i * stride + j] = matrix_[kept[i] * stride_ + kept[j]];
    }
    count_ = kept.size();
    stride_ = stride;
  }
  /// By Cholesky's method, of which the right side stays. False if the matrix has no inverse.
  bool solve(std::vector<double>& solution) {
    std::vector<double> factors = matrix_;
    double trace = 0;
    for (std::size_t i = 0; i < count_; ++i) trace += factors[i * stride_ + i];
    if (!(trace > 0)) return false;
    for (std::size_t i = 0; i < count_; ++i) {
      double* const row = factors.data() + i * stride_;
      row[i] += trace * regularization;
      for (std::size_t j = 0; j <= i; ++j) {
        const double* const other = factors.data() + j * stride_;
        double sum = row[j];
        for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
        if (i == j && !(sum > 0)) return false;
        row[j] = i == j ? std::sqrt(sum) : sum / other[j];
      }
    }
    solution.assign(right_.begin(), right_.begin() + static_cast<std::ptrdiff_t>(count_));
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t k = 0; k < i; ++k) solution[i] -= factors[i * stride_ + k] * solution[k];
      solution[i] /= factors[i * stride_ + i];
    }
    for (std::size_t i = count_; i-- > 0;) {
      for (std::size_t k = i + 1; k < count_; ++k) solution[i] -= factors[k * stride_ + i] * solution[k];
      solution[i] /= factors[i * stride_ + i];
    }
    return true;
  }

 private:
  std::size_t count_, stride_;
  std::vector<double> matrix_, right_;
};

/// Words of the stream that weights are found with, and those at some distances before each: windows, each
/// from its last word to its first.
template <core::Word W>
class Examples {
 public:
  Examples(const Numbers<W>& numbers, std::span<const std::uint32_t> distances)
      : of_words_(numbers), distances_(distances), farthest_(distances.back()) {
    const std::size_t count = numbers.words.size(),
                      taken = std::clamp<std::size_t>(count / (distances.size() + window_words), 1, windows);
    used_ = std::min(farthest_ + window_words, count);
    const std::size_t room = count - used_;
    for (std::size_t i = 0; i < taken; ++i) firsts_.push_back(taken == 1 ? room / 2 : room * i / (taken - 1));
    if (farthest_ == distances.size())
      take_windows();
    else
      take_words_before();
  }
  [[nodiscard]] std::size_t count() const { return firsts_.size() * (used_ - farthest_); }
  [[nodiscard]] bool are_many() const { return firsts_.size() >= min_windows_for_part; }

  /// Calls `work` with batches: those of every `step`-th window.
  template <class Work>
  void for_batches(std::size_t step, const Work& work) const {
    const std::size_t own = used_ - farthest_;
    for (std::size_t i = 0; i < firsts_.size(); i += step) {
      const double* const window = numbers_.data() + i * (before_.empty() ? used_ : own);
      const double* const before = before_.empty() ? window + 1 : before_.data() + i * own * stride_;
      work(Batch{i / step * own, {window, own}, before, stride_});
    }
  }

 private:
  /// Those before a word are the window itself.
  void take_windows() {
    for (const std::size_t first : firsts_) {
      for (std::size_t k = used_; k > 0; --k) numbers_.push_back(of_words_[first + k - 1]);
    }
    numbers_.resize(numbers_.size() + LinearKernels::padded(1));  // read behind the last words before a word
  }
  /// Farther ones are put together, once for all rounds.
  void take_words_before() {
    stride_ = LinearKernels::padded(distances_.size());
    before_.resize(count() * stride_);
    numbers_.reserve(count());
    double* before = before_.data();
    for (const std::size_t first : firsts_) {
      for (std::size_t position = first + used_; position-- > first + farthest_; before += stride_) {
        numbers_.push_back(of_words_[position]);
        for (std::size_t j = 0; j < distances_.size(); ++j) before[j] = of_words_[position - distances_[j]];
      }
    }
  }

  const Numbers<W> of_words_;
  std::span<const std::uint32_t> distances_;
  std::size_t farthest_, used_ = 0;
  std::vector<std::size_t> firsts_;  ///< Of windows.
  std::vector<double> numbers_;      ///< The words of all windows; of neighbours with those before them.
  std::vector<double> before_;       ///< Those before each word; empty if they are neighbours.
  std::size_t stride_ = 1;
};

/// About 256 times the bits of the numbers that these are the magnitudes of.
std::uint64_t cost_of(std::span<const double> magnitudes) {
  constexpr unsigned fraction_bits = 8, shift = 52 - fraction_bits;
  constexpr std::uint64_t one = std::bit_cast<std::uint64_t>(1.0) >> shift;
  std::uint64_t cost = 0;
  for (const double magnitude : magnitudes)
    cost += (std::bit_cast<std::uint64_t>(magnitude + 1) >> shift) - one;
  return cost;
}

/// Of a solution.
struct Errors {
  std::size_t count = 0;
  std::uint64_t cost = 0;
  double typical = 1;  ///< Half of the mean.
};

/// Errors of the words become their weights: what costs bits are the logarithms of errors, not their squares.
template <core::Word W>
Errors weigh_words(const Examples<W>& examples, std::size_t step, const std::vector<double>& solution,
                   std::vector<double>& weights) {
  Errors errors;
  double sum = 0;
  examples.for_batches(step, [&](const Batch& batch) {
    const std::span<double> some(weights.data() + batch.first, batch.words.size());
    linear_kernels().find_errors({batch.words.data(), nullptr, some.size(), batch.before, batch.stride},
                                 solution.data(), solution.size(), some.data());
    errors.count += some.size();
    errors.cost += cost_of(some);
    sum = std::accumulate(some.begin(), some.end(), sum);
  });
  errors.typical += sum / static_cast<double>(std::max<std::size_t>(errors.count, 1)) / 2;
  const double square = errors.typical * errors.typical;
  for (double& weight : std::span(weights).first(errors.count)) weight = square / (square + weight * weight);
  return errors;
}

/// Goes on from the solution, or from none, by every `step`-th window. False if there is no solution.
template <core::Word W>
bool refine(const Examples<W>& examples, std::size_t step, unsigned rounds, Equations& equations,
            std::vector<double>& solution) {
  std::vector<double> weights(examples.count(), 1.0), before;
  std::uint64_t min_cost = ~std::uint64_t{0};
  for (unsigned round = 0;; ++round) {
    if (!solution.empty()) {
      const Errors errors = weigh_words(examples, step, solution, weights);
      if (errors.cost > min_cost) solution = before;
      if (errors.cost + errors.count * min_gain > min_cost) return true;
      min_cost = errors.cost;
    }
    if (round == rounds) return true;
    before = solution;
    equations.clear();
    examples.for_batches(step,
                         [&](const Batch& batch) { equations.add(batch, weights.data() + batch.first); });
    if (!equations.solve(solution)) return false;
  }
}

/// What makes about the fewest bits of all errors; nothing if there is no such thing. The equations of the
/// last round stay.
template <core::Word W>
bool solve(const Examples<W>& examples, Rounds rounds, Equations& equations, std::vector<double>& solution) {
  if (rounds.rough > 0 && examples.are_many() &&
      !refine(examples, rough_part, rounds.rough, equations, solution))
    return false;
  return refine(examples, 1, rounds.all, equations, solution);
}

/// In how many rows words are nearest to each other, beyond those that are near: in a plane, if there are
/// any. 0 if the stream is too short.
template <core::Word W>
std::uint64_t find_plane(const Numbers<W>& numbers, std::uint64_t row) {
  constexpr std::uint64_t near_rows = 8, max_rows = 4096;
  constexpr std::size_t compared = 256;
  const std::size_t count = numbers.words.size();
  const std::uint64_t rows_in_reach = std::min(count / 4, std::size_t{LinearRules::max_distance}) / row;
  std::uint64_t best = 0;
  double min_sum = 0;
  for (std::uint64_t rows = near_rows + 1; rows <= std::min(rows_in_reach, max_rows); ++rows) {
    const std::uint64_t distance = rows * row;
    double sum = 0;
    for (std::size_t i = 0; i < compared; ++i) {
      const std::size_t position =
          static_cast<std::size_t>(distance + (count - distance - 1) * i / (compared - 1));
      sum += std::fabs(numbers[position] - numbers[position - static_cast<std::size_t>(distance)]);
    }
    if (best != 0 && sum >= min_sum) continue;
    best = rows;
    min_sum = sum;
  }
  return best;
}

/// Distances that may be of use, ascending.
std::vector<std::uint32_t> candidates(std::uint64_t words, std::uint64_t row, std::uint64_t plane) {
  constexpr std::int64_t nearest = 12, around = 6, around_second = 3, rows = 8;
  std::vector<std::uint32_t> all;
  const auto add = [&](std::uint64_t of, std::int64_t from, std::int64_t to) {
    for (std::int64_t k = from; k <= to; ++k) {
      const std::int64_t distance = static_cast<std::int64_t>(of) + k;
      if (distance > 0 && distance <= std::int64_t{LinearRules::max_distance} &&
          static_cast<std::uint64_t>(distance) <= words / 4)
        all.push_back(static_cast<std::uint32_t>(distance));
    }
  };
  add(0, 1, nearest);
  add(row, -around, around);
  add(2 * row, -around_second, around_second);
  for (std::int64_t k = 3; k <= rows; ++k) add(static_cast<std::uint64_t>(k) * row, 0, 0);
  if (plane > 0) {
    add(plane, -around_second, around_second);
    add(plane - row, -1, 1);
    add(plane + row, -1, 1);
    add(2 * plane, 0, 0);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

template <core::Word W>
std::optional<Distances> find_distances(const Numbers<W>& numbers, std::size_t count, std::uint32_t row) {
  const std::size_t words = numbers.words.size();
  std::vector<std::uint32_t> kept = candidates(words, row, find_plane(numbers, row) * row);
  if (kept.size() < count || words < kept.back() + window_words) return std::nullopt;
  Equations equations(kept.size());
  std::vector<double> solution;
  if (!solve(Examples<W>(numbers, kept), rounds_for_distances, equations, solution)) return std::nullopt;
  // Those of the smallest weights are left out, some at a time.
  while (kept.size() > count) {
    const std::size_t dropped = std::min(kept.size() - count, std::max<std::size_t>(kept.size() / 6, 1));
    std::vector<double> magnitudes(kept.size());
    std::transform(solution.begin(), solution.end(), magnitudes.begin(),
                   [](double w) { return std::fabs(w); });
    std::vector<double> sorted = magnitudes;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::size_t> stay;
    std::size_t left = dropped;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (left > 0 && magnitudes[i] <= sorted[dropped - 1]) {
        --left;
      } else {
        stay.push_back(i);
      }
    }
    equations.keep(stay);
    for (std::size_t i = 0; i < stay.size(); ++i) kept[i] = kept[stay[i]];
    kept.resize(stay.size());
    solution.resize(stay.size());
    if (!equations.solve(solution)) return std::nullopt;
  }
  Distances distances{};
  std::copy(kept.begin(), kept.end(), distances.begin());
  return distances;
}

template <core::Word W>
std::optional<Weights> find_weights(const Numbers<W>& numbers, std::size_t count,
                                    const Distances& distances) {
  if (numbers.words.size() < count + distances[count - 1]) return std::nullopt;
  Equations equations(count);
  std::vector<double> solution(count, 0.0);
  solution[0] = 1;  // first differences, which need not be worse
  const Examples<W> examples(numbers, std::span(distances).first(count));
  if (!solve(examples, rounds_for_weights, equations, solution)) return std::nullopt;
  Weights weights{};
  for (std::size_t j = 0; j < count; ++j) {
    const double weight = std::clamp(solution[j], -largest_weight, largest_weight);
    weights[j] = static_cast<std::int32_t>(std::floor(weight * (1 << weight_bits) + 0.5));
  }
  return weights;
}

#define FLOE_INSTANTIATE(W)                                                                        \
  template std::optional<Distances> find_distances(const Numbers<W>&, std::size_t, std::uint32_t); \
  template std::optional<Weights> find_weights(const Numbers<W>&, std::size_t, const Distances&);
FLOE_INSTANTIATE(std::uint8_t)
FLOE_INSTANTIATE(std::uint16_t)
FLOE_INSTANTIATE(std::uint32_t)
FLOE_INSTANTIATE(std::uint64_t)
#undef FLOE_INSTANTIATE

}  // namespace floe::trees
