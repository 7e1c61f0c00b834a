#include "pipeline/compact/sketch.hpp"

#include <algorithm>
#include <bit>

#include "core/bits.hpp"
#include "core/fixed_log.hpp"
#include "core/splitmix.hpp"
#include "core/type.hpp"

namespace floe::pipeline {
namespace {

/// If there are no more different words, they may be listed.
constexpr std::uint64_t max_listed_words = 96;

template <class W>
unsigned signed_length(W word) {
  return core::bit_length(core::zigzag(word));
}

template <std::size_t n>
std::uint64_t used_in(const std::array<std::uint32_t, n>& counts) {
  return static_cast<std::uint64_t>(
      std::count_if(counts.begin(), counts.end(), [](std::uint32_t count) { return count > 0; }));
}

/// By the entropy of all symbols.
template <std::size_t n>
std::uint64_t cost_of_symbols(const std::array<std::uint32_t, n>& counts, std::uint64_t all,
                              std::uint64_t symbol_cost) {
  std::uint64_t cost = all * core::fixed_log2(all) + symbol_cost * used_in(counts);
  for (const std::uint64_t count : counts) cost -= count * core::fixed_log2(count);
  return cost;
}

/// The highest bit of a word is known from its length.
template <std::size_t n>
std::uint64_t cost_of_rests(const std::array<std::uint32_t, n>& lengths) {
  std::uint64_t bits = 0;
  for (std::size_t length = 2; length < n; ++length) bits += lengths[length] * (length - 1);
  return bits * trees::cost_of_bit;
}

}  // namespace

Sketch::Sketch(const trees::ColumnView& words)
    : width_(static_cast<unsigned>(size_of(words.type))),
      is_float_(is_float(words.type)),
      count_(words.count) {
  with_word(width_, [&]<class W>(W) {
    if (is_float_)
      count_floats(words.words<W>(), width_ == 8 ? 52 : 23);
    else
      count_integers(words.words<W>(), is_signed(words.type));
  });
}

template <class W>
void Sketch::count_integers(std::span<const W> words, bool is_signed_type) {
  W before = 0;
  for (const W word : words) {
    ++values_[width_ == 1 ? word : word * core::splitmix_step >> 56];
    ++lengths_[is_signed_type ? signed_length(word) : core::bit_length(word)];
    ++others_[signed_length(static_cast<W>(word - before))];
    before = word;
  }
}

template <class W>
void Sketch::count_floats(std::span<const W> words, unsigned mantissa_bits) {
  for (const W word : words) {
    ++values_[word * core::splitmix_step >> 56];
    const auto zeros = static_cast<unsigned>(std::countr_zero(word));
    ++lengths_[mantissa_bits - std::min(zeros, mantissa_bits)];
    const std::uint64_t bits = word;
    ++others_[(bits >> mantissa_bits & 31) | bits >> (8 * sizeof(W) - 1) << 5];
  }
}

void Sketch::add(const Sketch& other) {
  count_ += other.count_;
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] += other.values_[i];
  for (std::size_t i = 0; i < lengths_.size(); ++i) lengths_[i] += other.lengths_[i];
  for (std::size_t i = 0; i < others_.size(); ++i) others_[i] += other.others_[i];
}

std::uint64_t Sketch::cost(std::uint64_t symbol_cost) const {
  std::uint64_t best = cost_of_symbols(lengths_, count_, symbol_cost) + cost_of_rests(lengths_);
  const std::uint64_t of_others = cost_of_symbols(others_, count_, symbol_cost);
  best = is_float_ ? best + of_others : std::min(best, of_others + cost_of_rests(others_));
  const std::uint64_t listed = used_in(values_);
  if (width_ > 1 && listed > max_listed_words) return best;
  const std::uint64_t entry_cost = width_ > 1 ? width_ * trees::cost_of_byte : 0;
  return std::min(best, cost_of_symbols(values_, count_, symbol_cost) + listed * entry_cost);
}

}  // namespace floe::pipeline
