// Words that an encoding cannot say, as two child streams: the gaps between their positions, and the words
// themselves.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "encodings/encoding.hpp"

namespace floe::trees {

/// Gap i is the number of words between exceptions i - 1 and i.
inline constexpr DType gap_type = DType::u64;

/// Appends the two streams for the words at `positions`, which ascend.
void put_exceptions(const ColumnView& in, std::span<const std::uint64_t> positions, Encoded& out);

/// Puts exceptions back into the words of a stream, piece by piece.
template <core::Word W>
class ExceptionPatcher {
 public:
  /// Opens the two children. False if the bytes contradict the format.
  bool open(Opening& opening, std::uint64_t exception_count) {
    gaps_ = opening.open_child(exception_count);
    if (gaps_ == nullptr) return false;
    values_ = opening.open_child(exception_count);
    unread_ = exception_count;
    return values_ != nullptr;
  }

  /// `words` are the next `count` ones of the stream. False if the bytes contradict the format.
  bool patch(W* words, std::size_t count) {
    while (next_ < filled_ || unread_ > 0) {
      if (next_ == filled_ && !refill()) return false;
      std::uint64_t* const gap = gap_buffer_.data();
      std::size_t next = next_, at = 0;
      const std::size_t end = filled_;
      for (; next < end && gap[next] < count - at; ++next) {
        at += static_cast<std::size_t>(gap[next]);
        words[at++] = value_buffer_[next];
      }
      next_ = next;
      if (next < end) {
        gap[next] -= count - at;
        return true;
      }
      words += at;
      count -= at;
    }
    return true;
  }

  /// Passes over the next `count` words of the stream. False if the bytes contradict the format.
  bool skip(std::uint64_t count) {
    while (next_ < filled_ || unread_ > 0) {
      if (next_ == filled_ && !refill()) return false;
      for (; next_ < filled_ && gap_buffer_[next_] < count; ++next_) count -= gap_buffer_[next_] + 1;
      if (next_ < filled_) {
        gap_buffer_[next_] -= count;
        return true;
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t piece = 1024;
  bool refill() {
    filled_ = static_cast<std::size_t>(std::min<std::uint64_t>(piece, unread_));
    next_ = 0;
    unread_ -= filled_;
    return gaps_->read(gap_buffer_.data(), filled_) && values_->read(value_buffer_.data(), filled_);
  }

  std::unique_ptr<Source> gaps_, values_;
  std::uint64_t unread_ = 0;
  std::size_t next_ = 0, filled_ = 0;
  std::array<std::uint64_t, piece> gap_buffer_;
  std::array<W, piece> value_buffer_;
};

}  // namespace floe::trees
