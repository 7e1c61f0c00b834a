#include "encodings/linear/weights.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace floe::trees {
namespace {

/// Of words that weights are found with: windows of neighbours, spread evenly.
constexpr std::size_t windows = 48, window_words = 96;
/// Of reweighting for absolute errors instead of squares: each word counts less the larger its error was.
constexpr unsigned rounds = 2;
constexpr double largest_weight = 127, regularization = 1e-12;

/// Normal equations: sums of products, and the solution. All in the order of the words, without
/// transcendental functions, so that it is the same everywhere.
class Equations {
 public:
  explicit Equations(std::size_t count) : count_(count), matrix_(count * count), right_(count) {}
  void clear() {
    std::fill(matrix_.begin(), matrix_.end(), 0.0);
    std::fill(right_.begin(), right_.end(), 0.0);
  }
  /// `before` has the words before, the nearest first.
  void add(const double* before, double word, double weight) {
    for (std::size_t i = 0; i < count_; ++i) {
      const double weighed = weight * before[i];
      right_[i] += weighed * word;
      double* const row = matrix_.data() + i * count_;
      for (std::size_t j = 0; j <= i; ++j) row[j] += weighed * before[j];
    }
  }
  /// By Cholesky's method. False if the matrix has no inverse.
  bool solve(std::vector<double>& solution) {
    double trace = 0;
    for (std::size_t i = 0; i < count_; ++i) trace += matrix_[i * count_ + i];
    if (!(trace > 0)) return false;
    for (std::size_t i = 0; i < count_; ++i) {
      double* const row = matrix_.data() + i * count_;
      row[i] += trace * regularization;
      for (std::size_t j = 0; j <= i; ++j) {
        const double* const other = matrix_.data() + j * count_;
        double sum = row[j];
        for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
        if (i == j && !(sum > 0)) return false;
        row[j] = i == j ? std::sqrt(sum) : sum / other[j];
      }
    }
    solution = right_;
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t k = 0; k < i; ++k) solution[i] -= matrix_[i * count_ + k] * solution[k];
      solution[i] /= matrix_[i * count_ + i];
    }
    for (std::size_t i = count_; i-- > 0;) {
      for (std::size_t k = i + 1; k < count_; ++k) solution[i] -= matrix_[k * count_ + i] * solution[k];
      solution[i] /= matrix_[i * count_ + i];
    }
    return true;
  }

 private:
  std::size_t count_;
  std::vector<double> matrix_, right_;
};

/// Words of windows with those before them, the last one first in each.
template <core::Word W>
std::vector<std::vector<double>> windows_of(std::span<const W> words, std::size_t count) {
  using Signed = std::make_signed_t<W>;
  const std::size_t length = count + window_words;
  const std::size_t taken = std::clamp<std::size_t>(words.size() / length, 1, windows);
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < taken; ++i) {
    const std::size_t used = std::min(length, words.size()), room = words.size() - used;
    const std::size_t first = taken == 1 ? room / 2 : room * i / (taken - 1);
    std::vector<double>& window = all.emplace_back();
    for (std::size_t k = used; k > 0; --k)
      window.push_back(static_cast<double>(static_cast<Signed>(words[first + k - 1])));
  }
  return all;
}

double error_of(const double* word, const std::vector<double>& solution) {
  double sum = word[0];
  for (std::size_t j = 0; j < solution.size(); ++j) sum -= solution[j] * word[1 + j];
  return std::fabs(sum);
}

}  // namespace

template <core::Word W>
std::optional<Weights> find_weights(std::span<const W> words, std::size_t count) {
  if (words.size() < 2 * count) return std::nullopt;
  const auto all = windows_of(words, count);
  Equations equations(count);
  std::vector<double> solution(count, 0.0);
  for (unsigned round = 0; round <= rounds; ++round) {
    double typical = 0;
    std::size_t errors = 0;
    for (const auto& window : all) {
      for (std::size_t i = 0; i + count < window.size(); ++i, ++errors)
        typical += error_of(window.data() + i, solution);
    }
    typical = typical / static_cast<double>(std::max<std::size_t>(errors, 1)) / 4 + 1;
    equations.clear();
    for (const auto& window : all) {
      for (std::size_t i = 0; i + count < window.size(); ++i) {
        const double weight = round == 0 ? 1 : typical / (typical + error_of(window.data() + i, solution));
        equations.add(window.data() + i + 1, window[i], weight);
      }
    }
    if (!equations.solve(solution)) return std::nullopt;
  }
  Weights weights{};
  for (std::size_t j = 0; j < count; ++j) {
    const double weight = std::clamp(solution[j], -largest_weight, largest_weight);
    weights[j] = static_cast<std::int32_t>(std::floor(weight * (1 << weight_bits) + 0.5));
  }
  return weights;
}

template std::optional<Weights> find_weights(std::span<const std::uint8_t>, std::size_t);
template std::optional<Weights> find_weights(std::span<const std::uint16_t>, std::size_t);
template std::optional<Weights> find_weights(std::span<const std::uint32_t>, std::size_t);
template std::optional<Weights> find_weights(std::span<const std::uint64_t>, std::size_t);

}  // namespace floe::trees
