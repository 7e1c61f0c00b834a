// Delta with strides that are the rows and planes of arrays: the last words lie in a ring of that length.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "encodings/source.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {

/// Words, which are turned first if it `turns`, less those `stride` before, which are 0 where there are none.
/// `to` may be `from`, from whose end the rows are then taken.
template <core::Word W>
void subtract_far(const W* from, W* to, std::size_t count, std::size_t stride, bool turns) {
  const std::size_t first = std::min(stride, count);
  for (std::size_t end = count; end > first;) {
    const std::size_t begin = std::max(first, end - std::min(end, stride));
    const W *const words = from + begin, *const before = words - stride;
    kernels().of<W>().subtract(words, before, to + begin, end - begin, turns);
    end = begin;
  }
  if (turns)
    kernels().decoding<W>().turn(from, to, first);
  else if (to != from)
    std::memcpy(to, from, first * sizeof(W));
}

/// Sums up what its child gives.
template <core::Word W>
class FarDeltaSource final : public Source {
 public:
  /// `stride` need be no greater than the words that there are.
  FarDeltaSource(std::size_t stride, std::unique_ptr<Source> differences)
      : ring_(stride), differences_(std::move(differences)) {}

  bool read(void* words, std::size_t count) override {
    W* const out = static_cast<W*>(words);
    if (!differences_->read(out, count)) return false;
    for (std::size_t first = 0, part = 0; first < count; first += part) {
      part = std::min(count - first, ring_.size() - at_);
      kernels().decoding<W>().add(out + first, ring_.data() + at_, part, turns_);
      at_ = (at_ + part) % ring_.size();
    }
    return true;
  }
  bool turn_words() override { return turns_ = true; }
  [[nodiscard]] std::size_t words_before_blocks() const override {
    return differences_->words_before_blocks();
  }

 private:
  std::vector<W> ring_;
  std::size_t at_ = 0;  // of the next word
  bool turns_ = false;
  std::unique_ptr<Source> differences_;
};

}  // namespace floe::trees
