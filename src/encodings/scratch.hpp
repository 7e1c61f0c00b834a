// Memory for the streams between two encodings: blocks that are used again instead of being given back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace floe::trees {

class Scratch;

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
  [[nodiscard]] std::uint8_t* data() const { return memory_.get(); }

 private:
  friend class Scratch;
  struct Free {
    void operator()(std::uint8_t* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  using Memory = std::unique_ptr<std::uint8_t[], Free>;
  void swap(Block& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(capacity_, other.capacity_);
    std::swap(home_, other.home_);
  }

  Memory memory_;
  std::size_t capacity_ = 0;
  Scratch* home_ = nullptr;
};

/// Not thread-safe; must outlive its blocks.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Throws std::bad_alloc.
  Block take(std::size_t bytes) {
    Block block;
    block.home_ = this;
    std::size_t best = free_.size();
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (free_[i].capacity_ >= bytes && (best == free_.size() || free_[i].capacity_ < free_[best].capacity_))
        best = i;
    }
    if (best < free_.size()) {
      block.swap(free_[best]);
      block.home_ = this;
      std::swap(free_[best], free_.back());
      free_.pop_back();
      return block;
    }
    free_.reserve(free_.size() + 1 + taken_);  // so that giving back never allocates
    block.memory_ = Block::Memory(
        static_cast<std::uint8_t*>(::operator new[](bytes + Block::slack_bytes, std::align_val_t{64})));
    block.capacity_ = bytes;
    ++taken_;
    return block;
  }

  /// A vector whose contents do not matter, with the memory of one that was given.
  std::vector<std::uint8_t> take_vector() { return std::exchange(spare_, {}); }
  void give_vector(std::vector<std::uint8_t> vector) {
    if (vector.capacity() > spare_.capacity()) spare_ = std::move(vector);
  }

 private:
  friend class Block;
  void give_back(Block& block) noexcept {
    block.home_ = nullptr;
    free_.push_back(std::move(block));
  }

  std::vector<Block> free_;
  std::vector<std::uint8_t> spare_;
  std::size_t taken_ = 0;
};

inline Block::~Block() {
  if (home_ != nullptr && memory_ != nullptr) home_->give_back(*this);
}

}  // namespace floe::trees
