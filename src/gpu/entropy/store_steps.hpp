// What a block stores of a segment before it packs the leaf of entropy: multiples and the bits below a grid,
// and differences.
#pragma once

#include "gpu/entropy/entropy_packer.hpp"
#include "gpu/entropy/store_grid.hpp"

namespace floe::gpu {

/// Words in memory, as they are.
template <core::Word W>
struct WordLoader {
  const std::uint8_t* words;
  FLOE_DEVICE W operator()(std::uint32_t i) const {
    return load_aligned<W>(words + std::uint64_t{i} * sizeof(W));
  }
};

// Each pass over all words is a function of its own, as registers are few.

/// As GridStorer::choose. Publishes the range of the words if somebody asks for it.
template <core::Word W, bool finds_facts, class Block>
FLOE_DEVICE_CALL bool choose_grid(Block& block, EncodeStream from, std::uint8_t* low,
                                  std::uint8_t* temporary) {
  QuickRange<W> found(from.type);
  const bool is_good = GridStorer<W, Block>(block, from, low, temporary).choose([&](W word) {
    if constexpr (finds_facts) found.add(word);
  });
  if constexpr (finds_facts)
    if (is_good) publish_range(block, block.memory().room.memory.totals, found);
  return is_good;
}
template <core::Word W, class Block>
FLOE_DEVICE_CALL void store_grid(Block& block, EncodeStream from, std::uint8_t* low, std::uint8_t* temporary,
                                 std::uint8_t* multiples) {
  GridStorer<W, Block>(block, from, low, temporary).store(multiples);
}

/// Stores `count` differences, those of memory.taps, and publishes the range of the words if somebody asks
/// for it.
template <core::Word W, bool is_sortable, bool finds_facts, class Block>
FLOE_DEVICE_CALL void store_differences_of(Block& block, EncodeStream from, std::uint32_t count,
                                           std::uint8_t* to) {
  QuickRange<W> found(from.type);
  store_differences<W, is_sortable>(block, block.memory().taps, from.words, count, to, [&](W word) {
    if constexpr (finds_facts) found.add(word);
  });
  if constexpr (finds_facts) publish_range(block, block.memory().room.memory.totals, found);
}

/// Stores what stands between the words of memory.now and its chain, from `room` on. `temporary`: memory that
/// blocks of the section need later.
template <core::Word W, bool finds_facts, class Block>
class StepsStorer {
 public:
  FLOE_DEVICE StepsStorer(Block& block, std::uint8_t* room, std::uint8_t* temporary)
      : block_(block), now_(block.memory().now), from_(now_.words), room_(room), temporary_(temporary) {}

  /// False to all threads if another kernel is to encode the segment.
  FLOE_DEVICE bool store() {
    const bool is_constant = are_equal(block_, from_.count, WordLoader<W>{from_.words});
    if (is_constant) {
      if constexpr (finds_facts) {
        QuickRange<W> found(from_.type);
        found.add(WordLoader<W>{from_.words}(0));
        if (!now_.is_decimal) publish_range(block_, block_.memory().room.memory.totals, found);
      }
    } else if (now_.is_grid) {
      if (!store_multiples() || !store_deltas<false>()) return false;
    } else if (!(now_.is_decimal ? store_deltas<false>() : store_deltas<finds_facts>())) {
      return false;
    }
    if (block_.rank() == 0) now_.is_constant = is_constant;
    block_.sync();
    return true;
  }

 private:
  FLOE_DEVICE bool store_multiples() {
    std::uint8_t* const low = room_;
    if (!choose_grid<W, finds_facts>(block_, from_, low, temporary_)) return false;
    room_ += grid_exceptions_bytes(from_.count) / 16 * 16;
    take_room();
    store_grid<W>(block_, from_, low, temporary_, room_);
    from_ = {room_, from_.count, trees::child_type_of(EncodingId::grid, from_.type, 0, 0)};
    take_room();
    return !are_equal(block_, from_.count, WordLoader<W>{from_.words});
  }

  template <bool sees>
  FLOE_DEVICE bool store_deltas() {
    const unsigned stored = now_.stored;
    if (stored > 0 && from_.count <= now_.stored_heads()) return false;
    for (unsigned i = 1; i < stored; ++i) {
      const DeltaTaps taps = taps_of(now_.deltas, i);
      if (are_equal(block_, from_.count,
                    [&](std::uint32_t at) { return difference_at<W>(taps, at, loader()); }))
        return false;
    }
    if (block_.rank() == 0) {
      now_.undone = from_;
      block_.memory().taps = taps_of(now_.deltas, stored);
    }
    block_.sync();
    const std::uint32_t count = from_.count - block_.memory().taps.shift;
    if (stored > 0) {
      if (now_.is_sortable) {
        store_differences_of<W, true, sees>(block_, from_, count, room_);
      } else {
        store_differences_of<W, false, sees>(block_, from_, count, room_);
      }
    }
    if (block_.warp_index() == 0) {
      const std::uint32_t bytes = put_stored_header<W>(block_.warp(), now_, nullptr);
      if (block_.rank() == 0) now_.stored_header_bytes = bytes;
    }
    block_.sync();
    if (block_.rank() == 0)
      now_.words = stored == 0 ? from_ : EncodeStream{room_, count, signed_type(sizeof(W))};
    block_.sync();
    return true;
  }
  FLOE_DEVICE void take_room() { room_ += stored_words_bytes(from_.count, sizeof(W)); }

  [[nodiscard]] FLOE_DEVICE auto loader() const {
    return [words = WordLoader<W>{from_.words}, is_sortable = now_.is_sortable](std::uint32_t i) {
      bool good = true;
      return is_sortable ? MapSortable<W>::map(words(i), {}, good) : words(i);
    };
  }

  Block& block_;
  PackedSegment& now_;
  EncodeStream from_;
  std::uint8_t *room_, *temporary_;
};

/// The same: false to all threads if another kernel is to encode the segment.
template <core::Word W, bool finds_facts, class Block>
FLOE_DEVICE_CALL bool store_steps(Block& block, std::uint8_t* room, std::uint8_t* temporary) {
  return StepsStorer<W, finds_facts, Block>(block, room, temporary).store();
}

}  // namespace floe::gpu
