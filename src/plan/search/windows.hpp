// Samples of a stream: neighbouring words, because differences and runs are about neighbours, at positions
// that are spread evenly.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/word.hpp"
#include "encodings/encoding.hpp"
#include "encodings/stream.hpp"
#include "plan/search/far/strides.hpp"

namespace floe::trees {

/// Windows begin at multiples of every small stride, so that a word's phase is the same in a window as in the
/// stream.
inline constexpr std::uint64_t window_alignment = 840;

/// Windows of a batch in the memory of a device, at which trees are tried: with fewer, what is quiet for a
/// while is taken for the whole.
inline constexpr std::uint64_t planning_window_words = 2048, planning_windows = 6;

/// Words in the middle of those windows of which there are those at hand, too, that lie once and twice as far
/// before them as a stride says: of so many strides.
inline constexpr std::uint64_t far_window_words = 512, max_window_strides = 3;

/// Where window `index` of `count` windows begins: in the middle of each of as many equal parts.
FLOE_HD constexpr std::uint64_t window_position(std::uint64_t stream_words, std::uint64_t words,
                                                std::uint64_t count, std::uint64_t index) {
  const std::uint64_t middle = stream_words / (2 * count) * (2 * index + 1) - words / 2;
  return middle - middle % window_alignment;
}

/// The whole stream if it is hardly longer than the windows. Precondition: at least one word.
inline std::vector<ColumnView> windows_of(const ColumnView& stream, std::uint64_t words, std::size_t count) {
  if (stream.count <= words * count) return {stream};
  std::vector<ColumnView> windows;
  const auto* const bytes = static_cast<const std::uint8_t*>(stream.values);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t first = window_position(stream.count, words, count, i);
    windows.push_back({stream.type, bytes + first * size_of(stream.type), words});
  }
  return windows;
}

/// So many words in the middle of a window.
inline ColumnView middle_of(const ColumnView& window, std::uint64_t words) {
  return windows_of(window, words, 1)[0];
}

/// A sample of a stream, and how many words of the stream there are for each one of the sample.
struct Sample {
  ColumnView words;
  std::uint64_t scale = 256;  ///< In 1/256.
  bool is_in_chain = true;    ///< Below steps that devices take while they read the words of a leaf.
  [[nodiscard]] std::uint64_t whole(std::uint64_t amount) const { return amount * scale / 256; }
};

/// The scale of a window of a stream of `count` words.
inline std::uint64_t scale_of(const ColumnView& window, std::uint64_t count) {
  return std::max<std::uint64_t>(256, count * 256 / window.count);
}

/// A segment of which only windows are at hand, because it lies in the memory of a device: as many words as
/// trees are searched with.
struct SegmentWindows {
  DType type = DType::u8;
  std::uint64_t count = 0;      ///< Words of the segment, at least one.
  const void* words = nullptr;  ///< words_at_hand(count) of them: the whole segment, or the planning windows
                                ///< one behind the other.
  std::uint64_t words_together = 0;  ///< So many are encoded together, with a dictionary, say; 0: all.
  FarStrides strides = {};           ///< For which there are words before the windows.
  const void* before = nullptr;      ///< Those: of each stride, once and twice as far; of each window.

  /// Of what is encoded with one tree by itself.
  [[nodiscard]] std::uint64_t planned_count() const {
    return words_together == 0 ? count : std::min(count, words_together);
  }
  static FLOE_HD constexpr std::uint64_t words_at_hand(std::uint64_t count) {
    return count < planning_windows * planning_window_words ? count
                                                            : planning_windows * planning_window_words;
  }
  /// How many words lie before windows, for so many strides.
  static FLOE_HD constexpr std::uint64_t words_before(std::size_t stride_count) {
    return stride_count * 2 * planning_windows * far_window_words;
  }
  /// Whether a segment of `count` words has words so far before all windows.
  static FLOE_HD constexpr bool has_before(std::uint64_t count, std::uint64_t stride) {
    return count > planning_windows * planning_window_words &&
           2 * stride <= window_position(count, far_window_words, planning_windows, 0);
  }
  /// Where word `index` of those before windows lies in a segment of `count` words, if it has such.
  static FLOE_HD constexpr std::uint64_t position_before(std::uint64_t count, std::uint64_t stride,
                                                         std::uint64_t index) {
    const std::uint64_t window = index / far_window_words % planning_windows,
                        times = index / (far_window_words * planning_windows) % 2 + 1;
    return window_position(count, far_window_words, planning_windows, window) - times * stride +
           index % far_window_words;
  }
  /// What lies `times` as far before the middle of a window as stride number `stride` says.
  [[nodiscard]] ColumnView words_before(std::size_t stride, unsigned times, std::size_t window) const {
    const std::uint64_t first = ((2 * stride + times - 1) * planning_windows + window) * far_window_words;
    return {type, static_cast<const std::uint8_t*>(before) + first * size_of(type), far_window_words};
  }
};

/// Of an array that is encoded in segments: strides that are worth a look, as most of a segment has words as
/// far before.
constexpr FarStrides window_strides(const FarStrides& strides, std::uint64_t segment_words) {
  return strides.first(max_window_strides, segment_words / 4);
}

/// Stores what is at hand of a segment that lies in memory of the host, at any address. Returns it; there is
/// room for words_at_hand() words.
inline SegmentWindows store_windows(const ColumnView& segment, std::uint64_t words_together,
                                    std::uint8_t* to) {
  const SegmentWindows stored{segment.type, segment.count, to, words_together};
  for (const ColumnView& window : windows_of(segment, planning_window_words, planning_windows)) {
    std::memcpy(to, window.values, static_cast<std::size_t>(window.bytes()));
    to += window.bytes();
  }
  return stored;
}

/// Stores what lies before windows, too, if the segment has as much. There is room for words_before().
inline void store_before(const ColumnView& segment, const FarStrides& strides, std::uint8_t* to,
                         SegmentWindows& stored) {
  constexpr std::uint64_t of_stride = SegmentWindows::words_before(1);
  stored.strides = strides;
  stored.before = to;
  const auto* const from = static_cast<const std::uint8_t*>(segment.values);
  const std::size_t width = size_of(segment.type);
  for (const std::uint32_t stride : strides.get()) {
    if (!SegmentWindows::has_before(segment.count, stride)) break;
    for (std::uint64_t i = 0; i < of_stride; i += far_window_words, to += far_window_words * width)
      std::memcpy(to, from + SegmentWindows::position_before(segment.count, stride, i) * width,
                  static_cast<std::size_t>(far_window_words * width));
  }
}

/// What trees::windows_of gives of the whole segment, for up to planning_window_words: smaller windows lie
/// within the planning windows, because all have the same middles but for the alignment.
inline std::vector<ColumnView> windows_of(const SegmentWindows& segment, std::uint64_t words) {
  if (segment.count <= planning_windows * planning_window_words)
    return windows_of(ColumnView{segment.type, segment.words, segment.count}, words, planning_windows);
  std::vector<ColumnView> windows;
  const auto* const bytes = static_cast<const std::uint8_t*>(segment.words);
  for (std::uint64_t i = 0; i < planning_windows; ++i) {
    const std::uint64_t in_window =
        window_position(segment.count, words, planning_windows, i) -
        window_position(segment.count, planning_window_words, planning_windows, i);
    windows.push_back(
        {segment.type, bytes + (i * planning_window_words + in_window) * size_of(segment.type), words});
  }
  return windows;
}

/// Some windows one behind the other. The phase of words stays the same for small strides.
class JoinedWindows {
 public:
  JoinedWindows(DType type, std::uint64_t words, Scratch& scratch) : joined_(type, words, scratch) {
    joined_.shorten(0);
  }
  void add(const ColumnView& window) {
    const std::uint64_t count = view().count;
    std::memcpy(static_cast<std::uint8_t*>(const_cast<void*>(view().values)) + count * size_of(window.type),
                window.values, static_cast<std::size_t>(window.bytes()));
    joined_.shorten(count + window.count);
  }
  [[nodiscard]] ColumnView view() const { return joined_.view(); }

 private:
  Stream joined_;
};

/// Windows that are spread evenly: at even positions of so many if they are for the search, else at odd ones.
/// Short streams have fewer and longer ones. Precondition: the stream has twice as many words.
inline JoinedWindows sample_of(const ColumnView& stream, std::uint64_t windows, std::uint64_t words,
                               bool for_search, Scratch& scratch) {
  constexpr std::uint64_t min_words_of_window = window_alignment;
  const std::uint64_t all = windows * words,
                      count = std::clamp<std::uint64_t>(stream.count / (2 * min_words_of_window), 1, windows);
  JoinedWindows joined(stream.type, all, scratch);
  const auto* const bytes = static_cast<const std::uint8_t*>(stream.values);
  for (std::uint64_t i = for_search ? 0 : 1; i < 2 * count; i += 2) {
    const std::uint64_t position = window_position(stream.count, all / count, 2 * count, i);
    joined.add({stream.type, bytes + position * size_of(stream.type), all / count});
  }
  return joined;
}

}  // namespace floe::trees
