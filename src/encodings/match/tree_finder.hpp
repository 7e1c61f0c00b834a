// Finds bytes that stood before: positions of the same hash are in binary trees, ordered by the bytes that
// follow.
#pragma once

#include "encodings/match/match_finder.hpp"

namespace floe::trees {

/// Sees longer matches with fewer attempts than chains where a hash occurs everywhere, as in text, and takes
/// more time where few positions have the same.
class TreeFinder {
 public:
  /// Bytes beyond `max_length` do not order positions, and equal ones beyond are not counted.
  TreeFinder(std::span<const std::uint8_t> bytes, std::uint32_t attempts, std::uint32_t max_length,
             Scratch& scratch)
      : bytes_(bytes.data()),
        count_(static_cast<std::uint32_t>(bytes.size())),
        attempts_(attempts),
        max_length_(max_length),
        hash_bits_(std::clamp(static_cast<unsigned>(std::bit_width(bytes.size())) - 1, 8U, 18U)),
        heads_(scratch.take(sizeof(std::uint32_t) << hash_bits_)),
        reach_(std::min(std::bit_ceil(count_), max_match_distance)),
        children_(scratch.take(2 * sizeof(std::uint32_t) * std::size_t{reach_})) {
    std::memset(heads_.data(), 0, sizeof(std::uint32_t) << hash_bits_);
  }

  /// Whether there are enough bytes from there on.
  [[nodiscard]] bool has_hash(std::uint32_t at) const { return count_ - at >= hashed_words<std::uint8_t>; }

  /// Enters a position, each once and in order, and calls `found(length, distance)` for matches there, each
  /// longer than those before it. Precondition: has_hash(at).
  template <class Found>
  void enter(std::uint32_t at, const Found& found) {
    std::uint32_t& head = reinterpret_cast<std::uint32_t*>(heads_.data())[hash_at(bytes_, at, hash_bits_)];
    std::uint32_t candidate = std::exchange(head, at + 1);  // plus 1, or 0
    const std::uint32_t limit = std::min(count_ - at, max_length_);
    std::uint32_t *smaller = child(at), *greater = smaller + 1;  // where the next one of each kind belongs
    std::uint32_t smaller_length = 0, greater_length = 0, best = 0;
    for (std::uint32_t left = attempts_;; --left) {
      if (candidate == 0 || left == 0 || at - (candidate - 1) >= reach_) break;
      const std::uint32_t from = candidate - 1;
      std::uint32_t length = std::min(smaller_length, greater_length);
      length += equal_words(bytes_ + from + length, bytes_ + at + length, limit - length);
      std::uint32_t* const below = child(from);
      if (length > best) {
        best = length;
        found(length, at - from);
      }
      if (length == limit) {  // takes the place of the other one
        *smaller = below[0];
        *greater = below[1];
        return;
      }
      if (bytes_[from + length] < bytes_[at + length]) {
        *smaller = candidate;
        smaller = below + 1;
        candidate = *smaller;
        smaller_length = length;
      } else {
        *greater = candidate;
        greater = below;
        candidate = *greater;
        greater_length = length;
      }
    }
    *smaller = *greater = 0;
  }

 private:
  /// Of a position: those that are smaller, and greater.
  std::uint32_t* child(std::uint32_t at) {
    return reinterpret_cast<std::uint32_t*>(children_.data()) + 2 * std::size_t{at & (reach_ - 1)};
  }

  const std::uint8_t* bytes_;
  std::uint32_t count_, attempts_, max_length_;
  unsigned hash_bits_;
  Block heads_;
  std::uint32_t reach_;
  Block children_;
};

}  // namespace floe::trees
