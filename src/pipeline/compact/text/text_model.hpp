// How probable the next bit of a CSV text is, after all bits before it: docs/format/text.md, "Model".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/compact/text/text_contexts.hpp"

namespace floe::pipeline {

/// Everything is calculated in integers: the same on every machine.
class TextModel {
 public:
  /// May throw std::bad_alloc.
  TextModel(std::uint64_t byte_count, std::uint8_t separator);

  /// The probability that the next bit is 1, times 2^16: 16 to 2^16 - 16.
  [[nodiscard]] std::uint32_t probability();
  /// The bit that probability() was asked for. The highest bit of a byte is the first.
  void update(unsigned bit);
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const noexcept { return contexts_.bytes(); }
  /// What a model takes.
  [[nodiscard]] static std::uint64_t memory_bytes(std::uint64_t byte_count) noexcept;

 private:
  /// A probability, times 2^22, that follows what happens: the quicker the less has happened.
  struct Adaptive {
    std::uint32_t probability = std::uint32_t{1} << 21;
    std::uint32_t count = 0;
    void update(unsigned bit) noexcept;
  };
  static constexpr std::size_t input_count = text_context_count + 2;
  static constexpr std::size_t mixer_count = 3;
  static constexpr std::size_t line_bytes = 16, interval_count = 33;

  void find_lines();
  [[nodiscard]] std::int32_t repetition_input();
  [[nodiscard]] std::uint32_t refined(std::span<std::uint16_t> table, std::uint32_t context,
                                      std::size_t& nearest) const;

  TextContexts contexts_;
  std::vector<std::uint8_t> lines_;  ///< Histories of bits by context: a check byte, then 15 of a half byte.
  std::uint32_t line_mask_;
  std::array<std::uint32_t, text_context_count> hashes_{};
  std::array<std::size_t, text_context_count> line_{};  ///< Where those in use begin.
  std::uint32_t begun_ = 1;                             ///< The bits of the byte that are known, behind a 1.
  unsigned bit_index_ = 0, node_ = 1;

  std::array<std::array<Adaptive, 256>, text_context_count> of_history_;
  std::array<Adaptive, 64> of_repetition_;
  std::size_t repetition_ = 0;  ///< The one in use.
  int expected_bit_ = -1;

  std::array<std::int32_t, input_count> inputs_{};
  std::array<std::vector<std::int32_t>, mixer_count> weights_;
  std::array<std::size_t, mixer_count> chosen_{};  ///< Where the weights in use begin.
  std::array<std::int32_t, mixer_count> mixed_{};
  std::vector<std::int32_t> final_weights_;
  std::int32_t final_ = 0;

  std::vector<std::uint16_t> by_byte_, by_last_;
  std::size_t nearest_by_byte_ = 0, nearest_by_last_ = 0;
};

}  // namespace floe::pipeline
