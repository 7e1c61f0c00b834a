#include "encodings/match/match_source.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/memory_budget.hpp"
#include "core/spare_memory.hpp"
#include "encodings/match/sequences.hpp"

namespace floe::trees {
namespace {

constexpr std::size_t at_once = 16;  // bytes; copies may write as many more than they should

/// Copies forwards, so that words that were just written are read again where source and target overlap.
/// Reads and writes up to 16 bytes too many.
inline void copy_match(std::uint8_t* to, std::size_t distance, std::size_t bytes, std::size_t word_bytes) {
  const std::uint8_t* from = to - distance;
  const std::uint8_t* const end = to + bytes;
  if (distance < at_once) {
    // The pattern once more, until 16 bytes of it stand there, and then at a distance of several of it.
    for (std::size_t i = 0; i < at_once; i += word_bytes) std::memcpy(to + i, from + i, word_bytes);
    distance *= core::divide_up(at_once, distance);
    to += at_once;
    from = to - distance;
  }
  for (; to < end; to += at_once, from += at_once) std::memcpy(to, from, at_once);
}

template <core::Word W>
class MatchSource final : public Source {
 public:
  MatchSource() {}  // NOLINT(modernize-use-equals-default): which would clear the buffers

  bool open(Opening& opening) {
    const std::uint64_t literals = opening.bytes.get_varint();
    sequences_unread_ = opening.bytes.get_varint();
    const std::uint64_t farthest = opening.bytes.get_varint();
    words_left_ = opening.count;
    if (opening.bytes.failed() || literals > words_left_ || sequences_unread_ > words_left_ - literals ||
        farthest > std::min<std::uint64_t>(words_left_, MatchRules::max_distance))
      return false;
    farthest_ = static_cast<std::size_t>(farthest);
    literals_unread_ = literals;
    max_room_ = static_cast<std::size_t>(
        std::min<std::uint64_t>(words_left_, farthest + std::max<std::uint64_t>(farthest, min_room)));
    return (literals_ = opening.open_child(literals)) != nullptr &&
           (literal_lengths_ = opening.open_child(sequences_unread_)) != nullptr &&
           (match_lengths_ = opening.open_child(sequences_unread_)) != nullptr &&
           (distances_ = opening.open_child(sequences_unread_)) != nullptr;
  }

  ~MatchSource() override { core::keep_spare(std::move(memory_)); }

  bool read(void* words, std::size_t count) override {
    W* out = static_cast<W*>(words);
    while (count > 0) {
      if (given_ == made_ && !make_more()) return false;
      const std::size_t part = std::min(count, made_ - given_);
      std::memcpy(out, window() + given_, part * sizeof(W));
      given_ += part;
      out += part;
      count -= part;
    }
    return true;
  }
  bool skip(std::uint64_t count) override {
    while (count > 0) {
      if (given_ == made_ && !make_more()) return false;
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(count, made_ - given_));
      given_ += part;
      count -= part;
    }
    return true;
  }

 private:
  static constexpr std::size_t min_room = 1 << 14;  ///< Words of the window beyond the farthest ones.
  static constexpr std::size_t sequence_piece = 1024, slack_words = 2 * at_once / sizeof(W);

  [[nodiscard]] W* window() const { return reinterpret_cast<W*>(memory_.data()); }

  /// Room for more words, where those that matches reach stay. What is taken grows with what was decoded.
  void make_room() {
    if (room_ < max_room_) {
      const std::size_t room = std::min(max_room_, std::max(min_room, 2 * room_));
      core::MemoryBudget::take(room * sizeof(W));
      core::AlignedMemory larger = core::take_spare_block((room + slack_words) * sizeof(W));
      if (made_ > 0) std::memcpy(larger.data(), memory_.data(), made_ * sizeof(W));
      memory_.swap(larger);
      core::keep_spare(std::move(larger));
      room_ = room;
      return;
    }
    std::memmove(window(), window() + made_ - farthest_, farthest_ * sizeof(W));
    made_ = given_ = farthest_;
  }

  /// Decodes some of the next words. Precondition: there are some, and all others were given.
  bool make_more() {
    if (made_ == room_) make_room();
    const std::size_t before = made_,
                      end = made_ +
                            static_cast<std::size_t>(std::min<std::uint64_t>(words_left_, room_ - made_)),
                      wanted = std::min(end, made_ + piece_words);
    while (made_ < wanted) {
      if (literal_run_ == 0 && match_run_ == 0 && !copy_sequences(wanted, end)) return false;
      if (made_ < wanted && !copy_parts(wanted)) return false;
    }
    words_left_ -= made_ - before;
    return true;
  }

  /// Whole sequences, while there are some at hand, with their literals, and room.
  bool copy_sequences(std::size_t wanted, std::size_t end) {
    W* to = window() + made_;
    const W* const wanted_end = window() + wanted;
    const W* from = literal_buffer_.data() + next_literal_;
    std::size_t next = next_sequence_;
    bool is_good = true;
    while (to < wanted_end && next < sequence_count_) {
      const std::size_t literals = literal_length_buffer_[next],
                        length = std::size_t{match_length_buffer_[next]} + 1;
      if (literals > static_cast<std::size_t>(literal_buffer_.data() + literal_count_ - from) ||
          literals + length > static_cast<std::size_t>(window() + end - to))
        break;
      auto* const bytes = reinterpret_cast<std::uint8_t*>(to);
      std::size_t copied = 0;
      do {
        std::memcpy(bytes + copied, reinterpret_cast<const std::uint8_t*>(from) + copied, at_once);
        copied += at_once;
      } while (copied < literals * sizeof(W));
      to += literals;
      from += literals;
      const std::size_t distance = recent_.take(distance_buffer_[next++]);
      if (distance - 1 >= static_cast<std::size_t>(to - window()) || distance > farthest_) {
        is_good = false;
        break;
      }
      copy_match(reinterpret_cast<std::uint8_t*>(to), distance * sizeof(W), length * sizeof(W), sizeof(W));
      to += length;
    }
    next_sequence_ = next;
    next_literal_ = static_cast<std::size_t>(from - literal_buffer_.data());
    made_ = static_cast<std::size_t>(to - window());
    return is_good;
  }

  /// Of a sequence that may be longer than what is at hand, what is wanted.
  bool copy_parts(std::size_t wanted) {
    if (literal_run_ == 0 && match_run_ == 0 && !begin_sequence()) return false;
    while (literal_run_ > 0 && made_ < wanted) {
      if (next_literal_ == literal_count_ && !refill_literals()) return false;
      const std::size_t part =
          std::min({wanted - made_, literal_count_ - next_literal_, static_cast<std::size_t>(literal_run_)});
      std::memcpy(window() + made_, literal_buffer_.data() + next_literal_, part * sizeof(W));
      next_literal_ += part;
      made_ += part;
      literal_run_ -= part;
    }
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(wanted - made_, match_run_));
    if (part == 0) return true;
    if (distance_ - 1 >= made_ || distance_ > farthest_) return false;
    copy_match(reinterpret_cast<std::uint8_t*>(window() + made_), distance_ * sizeof(W), part * sizeof(W),
               sizeof(W));
    made_ += part;
    match_run_ -= part;
    return true;
  }

  bool begin_sequence() {
    if (next_sequence_ == sequence_count_) {
      if (sequences_unread_ == 0) {  // the rest are literals
        literal_run_ = literals_unread_ + (literal_count_ - next_literal_);
        return literal_run_ > 0;
      }
      sequence_count_ = static_cast<std::size_t>(std::min<std::uint64_t>(sequence_piece, sequences_unread_));
      sequences_unread_ -= sequence_count_;
      next_sequence_ = 0;
      if (!literal_lengths_->read(literal_length_buffer_.data(), sequence_count_) ||
          !match_lengths_->read(match_length_buffer_.data(), sequence_count_) ||
          !distances_->read(distance_buffer_.data(), sequence_count_))
        return false;
    }
    literal_run_ = literal_length_buffer_[next_sequence_];
    match_run_ = std::uint64_t{match_length_buffer_[next_sequence_]} + 1;
    distance_ = recent_.take(distance_buffer_[next_sequence_++]);
    return true;
  }

  bool refill_literals() {
    literal_count_ = static_cast<std::size_t>(std::min<std::uint64_t>(piece_words, literals_unread_));
    literals_unread_ -= literal_count_;
    next_literal_ = 0;
    return literal_count_ > 0 && literals_->read(literal_buffer_.data(), literal_count_);
  }

  std::unique_ptr<Source> literals_, literal_lengths_, match_lengths_, distances_;
  std::uint64_t words_left_ = 0;  ///< Not decoded.
  std::uint64_t literals_unread_ = 0, sequences_unread_ = 0;
  core::AlignedMemory memory_;
  std::size_t farthest_ = 0, max_room_ = 0,
              room_ = 0;              ///< Of the window, in words; the largest room that it gets.
  std::size_t made_ = 0, given_ = 0;  ///< Of the words in the window.
  std::uint64_t literal_run_ = 0, match_run_ = 0;  ///< What is left of a sequence.
  std::size_t distance_ = 0;
  RecentDistances recent_;
  std::size_t sequence_count_ = 0, next_sequence_ = 0, literal_count_ = 0, next_literal_ = 0;
  alignas(64) std::array<std::uint32_t, sequence_piece> literal_length_buffer_, match_length_buffer_,
      distance_buffer_;
  alignas(64) std::array<W, piece_words + slack_words> literal_buffer_;
};

}  // namespace

std::unique_ptr<Source> open_match(Opening& opening) {
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    auto source = std::make_unique<MatchSource<W>>();
    if (!source->open(opening)) return nullptr;
    return source;
  });
}

}  // namespace floe::trees
