// Linear: each word less what a weighted sum of words before it predicts: of those right before it, or of its
// neighbours in several dimensions. The weights, and which words they are for, stand in the header; words
// before the first one are 0.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/memory_budget.hpp"
#include "encodings/encodings.hpp"
#include "encodings/linear/weights.hpp"
#include "simd/linear/kernels.hpp"

namespace floe::trees {
namespace {

constexpr std::size_t piece = 1024;

/// Of a piece of words, behind those of the words before it.
class Factors {
 public:
  /// Predictions go so far back; before that all are 0.
  explicit Factors(std::size_t farthest)
      : farthest_(farthest), all_(bytes(farthest) / sizeof(std::int64_t)), at_(farthest) {}
  static std::size_t bytes(std::size_t farthest) {
    return (farthest + std::max(piece, farthest) + piece) * sizeof(std::int64_t);
  }
  std::int64_t* begin() { return all_.data() + at_; }
  /// To the next piece, of which the last one had so many words.
  void pass(std::size_t count) {
    at_ += count;
    if (at_ + piece <= all_.size()) return;
    std::memmove(all_.data(), begin() - farthest_, farthest_ * sizeof(std::int64_t));
    at_ = farthest_;
  }

 private:
  std::size_t farthest_;
  std::vector<std::int64_t> all_;
  std::size_t at_;
};

/// Which words before predict a word, and with which weights.
struct Prediction {
  std::size_t count = 0;
  bool is_near = true;  ///< The words right before it.
  Distances distances = near_distances();
  Weights weights{};

  [[nodiscard]] std::size_t farthest() const { return distances[count - 1]; }
};

/// Calls `work` with a function that predicts the word whose factor will be at a position.
template <core::Word W, class Work>
void with_predictor(const Prediction& by, const Work& work) {
  with_constant_count(by.count, [&](auto count) {
    if (by.is_near) {
      work([&, count](const std::int64_t* end) { return predict<W>(end, by.weights.data(), count); });
    } else {
      work([&, count](const std::int64_t* end) {
        return predict<W>(end, by.weights.data(), count,
                          [&](std::size_t j) { return std::size_t{by.distances[j - 1]}; });
      });
    }
  });
}

template <core::Word W>
std::optional<Prediction> find_prediction(std::span<const W> words, const Parameters& parameters) {
  Prediction prediction{parameters[0], parameters[1] == 1};
  if (!prediction.is_near) {
    const auto distances = find_distances(words, prediction.count, parameters[1]);
    if (!distances) return std::nullopt;
    prediction.distances = *distances;
  }
  const auto weights = find_weights(words, prediction.count, prediction.distances);
  if (!weights) return std::nullopt;
  prediction.weights = *weights;
  return prediction;
}

bool encode(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const auto prediction = find_prediction(words, parameters);
    if (!prediction) return false;
    std::uint32_t last = 0;
    for (std::size_t j = 0; j < prediction->count && !prediction->is_near; ++j)
      out.header.put_varint(prediction->distances[j] - std::exchange(last, prediction->distances[j]));
    for (std::size_t j = 0; j < prediction->count; ++j)
      out.header.put_signed(static_cast<std::uint32_t>(prediction->weights[j]));
    Stream errors(signed_type(sizeof(W)), words.size(), out.scratch);
    W* const to = errors.words<W>().data();
    std::array<std::int64_t, piece> sums;
    Factors factors(std::max(prediction->farthest(), max_weights));
    for (std::size_t first = 0; first < words.size(); first += piece) {
      const std::size_t part = std::min(piece, words.size() - first);
      std::int64_t* const begin = factors.begin();
      for (std::size_t i = 0; i < part; ++i) begin[i] = factor_of(words[first + i]);
      linear_kernels().sum_up(begin, part, prediction->weights.data(), prediction->distances.data(),
                              prediction->count, sums.data());
      for (std::size_t i = 0; i < part; ++i)
        to[first + i] = static_cast<W>(words[first + i] - predicted<W>(sums[i]));
      factors.pass(part);
    }
    out.children.push_back(std::move(errors));
    return true;
  });
}

template <core::Word W>
class LinearSource final : public Source {
 public:
  /// `farthest`: no word before that is not 0.
  LinearSource(const Prediction& prediction, std::size_t farthest, std::unique_ptr<Source> errors)
      : prediction_(prediction), errors_(std::move(errors)), factors_(farthest) {}

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      const std::size_t part = std::min(count, piece);
      if (!errors_->read(out, part)) return false;
      std::int64_t* const factors = factors_.begin();
      with_predictor<W>(prediction_, [&](const auto& predicted) {
        for (std::size_t i = 0; i < part; ++i) {
          out[i] = static_cast<W>(out[i] + predicted(factors + i));
          factors[i] = factor_of(out[i]);
        }
      });
      factors_.pass(part);
      out += part;
      count -= part;
    }
    return true;
  }

 private:
  const Prediction prediction_;
  std::unique_ptr<Source> errors_;
  Factors factors_;
};

/// Distances are stored as differences of at least 1. False if one of them is too far.
bool read_distances(Opening& opening, Prediction& prediction) {
  std::uint64_t distance = 0;
  for (std::size_t j = 0; j < prediction.count; ++j) {
    const std::uint64_t step = opening.bytes.get_varint();
    if (step == 0 || step > LinearRules::max_distance) return false;
    distance += step;
    if (distance > LinearRules::max_distance) return false;
    prediction.distances[j] = static_cast<std::uint32_t>(distance);
  }
  // Behind them are weights of 0.
  for (std::size_t j = prediction.count; j < max_weights; ++j)
    prediction.distances[j] = static_cast<std::uint32_t>(distance);
  return true;
}

std::unique_ptr<Source> open(Opening& opening) {
  Prediction prediction{opening.parameters[0], opening.parameters[1] == 1};
  if (!prediction.is_near && !read_distances(opening, prediction)) return nullptr;
  for (std::size_t j = 0; j < prediction.count; ++j)
    prediction.weights[j] = static_cast<std::int32_t>(opening.bytes.get_signed<std::uint32_t>());
  if (opening.bytes.failed()) return nullptr;
  // Words before the first one are all the same: how far before it does not matter.
  const std::size_t farthest = std::max<std::size_t>(
      static_cast<std::size_t>(std::min<std::uint64_t>(prediction.farthest(), opening.count)), max_weights);
  for (std::uint32_t& distance : prediction.distances)
    distance = std::min(distance, static_cast<std::uint32_t>(farthest));
  core::MemoryBudget::take(Factors::bytes(farthest));
  auto errors = opening.open_child(opening.count);
  if (errors == nullptr) return nullptr;
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    return std::make_unique<LinearSource<W>>(prediction, farthest, std::move(errors));
  });
}

}  // namespace

Encoding linear_encoding() noexcept {
  return {.time = {9000, 2800}, .device_time = {8, 8}, .encode = encode, .open = open};
}

}  // namespace floe::trees
