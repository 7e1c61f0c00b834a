// What a block stores of a segment before it packs the leaf of entropy: multiples and the bits below a grid,
// and differences.
#pragma once

#include "gpu/entropy/entropy_packer.hpp"
#include "gpu/entropy/store_grid.hpp"

namespace floe::gpu {

/// Stores what stands between the words of memory.now and its chain, from `room` on. `temporary`: memory that
/// blocks of the section need later.
template <core::Word W, bool finds_facts, class Block>
class StepsStorer {
 public:
  FLOE_DEVICE StepsStorer(Block& block, std::uint8_t* room, std::uint8_t* temporary)
      : block_(block), now_(block.memory().now), from_(now_.words), room_(room), temporary_(temporary) {}

  /// False to all threads if another kernel is to encode the segment.
  FLOE_DEVICE bool store() {
    QuickRange<W> found(from_.type);
    const auto see = [&](W word) {
      if constexpr (finds_facts) found.add(word);
    };
    const bool is_constant = are_equal(block_, from_.count, WordLoader{from_.words});
    if (is_constant) {
      see(WordLoader{from_.words}(0));
    } else if (!(now_.is_grid ? store_multiples(see) && store_deltas([](W) {}) : store_deltas(see))) {
      return false;
    }
    if constexpr (finds_facts)
      if (!now_.is_decimal) tell_range(block_, found);
    if (block_.rank() == 0) now_.is_constant = is_constant;
    block_.sync();
    return true;
  }

 private:
  struct WordLoader {
    const std::uint8_t* words;
    FLOE_DEVICE W operator()(std::uint32_t i) const {
      return load_aligned<W>(words + std::uint64_t{i} * sizeof(W));
    }
  };

  template <class See>
  FLOE_DEVICE bool store_multiples(const See& see) {
    GridStorer<W, Block> grid(block_, from_, room_, temporary_);
    if (!grid.choose(see)) return false;
    room_ += grid_exceptions_bytes(from_.count) / 16 * 16;
    take_room();
    grid.store(room_);
    from_ = {room_, from_.count, trees::child_type_of(EncodingId::grid, from_.type, 0, 0)};
    take_room();
    return !are_equal(block_, from_.count, WordLoader{from_.words});
  }

  template <class See>
  FLOE_DEVICE bool store_deltas(const See& see) {
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
    const DeltaTaps& taps = block_.memory().taps;
    if (stored > 0) {
      if (now_.is_sortable) {
        store_differences<W, true>(block_, taps, from_.words, from_.count - taps.shift, room_, see);
      } else {
        store_differences<W, false>(block_, taps, from_.words, from_.count - taps.shift, room_, see);
      }
    }
    if (block_.warp_index() == 0) {
      const std::uint32_t bytes = put_stored_header<W>(block_.warp(), now_, nullptr);
      if (block_.rank() == 0) now_.stored_header_bytes = bytes;
    }
    block_.sync();
    if (block_.rank() == 0 && stored > 0)
      now_.words = {room_, from_.count - taps.shift, signed_type(sizeof(W))};
    if (block_.rank() == 0 && stored == 0) now_.words = from_;
    block_.sync();
    return true;
  }
  FLOE_DEVICE void take_room() { room_ += stored_words_bytes(from_.count, sizeof(W)); }

  [[nodiscard]] FLOE_DEVICE auto loader() const {
    return [words = WordLoader{from_.words}, is_sortable = now_.is_sortable](std::uint32_t i) {
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
