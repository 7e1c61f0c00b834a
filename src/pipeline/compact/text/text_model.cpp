#include "pipeline/compact/text/text_model.hpp"

#include <algorithm>

namespace floe::pipeline {
namespace {

constexpr std::int32_t max_logit = 2047;

/// 4096 / (1 + e^(-x / 256)).
constexpr std::int32_t squash(std::int32_t x) noexcept {
  constexpr std::array<std::int16_t, 33> nodes{
      1,    2,    3,    6,    10,   16,   27,   45,   73,   120,  194,  310,  488,  747,  1101, 1546, 2047,
      2549, 2994, 3348, 3607, 3785, 3901, 3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094};
  const std::int32_t position = x + 2048;
  const auto node = static_cast<std::size_t>(position >> 7);
  const std::int32_t part = position & 127;
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
  std::array<std::array<std::uint8_t, 256>, 2> next{};
  for (unsigned history = 0; history < 256; ++history) {
    const unsigned zeros = history >> 4, ones = history & 15;
    next[0][history] = static_cast<std::uint8_t>(std::min(zeros + 1, 15U) << 4 | kept[ones]);
    next[1][history] = static_cast<std::uint8_t>(std::uint32_t{kept[zeros]} << 4 | std::min(ones + 1, 15U));
  }
  return next;
}();

constexpr auto squashed = [] {
  std::array<std::int16_t, 4096> table{};
  for (std::int32_t x = -max_logit; x <= max_logit; ++x)
    table[static_cast<std::size_t>(x + 2048)] = static_cast<std::int16_t>(squash(x));
  return table;
}();

constexpr std::uint32_t max_count = 255, count_mask = 1023;
/// What has a count above the largest learns nothing.
constexpr std::uint32_t never_learns = max_count + 1;
constexpr auto rates = [] {
  std::array<std::uint32_t, never_learns + 1> table{};
  for (std::uint32_t n = 0; n <= max_count; ++n) table[n] = 81920 / (10 * n + 16);
  return table;
}();
/// Its logit is 0.
constexpr std::uint32_t knows_nothing = std::uint32_t{2047} << 20 | never_learns;

constexpr std::size_t depths = 8;  ///< That are told apart.
constexpr std::size_t repetitions = 32, columns = 256, positions = 32;
constexpr unsigned position_of_column_bits = 9;
constexpr unsigned last_bits = 10;  ///< Of a hash of the byte before and the column.

std::int16_t logit_of(std::uint32_t state) noexcept { return logits[state >> 20]; }

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
  const std::int32_t to = bit != 0 ? std::int32_t{1} << 22 : 0;
  const std::uint32_t count = state & count_mask;
  const auto eighth = static_cast<std::uint32_t>((to - static_cast<std::int32_t>(state >> 10)) >> 3);
  state += (eighth * rates[count] & ~count_mask) + (count < max_count ? 1 : 0);
}

std::uint64_t TextModel::memory_bytes(std::uint64_t byte_count) noexcept {
  constexpr std::uint64_t fixed_bytes = std::uint64_t{1} << 20;  // of weights, tables and positions
  return TextHistories::memory_bytes(byte_count) + fixed_bytes;
}

TextModel::TextModel(std::uint64_t byte_count, std::uint8_t separator, TextKind kind)
    : tree_(separator, kind),
      contexts_(separator),
      histories_(byte_count),
      mixer_({TextTree::node_count, repetitions * depths, columns * depths, positions * depths,
              depths << position_of_column_bits}),
      node_(tree_.root()),
      by_node_(straight_lines(TextTree::node_count, interval_count)),
      by_last_(straight_lines(std::size_t{1} << last_bits, interval_count)) {
  for (auto& probabilities : of_history_) {
    for (std::uint32_t history = 1; history < 256; ++history) {
      const std::uint32_t zeros = history >> 4, ones = history & 15;
      probabilities[history].state = (((2 * ones + 1) << 22) / (2 * (zeros + ones) + 2)) << 10;
    }
    probabilities[0].state = knows_nothing;
  }
  of_repetition_[0].state = of_repetition_[1].state = knows_nothing;
  begin_byte();
  find_histories(node_ >> TextTree::group_bits);
}

/// What the bytes before say of all bits of the next one.
void TextModel::begin_byte() {
  hashes_ = contexts_.hashes();
  for (const std::uint32_t hash : hashes_) histories_.prefetch(hash);
  const std::uint32_t position = std::min<std::uint32_t>(contexts_.position(), positions - 1);
  set_begins_ = {std::min<std::size_t>(contexts_.column(), columns - 1) * depths, position * depths,
                 (mixed_hash(position, contexts_.column()) >> (32 - position_of_column_bits)) * depths};
}

void TextModel::find_histories(std::uint32_t group) {
  for (std::size_t i = 0; i < text_context_count; ++i)
    group_[i] = histories_.find(hashes_[i], group == 0 ? hashes_[i] : mixed_hash(hashes_[i], group)) - 1;
}

std::int16_t TextModel::repetition_input() {
  expected_bit_ = -1;
  repetition_ = 0;
  if (contexts_.repeated() == 0) return 0;
  const TextTree::Path& expected = tree_.path(contexts_.expected());
  if (!expected.begins_with(bits_, depth_)) {
    contexts_.end_repetition();
    return 0;
  }
  const std::uint32_t repeated = contexts_.repeated();
  const std::uint32_t size = repeated < 16 ? repeated : std::min(31U, 16 + (repeated - 16) / 8);
  expected_bit_ = static_cast<int>(expected.bit(depth_));
  repetition_ = 2 * size + static_cast<std::size_t>(expected_bit_);
  return logit_of(of_repetition_[repetition_].state);
}

std::uint32_t TextModel::refined(std::span<std::uint16_t> table, std::uint32_t context,
                                 std::size_t& nearest) const {
  const auto position = static_cast<std::uint32_t>(mixed_ + 2048);
  const std::uint32_t part = position & 127;
  const std::size_t low = std::size_t{context} * interval_count + (position >> 7);
  nearest = low + (part >> 6);
  return (table[low] * (128 - part) + table[low + 1] * part) >> 7;
}

std::uint32_t TextModel::probability() {
  TextMixer::Inputs inputs{};
  const std::uint32_t node_of_group = node_ & 15;
  for (std::size_t i = 0; i < text_context_count; ++i) {
    history_[i] = group_[i][node_of_group];
    inputs[i] = logit_of(of_history_[i][history_[i]].state);
  }
  inputs[text_context_count] = repetition_input();
  inputs[text_context_count + 1] = 256;
  const std::size_t depth = std::min<std::size_t>(depth_, depths - 1);
  const std::int32_t sum =
      mixer_.mix(inputs, {node_, repetition_ / 2 * depths + depth, set_begins_[0] + depth,
                          set_begins_[1] + depth, set_begins_[2] + depth});
  mixed_ = std::clamp(sum, -max_logit, max_logit);
  const std::uint32_t last = mixed_hash(node_ | std::uint32_t{contexts_.last()} << 16, contexts_.column());
  const auto position = static_cast<std::size_t>(mixed_ + 2048);
  const std::uint32_t p = 2 * 16 * static_cast<std::uint32_t>(squashed[position]) +
                          refined(by_node_, node_, nearest_by_node_) +
                          refined(by_last_, last >> (32 - last_bits), nearest_by_last_);
  return std::clamp<std::uint32_t>(p >> 2, 16, 65536 - 16);
}

void TextModel::update(unsigned bit) {
  const std::uint32_t next = tree_.next(node_, bit);
  const bool ends_byte = (next & TextTree::byte_flag) != 0;
  if (expected_bit_ >= 0 && expected_bit_ != static_cast<int>(bit)) contexts_.end_repetition();
  if (ends_byte) {
    contexts_.add(static_cast<std::uint8_t>(next));
    begin_byte();  // histories arrive while the rest learns
  }
  mixer_.learn((bit != 0 ? 4096 : 0) - squashed[static_cast<std::size_t>(mixed_ + 2048)]);
  const std::uint32_t node_of_group = node_ & 15;
  for (std::size_t i = 0; i < text_context_count; ++i) {
    of_history_[i][history_[i]].update(bit);
    group_[i][node_of_group] = next_histories[bit][history_[i]];
  }
  of_repetition_[repetition_].update(bit);
  const std::int32_t full = bit != 0 ? 65535 : 0;
  const auto approach = [&](std::uint16_t& value, unsigned shift) {
    value = static_cast<std::uint16_t>(value + ((full - value) >> shift));
  };
  approach(by_node_[nearest_by_node_], 6);
  approach(by_last_[nearest_by_last_], 4);

  const std::uint32_t group_before = node_ >> TextTree::group_bits;
  node_ = ends_byte ? tree_.root() : next;
  const std::uint32_t group = node_ >> TextTree::group_bits;
  bits_ = ends_byte ? 0 : bits_ << 1 | bit;
  depth_ = ends_byte ? 0 : depth_ + 1;
  if (ends_byte || group != group_before) find_histories(group);
}

}  // namespace floe::pipeline
