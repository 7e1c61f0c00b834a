// What words of a type look like, and about how many bits they take: in one look at each, without a search.
#pragma once

#include <array>
#include <cstdint>

#include "plan/objective.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::pipeline {

class Sketch {
 public:
  explicit Sketch(const trees::ColumnView& words);

  void add(const Sketch& other);
  /// Of the words, in trees::cost_of_bit. `symbol_cost`: of each symbol in a table.
  [[nodiscard]] std::uint64_t cost(std::uint64_t symbol_cost = default_symbol_cost) const;

 private:
  static constexpr std::uint64_t default_symbol_cost = 6 * trees::cost_of_bit;
  using Lengths = std::array<std::uint32_t, 65>;

  template <class W>
  void count_integers(std::span<const W> words, bool is_signed_type);
  template <class W>
  void count_floats(std::span<const W> words, unsigned mantissa_bits);

  unsigned width_;
  bool is_float_;
  std::uint64_t count_;
  std::array<std::uint32_t, 256> values_{};  ///< Wider words by a hash.
  Lengths lengths_{};                        ///< Of words, or of the mantissas of floats.
  Lengths others_{};                         ///< Lengths of differences, or signs and exponents.
};

}  // namespace floe::pipeline
