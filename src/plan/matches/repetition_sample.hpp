// What repetitions of a stream save, by a sample of positions that are looked for in much of it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "core/bits.hpp"
#include "core/splitmix.hpp"
#include "encodings/encoding.hpp"

namespace floe::trees {

/// Positions that are looked for.
inline constexpr std::uint32_t repetition_anchors = 256;

/// `key_bytes` of each position are compared first: more of differences, of which few may be all that there
/// are.
template <core::Word W, std::uint64_t key_bytes>
class RepetitionSample {
 public:
  /// If `segment_words` is not 0, only that counts which repeats in another segment of so many words, and not
  /// as well in its own.
  explicit RepetitionSample(std::span<const W> words, std::uint64_t segment_words = 0)
      : words_(words.data()),
        count_(words.size()),
        last_(count_ - key_words),
        segment_words_(segment_words == 0 ? count_ : segment_words),
        wants_far_(segment_words != 0) {
    for (std::uint32_t i = 0; i < repetition_anchors; ++i) {
      const std::uint64_t position = positions_[i] = position_of(i), hash = hash_at(position);
      slots_[hash >> slot_shift] = static_cast<std::uint8_t>(i);
      filter_[hash >> filter_shift >> 6] |= std::uint64_t{1} << (hash >> filter_shift & 63);
    }
  }

  /// What matches save of the anchors' words that need so many bits in 256 words.
  std::uint64_t saved_bits(std::uint64_t bits_of_256_words, std::uint64_t part) {
    const std::uint64_t windows = std::min<std::uint64_t>(scan_windows, part == 1 ? 1 : scan_windows),
                        window = last_ / windows / part;
    for (std::uint64_t i = 0; i < windows; ++i) {
      const std::uint64_t first = last_ / windows * i + (last_ / windows - window) / 2;
      for (std::uint64_t at = first; at < first + window; ++at) {
        const std::uint64_t hash = hash_at(at);
        std::uint64_t& bits = filter_[hash >> filter_shift >> 6];
        const unsigned bit = hash >> filter_shift & 63;
        if ((bits >> bit & 1) == 0) continue;
        const std::uint8_t anchor = slots_[hash >> slot_shift];
        judge(anchor, at, bits_of_256_words);
        // Of words that repeat everywhere, no others are compared.
        if (!wants_far_ && near_.judged[anchor] == max_judged) bits &= ~(std::uint64_t{1} << bit);
      }
    }
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < repetition_anchors; ++i)
      sum += wants_far_ ? far_.saved[i] - std::min(far_.saved[i], near_.saved[i]) : near_.saved[i];
    return sum;
  }

 private:
  static constexpr std::uint64_t key_words = key_bytes / sizeof(W);
  /// The other positions that are looked at are neighbours in so many windows, and a part of all.
  static constexpr std::uint64_t scan_windows = 16;
  /// Other positions with the same key that are compared with one: words that repeat everywhere take no
  /// longer.
  static constexpr std::uint8_t max_judged = 8;
  /// Equal words beyond that save no more of each.
  static constexpr std::uint64_t max_length = 256;
  /// Bits of a match beside those of its distance.
  static constexpr std::uint64_t lengths_bits = 8;
  static constexpr unsigned slot_shift = 64 - 10, filter_shift = 64 - 16;

  [[nodiscard]] std::uint64_t position_of(std::uint32_t anchor) const {
    const std::uint64_t step = std::max<std::uint64_t>(last_ / repetition_anchors, 1);
    return std::min(last_, anchor * step + core::splitmix(anchor) % step);
  }
  [[nodiscard]] std::uint64_t hash_at(std::uint64_t at) const {
    std::uint64_t hash = 0;
    for (std::uint64_t i = 0; i < key_bytes; i += 8) {
      hash = (std::rotr(hash, 32) ^
              core::load<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(words_ + at) + i)) *
             core::splitmix_step;
    }
    return hash;
  }
  void judge(std::uint32_t anchor, std::uint64_t at, std::uint64_t bits_of_256_words) {
    const std::uint64_t a = std::min(at, positions_[anchor]), b = std::max(at, positions_[anchor]);
    Found& found = !wants_far_ || a / segment_words_ == b / segment_words_ ? near_ : far_;
    if (a == b || found.judged[anchor] == max_judged) return;
    std::uint64_t length = 0, before = 0;
    while (length < max_length && b + length < count_ && words_[a + length] == words_[b + length]) ++length;
    if (length < key_words) return;
    ++found.judged[anchor];
    while (before < max_length && before < a && words_[a - before - 1] == words_[b - before - 1]) ++before;
    length += before;
    const std::uint64_t all = length * bits_of_256_words / 256,
                        match = lengths_bits + core::bit_length(b - a);
    if (all > match) found.saved[anchor] = std::max(found.saved[anchor], (all - match) * 256 / length);
  }

  struct Found {
    std::array<std::uint64_t, repetition_anchors> saved{};  ///< Bits of 256 words.
    std::array<std::uint8_t, repetition_anchors> judged{};
  };

  const W* words_;
  std::uint64_t count_, last_, segment_words_;
  bool wants_far_;
  std::array<std::uint64_t, repetition_anchors> positions_{};
  std::array<std::uint8_t, 1 << 10> slots_{};
  std::array<std::uint64_t, 1 << 10> filter_{};
  Found near_, far_;  ///< In the same segment, and in others.
};

/// What matches save of the words around all anchors, if 256 words need so many bits, and a `part`-th of the
/// stream is looked at; `segment_words`: see RepetitionSample. Precondition: no fewer words than a key has.
template <std::uint64_t key_bytes>
std::uint64_t saved_by_repetitions(const ColumnView& words, std::uint64_t bits_of_256_words,
                                   std::uint64_t part, std::uint64_t segment_words = 0) {
  return with_word(size_of(words.type), [&]<class W>(W) {
    return RepetitionSample<W, key_bytes>(words.words<W>(), segment_words)
        .saved_bits(bits_of_256_words, part);
  });
}

}  // namespace floe::trees
