#include "pipeline/compact/text/text_model.hpp"

#include <algorithm>
#include <bit>

namespace floe::pipeline {
namespace {

constexpr std::int32_t max_logit = 2047;

/// 4096 / (1 + e^(-x / 256)).
constexpr std::int32_t squash(std::int32_t x) noexcept {
  constexpr std::array<std::int16_t, 33> nodes{
      1,    2,    3,    6,    10,   16,   27,   45,   73,   120,  194,  310,  488,  747,  1101, 1546, 2047,
      2549, 2994, 3348, 3607, 3785, 3901, 3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094};
  const std::int32_t place = x + 2048;
  const auto node = static_cast<std::size_t>(place >> 7);
  const std::int32_t part = place & 127;
  return (nodes[node] * (128 - part) + nodes[node + 1] * part + 64) >> 7;
}

/// The smallest x with squash(x) >= p.
constexpr auto logits = [] {
  std::array<std::int16_t, 4096> table{};
  std::int32_t x = -max_logit;
  for (std::int32_t p = 0; p < 4096; ++p) {
    while (x < max_logit && squash(x) < p) ++x;
    table[static_cast<std::size_t>(p)] = static_cast<std::int16_t>(x);
  }
  return table;
}();

/// How often 0 and 1 were there, up to 15 times each: of a bit that differs, much is forgotten.
constexpr auto next_histories = [] {
  constexpr std::array<std::uint8_t, 16> kept{0, 1, 2, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7};
  std::array<std::array<std::uint8_t, 2>, 256> next{};
  for (unsigned history = 0; history < 256; ++history) {
    const unsigned zeros = history >> 4, ones = history & 15;
    next[history][0] = static_cast<std::uint8_t>(std::min(zeros + 1, 15U) << 4 | kept[ones]);
    next[history][1] = static_cast<std::uint8_t>(std::uint32_t{kept[zeros]} << 4 | std::min(ones + 1, 15U));
  }
  return next;
}();

constexpr std::uint32_t max_count = 255;
constexpr auto rates = [] {
  std::array<std::int32_t, max_count + 1> table{};
  for (std::uint32_t n = 0; n <= max_count; ++n) table[n] = static_cast<std::int32_t>(655360 / (10 * n + 16));
  return table;
}();

constexpr std::int32_t first_weight = 7864, learning_rate = 16, final_learning_rate = 8;
constexpr std::size_t weight_sets = 2048;
constexpr unsigned last_bits = 12;  ///< Of a hash of the byte before and the column.

std::uint64_t line_count(std::uint64_t byte_count) noexcept {
  constexpr std::uint64_t min_lines = std::uint64_t{1} << 8, max_lines = std::uint64_t{1} << 20;
  return std::clamp(std::bit_ceil(8 * byte_count), min_lines, max_lines);
}

std::int32_t logit_of(std::uint32_t probability) noexcept { return logits[probability >> 10]; }

std::int32_t clamped(std::int64_t sum) noexcept {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum >> 16, -max_logit, max_logit));
}

void learn(std::span<std::int32_t> weights, std::span<const std::int32_t> inputs, std::int32_t error) {
  constexpr std::int32_t largest = std::int32_t{1} << 24;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    weights[i] =
        std::clamp(weights[i] + ((inputs[i] * error + (std::int32_t{1} << 13)) >> 14), -largest, largest);
}

std::vector<std::uint16_t> straight_lines(std::size_t contexts, std::size_t intervals) {
  std::vector<std::uint16_t> table(contexts * intervals);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto x = static_cast<std::int32_t>(i % intervals) * 128 - 2048;
    table[i] = static_cast<std::uint16_t>(16 * squash(std::clamp(x, -max_logit, max_logit)));
  }
  return table;
}

}  // namespace

void TextModel::Adaptive::update(unsigned bit) noexcept {
  const std::int64_t to = bit != 0 ? std::int64_t{1} << 22 : 0;
  probability = static_cast<std::uint32_t>(probability + ((to - probability) * rates[count] >> 16));
  count = std::min(count + 1, max_count);
}

std::uint64_t TextModel::memory_bytes(std::uint64_t byte_count) noexcept {
  constexpr std::uint64_t fixed_bytes = std::uint64_t{1} << 20;  // of weights, tables and histories
  return line_count(byte_count) * line_bytes + fixed_bytes;
}

TextModel::TextModel(std::uint64_t byte_count, std::uint8_t separator)
    : contexts_(separator),
      lines_(static_cast<std::size_t>(line_count(byte_count)) * line_bytes),
      line_mask_(static_cast<std::uint32_t>(line_count(byte_count) - 1)),
      final_weights_(256 * mixer_count, 65536 / 3),
      by_byte_(straight_lines(256, interval_count)),
      by_last_(straight_lines(std::size_t{1} << last_bits, interval_count)) {
  for (auto& probabilities : of_history_) {
    for (std::uint32_t history = 0; history < 256; ++history) {
      const std::uint32_t zeros = history >> 4, ones = history & 15;
      probabilities[history].probability = ((2 * ones + 1) << 22) / (2 * (zeros + ones) + 2);
    }
  }
  for (auto& weights : weights_) weights.assign(weight_sets * input_count, first_weight);
  hashes_ = contexts_.hashes();
  find_lines();
}

/// Of the half byte that comes next. Of two places for a line, one that is another's makes room.
void TextModel::find_lines() {
  const auto seen = [&](std::size_t line) { return (lines_[line + 1] >> 4) + (lines_[line + 1] & 15); };
  for (std::size_t i = 0; i < text_context_count; ++i) {
    const std::uint32_t hash = begun_ == 1 ? hashes_[i] : mixed_hash(hashes_[i], begun_);
    const auto check = static_cast<std::uint8_t>(hash >> 24 | 1);
    const std::size_t first = (hash & line_mask_) * line_bytes, second = first ^ line_bytes;
    if (lines_[first] == check) {
      line_[i] = first;
    } else if (lines_[second] == check) {
      line_[i] = second;
    } else {
      line_[i] = seen(second) < seen(first) ? second : first;
      std::fill_n(&lines_[line_[i]], line_bytes, std::uint8_t{0});
      lines_[line_[i]] = check;
    }
  }
}

std::int32_t TextModel::repetition_input() {
  expected_bit_ = -1;
  repetition_ = 0;
  if (contexts_.repeated() == 0) return 0;
  const std::uint32_t expected = contexts_.expected() | 256U;
  if (expected >> (8 - bit_index_) != begun_) {
    contexts_.end_repetition();
    return 0;
  }
  const std::uint32_t repeated = contexts_.repeated();
  const std::uint32_t size = repeated < 16 ? repeated : std::min(31U, 16 + (repeated - 16) / 8);
  expected_bit_ = static_cast<int>(expected >> (7 - bit_index_) & 1);
  repetition_ = 2 * size + static_cast<std::size_t>(expected_bit_);
  return logit_of(of_repetition_[repetition_].probability);
}

std::uint32_t TextModel::refined(std::span<std::uint16_t> table, std::uint32_t context,
                                 std::size_t& nearest) const {
  const auto place = static_cast<std::uint32_t>(final_ + 2048);
  const std::uint32_t part = place & 127;
  const std::size_t low = std::size_t{context} * interval_count + (place >> 7);
  nearest = low + (part >> 6);
  return (table[low] * (128 - part) + table[low + 1] * part) >> 7;
}

std::uint32_t TextModel::probability() {
  for (std::size_t i = 0; i < text_context_count; ++i) {
    const std::uint8_t history = lines_[line_[i] + node_];
    inputs_[i] = history == 0 ? 0 : logit_of(of_history_[i][history].probability);
  }
  inputs_[text_context_count] = repetition_input();
  inputs_[text_context_count + 1] = 256;
  const std::array<std::size_t, mixer_count> sets{
      begun_, repetition_ / 2 * 8 + bit_index_,
      std::min<std::size_t>(contexts_.column(), 255) * 8 + bit_index_};
  std::int64_t sum = 0;
  for (std::size_t j = 0; j < mixer_count; ++j) {
    chosen_[j] = sets[j] * input_count;
    const std::int32_t* const weights = &weights_[j][chosen_[j]];
    std::int64_t products = 0;
    for (std::size_t i = 0; i < input_count; ++i) products += std::int64_t{weights[i]} * inputs_[i];
    mixed_[j] = clamped(products);
    sum += std::int64_t{final_weights_[begun_ * mixer_count + j]} * mixed_[j];
  }
  final_ = clamped(sum);
  const std::uint32_t last = mixed_hash(begun_ | std::uint32_t{contexts_.last()} << 8, contexts_.column());
  const std::uint32_t p = 2 * 16 * static_cast<std::uint32_t>(squash(final_)) +
                          refined(by_byte_, begun_, nearest_by_byte_) +
                          refined(by_last_, last >> (32 - last_bits), nearest_by_last_);
  return std::clamp<std::uint32_t>(p >> 2, 16, 65536 - 16);
}

void TextModel::update(unsigned bit) {
  const std::int32_t is = bit != 0 ? 4096 : 0;
  for (std::size_t j = 0; j < mixer_count; ++j)
    learn(std::span(weights_[j]).subspan(chosen_[j], input_count), inputs_,
          (is - squash(mixed_[j])) * learning_rate);
  learn(std::span(final_weights_).subspan(begun_ * mixer_count, mixer_count), mixed_,
        (is - squash(final_)) * final_learning_rate);
  for (std::size_t i = 0; i < text_context_count; ++i) {
    std::uint8_t& history = lines_[line_[i] + node_];
    if (history != 0) of_history_[i][history].update(bit);
    history = next_histories[history][bit];
  }
  if (expected_bit_ >= 0) {
    of_repetition_[repetition_].update(bit);
    if (expected_bit_ != static_cast<int>(bit)) contexts_.end_repetition();
  }
  const std::int32_t full = bit != 0 ? 65535 : 0;
  const auto approach = [&](std::uint16_t& value, unsigned shift) {
    value = static_cast<std::uint16_t>(value + ((full - value) >> shift));
  };
  approach(by_byte_[nearest_by_byte_], 6);
  approach(by_last_[nearest_by_last_], 5);

  begun_ = begun_ << 1 | bit;
  ++bit_index_;
  node_ = node_ << 1 | bit;
  if (bit_index_ == 8) {
    contexts_.add(static_cast<std::uint8_t>(begun_));
    hashes_ = contexts_.hashes();
    begun_ = 1;
    bit_index_ = 0;
  }
  if (bit_index_ % 4 == 0) {
    node_ = 1;
    find_lines();
  }
}

}  // namespace floe::pipeline
