// Memory for the streams between two encodings: blocks that are used again instead of being given back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/spare_memory.hpp"

namespace floe::trees {

class EncodingMemo;
class SearchMemo;
class Scratch;

/// What encodings remember of words that they may have to encode again.
struct Notes {
  Notes() = default;
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;
  virtual ~Notes() = default;
};

/// A block of uncleared memory, aligned to 64 bytes, that returns to its Scratch. May be read and written
/// `slack_bytes` beyond its size.
class Block {
 public:
  static constexpr std::size_t slack_bytes = 64;
  Block() = default;
  Block(Block&& other) noexcept { swap(other); }
  Block& operator=(Block&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Block();
  [[nodiscard]] std::uint8_t* data() const { return memory_.data(); }

 private:
  friend class Scratch;
  void swap(Block& other) noexcept {
    memory_.swap(other.memory_);
    std::swap(home_, other.home_);
  }

  core::AlignedMemory memory_;
  Scratch* home_ = nullptr;
};

/// Not thread-safe; must outlive its blocks.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    for (core::AlignedMemory& block : free_) core::keep_spare(std::move(block));
  }

  /// Throws std::bad_alloc.
  Block take(std::size_t bytes) {
    Block block;
    block.home_ = this;
    std::size_t best = free_.size();
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const std::size_t capacity = free_[i].capacity();
      if (capacity >= bytes + Block::slack_bytes &&
          (best == free_.size() || capacity < free_[best].capacity()))
        best = i;
    }
    if (best < free_.size()) {
      block.memory_.swap(free_[best]);
      free_[best].swap(free_.back());
      free_.pop_back();
      return block;
    }
    free_.reserve(free_.size() + 1 + taken_);  // so that giving back never allocates
    block.memory_ = core::take_spare_block(bytes + Block::slack_bytes);
    ++taken_;
    return block;
  }

  EncodingMemo* memo = nullptr;  ///< What is known of the stream at hand.
  SearchMemo* search_memo = nullptr;
  std::unique_ptr<Notes> known_tables, known_predictions;  ///< Of entropy coding, and of `linear`.

 private:
  friend class Block;
  void give_back(Block& block) noexcept {
    block.home_ = nullptr;
    free_.push_back(std::move(block.memory_));
  }

  std::vector<core::AlignedMemory> free_;
  std::size_t taken_ = 0;
};

inline Block::~Block() {
  if (home_ != nullptr && memory_.data() != nullptr) home_->give_back(*this);
}

}  // namespace floe::trees
