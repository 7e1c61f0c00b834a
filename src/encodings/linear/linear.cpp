// Linear: each word less what a weighted sum of words before it predicts: of those right before it, or of its
// neighbours in several dimensions. The weights, and which words they are for, stand in the header; words
// before the first one are 0.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/memory_budget.hpp"
#include "encodings/content_memo.hpp"
#include "encodings/encodings.hpp"
#include "encodings/linear/prediction.hpp"
#include "encodings/linear/row_groups.hpp"

namespace floe::trees {
namespace {

template <core::Word W>
std::optional<Prediction> find_prediction(const Numbers<W>& numbers, const Parameters& parameters) {
  Prediction prediction{parameters[0], row_with_ends(parameters[1], sizeof(W))};
  if (parameters[1] > 1) {
    const auto distances = find_distances(numbers, prediction.count, parameters[1]);
    if (!distances) return std::nullopt;
    prediction.distances = *distances;
  }
  const auto weights = find_weights(numbers, prediction.count, prediction.distances);
  if (!weights) return std::nullopt;
  prediction.weights = *weights;
  return prediction;
}

/// Nothing where there is none.
using KnownPredictions = ContentMemo<std::optional<Prediction>, 128>;

/// Finds it once for the same words.
template <core::Word W>
std::optional<Prediction> known_prediction(const ColumnView& in, const Parameters& parameters,
                                           Scratch& scratch) {
  const Numbers<W> numbers{in.words<W>(), is_signed(in.type)};
  if (scratch.known_predictions == nullptr) scratch.known_predictions = std::make_unique<KnownPredictions>();
  const std::uint64_t what_else = std::uint64_t{parameters[1]} << 32 | parameters[0] << 8 | sizeof(W) << 1 |
                                  static_cast<std::uint64_t>(numbers.are_signed);
  return static_cast<KnownPredictions&>(*scratch.known_predictions)
      .get(content_key({static_cast<const std::uint8_t*>(in.values), static_cast<std::size_t>(in.bytes())},
                       what_else),
           [&] { return find_prediction(numbers, parameters); });
}

/// What predictions make of the words of a row, or of all words. Their factors are passed.
template <core::Word W, bool is_signed>
void find_errors_of_row(std::span<const W> words, const PaddedPrediction& prediction, Factors& factors,
                        W* errors) {
  const LinearKernels::SumUp sum_up = sum_up_of<W, is_signed>();
  std::array<std::int64_t, linear_piece> sums;
  for (std::size_t first = 0; first < words.size(); first += linear_piece) {
    const std::size_t part = std::min(linear_piece, words.size() - first);
    std::int64_t* const begin = factors.begin();
    for (std::size_t i = 0; i < part; ++i)
      begin[i] = factor_of_sum<W, is_signed>(sum_of_word<W>(words[first + i]));
    sum_up(begin, part, prediction.weights.data(), prediction.distances.data(), prediction.count,
           sums.data());
    for (std::size_t i = 0; i < part; ++i)
      errors[first + i] = static_cast<W>(words[first + i] - word_of_sum<W>(rounded_sum<W>(sums[i])));
    factors.pass(part);
  }
}

template <core::Word W, bool is_signed>
void find_errors(std::span<const W> words, const PaddedPrediction& prediction, W* errors) {
  const PaddedRows& rows = prediction.rows;
  Factors factors(prediction.farthest(), std::max({linear_piece, rows.left, rows.right}));
  const auto factor = [](W word) { return factor_of_sum<W, is_signed>(sum_of_word<W>(word)); };
  for (std::size_t first = 0; first < words.size(); first += rows.words) {
    const auto row = words.subspan(first, std::min(rows.words, words.size() - first));
    factors.fill(rows.left, first == 0 ? 0 : factor(words[first - rows.words]));
    find_errors_of_row<W, is_signed>(row, prediction, factors, errors + first);
    factors.fill(rows.right, factor(row.back()));
    if (row.size() < rows.words) break;
  }
}

bool encode(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const auto prediction = known_prediction<W>(in, parameters, out.scratch);
    if (!prediction) return false;
    std::uint32_t last = 0;
    for (std::size_t j = 0; j < prediction->count && parameters[1] > 1; ++j)
      out.header.put_varint(prediction->distances[j] - std::exchange(last, prediction->distances[j]));
    for (std::size_t j = 0; j < prediction->count; ++j)
      out.header.put_signed(static_cast<std::uint32_t>(prediction->weights[j]));
    Stream errors(signed_type(sizeof(W)), words.size(), out.scratch);
    W* const to = errors.words<W>().data();
    const PaddedPrediction padded(*prediction, words.size());
    is_signed(in.type) ? find_errors<W, true>(words, padded, to) : find_errors<W, false>(words, padded, to);
    out.children.push_back(std::move(errors));
    return true;
  });
}

template <core::Word W, bool is_signed>
class LinearSource final : public Source {
 public:
  LinearSource(const PaddedPrediction& prediction, std::uint64_t count, std::optional<RowGroups> groups,
               std::unique_ptr<Source> errors)
      : prediction_(prediction, sum_shift<W>),
        rows_(prediction.rows),
        factors_(prediction.farthest(), ahead(rows_, groups)),
        errors_(std::move(errors)) {
    if (!groups) return;
    groups_left_ = count / (rows_.words * RowGroups::rows);
    group_.resize(rows_.words * RowGroups::rows);
    in_group_ = group_.size();
    groups_ = std::move(groups);
  }
  static std::uint64_t bytes(const PaddedPrediction& prediction, const std::optional<RowGroups>& groups) {
    return Factors::bytes(prediction.farthest(), ahead(prediction.rows, groups)) +
           (groups ? groups->bytes() : 0);
  }

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      if (in_group_ == group_.size() && column_ == 0 && groups_left_ > 0 && !read_group()) return false;
      std::size_t part = std::min(count, group_.size() - in_group_);
      if (part > 0) {
        std::copy_n(group_.data() + in_group_, part, out);
        in_group_ += part;
      } else {
        part = std::min({count, linear_piece, rows_.words - column_});
        if (!read_in_row(out, part)) return false;
      }
      out += part;
      count -= part;
    }
    return true;
  }

 private:
  static std::size_t ahead(const PaddedRows& rows, const std::optional<RowGroups>& groups) {
    return std::max({linear_piece, rows.left, rows.right, groups ? RowGroups::rows * rows.padded() : 0});
  }

  bool read_group() {
    if constexpr (sizeof(W) <= RowGroups::max_word_bytes) {
      if (!errors_->read(group_.data(), group_.size())) return false;
      above_ = groups_->decode<W, is_signed>(group_.data(), factors_.begin(), above_);
      factors_.pass(RowGroups::rows * rows_.padded());
      in_group_ = 0;
      --groups_left_;
    }
    return true;
  }

  bool read_in_row(W* words, std::size_t count) {
    if (!errors_->read(words, count)) return false;
    if (column_ == 0) factors_.fill(rows_.left, above_);
    for (std::size_t first = 0; first < count; first += prediction_.block())
      add_predictions(words + first, std::min(prediction_.block(), count - first), factors_.begin() + first);
    if (column_ == 0) above_ = factors_.begin()[0];
    factors_.pass(count);
    column_ += count;
    if (column_ < rows_.words) return true;
    factors_.fill(rows_.right, factors_.begin()[-1]);
    column_ = 0;
    return true;
  }

  void add_predictions(W* words, std::size_t count, std::int64_t* factors) {
    prediction_.sum_up_far(sum_up_of<W, is_signed>(), factors, count, far_sums_.data());
    prediction_.template add_to<W, is_signed>(words, count, far_sums_.data(), factors);
  }

  const SplitPrediction prediction_;
  const PaddedRows rows_;
  Factors factors_;
  std::unique_ptr<Source> errors_;
  std::size_t column_ = 0;  ///< In the row, of the next word.
  std::int64_t above_ = 0;  ///< The first word of the row before, and of this one once it is known.
  std::array<std::int64_t, linear_piece> far_sums_;

  std::optional<RowGroups> groups_;
  std::vector<W> group_;  ///< Words of rows that were decoded side by side.
  std::size_t in_group_ = 0;
  std::uint64_t groups_left_ = 0;
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
  return true;
}

std::unique_ptr<Source> open(Opening& opening) {
  Prediction prediction{opening.parameters[0], row_with_ends(opening.parameters[1], size_of(opening.type))};
  if (opening.parameters[1] > 1 && !read_distances(opening, prediction)) return nullptr;
  for (std::size_t j = 0; j < prediction.count; ++j)
    prediction.weights[j] = static_cast<std::int32_t>(opening.bytes.get_signed<std::uint32_t>());
  if (opening.bytes.failed()) return nullptr;
  const PaddedPrediction padded(prediction, opening.count);
  std::optional<RowGroups> groups;
  if (size_of(opening.type) <= RowGroups::max_word_bytes)
    groups = RowGroups::find(prediction, padded, opening.count,
                             static_cast<unsigned>(8 * size_of(opening.type)), is_signed(opening.type));
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    const auto source = [&]<bool is_signed>(std::bool_constant<is_signed>) -> std::unique_ptr<Source> {
      using OfWords = LinearSource<W, is_signed>;
      core::MemoryBudget::take(OfWords::bytes(padded, groups));
      auto errors = opening.open_child(opening.count);
      if (errors == nullptr) return nullptr;
      return std::make_unique<OfWords>(padded, opening.count, std::move(groups), std::move(errors));
    };
    return is_signed(opening.type) ? source(std::true_type()) : source(std::false_type());
  });
}

}  // namespace

Encoding linear_encoding() noexcept {
  return {.time = {9000, 2800}, .device_time = {8, 8}, .encode = encode, .open = open};
}

}  // namespace floe::trees
