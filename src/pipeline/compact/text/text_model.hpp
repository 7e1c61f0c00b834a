// How probable the next bit of a CSV text is, after all bits before it: docs/format/text.md, "Model".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/compact/text/text_contexts.hpp"
#include "pipeline/compact/text/text_histories.hpp"
#include "pipeline/compact/text/text_mixer.hpp"
#include "pipeline/compact/text/text_tree.hpp"

namespace floe::pipeline {

/// Everything is calculated in integers: the same on every machine.
class TextModel {
 public:
  /// May throw std::bad_alloc.
  TextModel(std::uint64_t byte_count, std::uint8_t separator, TextKind kind);

  /// The probability that the next bit of a path is 1, times 2^16: 16 to 2^16 - 16.
  [[nodiscard]] std::uint32_t probability();
  /// The bit that probability() was asked for.
  void update(unsigned bit);
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const noexcept { return contexts_.bytes(); }
  [[nodiscard]] const TextTree& tree() const noexcept { return tree_; }
  /// What a model takes.
  [[nodiscard]] static std::uint64_t memory_bytes(std::uint64_t byte_count) noexcept;

 private:
  /// A probability of 22 bits that follows what happens, the quicker the less has happened, above a count of
  /// 10 bits of that.
  struct Adaptive {
    std::uint32_t state = std::uint32_t{1} << 31;
    void update(unsigned bit) noexcept;
  };
  static constexpr std::size_t interval_count = 33;

  void begin_byte();
  void find_histories(std::uint32_t group);
  [[nodiscard]] std::int16_t repetition_input();
  [[nodiscard]] std::uint32_t refined(std::span<std::uint16_t> table, std::uint32_t context,
                                      std::size_t& nearest) const;

  TextTree tree_;
  TextContexts contexts_;
  TextHistories histories_;
  TextMixer mixer_;
  std::array<std::uint32_t, text_context_count> hashes_{};
  std::array<std::uint8_t*, text_context_count> group_{};   ///< Histories of the nodes of a group.
  std::array<std::uint8_t, text_context_count> history_{};  ///< Of the node.
  std::uint32_t node_;
  std::uint32_t bits_ = 0, depth_ = 0;  ///< Of the path to the node.

  std::array<std::array<Adaptive, 256>, text_context_count> of_history_;
  std::array<Adaptive, 64> of_repetition_;
  std::size_t repetition_ = 0;  ///< The one in use.
  int expected_bit_ = -1;

  std::array<std::size_t, 3> set_begins_{};  ///< Sets of weights that the column and the position choose.
  std::int32_t mixed_ = 0;
  std::vector<std::uint16_t> by_node_, by_last_;
  std::size_t nearest_by_node_ = 0, nearest_by_last_ = 0;
};

}  // namespace floe::pipeline
