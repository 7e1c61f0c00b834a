// The shapes of stages: how neighbouring words take part in a transformation. A stage states its shape and
// gives word formulas; a backend implements shapes. Every stage is a stateless struct with a member type
// `Shape` naming one of the tags below.
#pragma once

#include <concepts>
#include <cstdint>

#include "core/word.hpp"

namespace floe::stages {

struct MapShape {};       ///< Each word by itself.
struct ScanShape {};      ///< Each word against its predecessor; decoding is a prefix scan.
struct LaneScanShape {};  ///< Each group of 32 words against the group before it.
struct TileShape {};      ///< Square tiles of bits, transposed.
struct PackShape {};      ///< 32 sub-chunks per chunk, each with the bit width of its largest word.
struct OffsetPackShape {
};  ///< The same for narrow words, which are packed as differences or as offsets from a base.
struct BytePackShape {
};  ///< Groups of 32 words, each word with a 4-bit code that says how many of its bytes follow.
struct DropShape {};  ///< Zero units dropped; a compressed bitmap says which.
struct DropTopsShape {
};  ///< The upper bits of words dropped where they are predictable; a compressed bitmap says where.

/// A sub-chunk of LaneScanShape and BytePackShape stages: one word per lane.
inline constexpr unsigned lanes = 32;

template <class Stage, class W>
concept MapStage = core::Word<W> && std::same_as<typename Stage::Shape, MapShape> && requires(W w) {
  { Stage::forward(w) } -> std::same_as<W>;
  { Stage::inverse(w) } -> std::same_as<W>;
};

/// `combine(residual(w, p), p) == w` for all w and p, and combine is associative, so that decoding can be a
/// parallel scan.
template <class Stage, class W>
concept ScanStage = core::Word<W> && std::same_as<typename Stage::Shape, ScanShape> && requires(W w) {
  { Stage::residual(w, w) } -> std::same_as<W>;
  { Stage::combine(w, w) } -> std::same_as<W>;
};

/// Like ScanStage, but lane l of a sub-chunk is predicted from lane `source_lane(l, dimensionality)` of the
/// sub-chunk before.
template <class Stage, class W>
concept LaneScanStage = core::Word<W> && std::same_as<typename Stage::Shape, LaneScanShape> &&
    requires(W w, unsigned lane) {
  { Stage::residual(w, w) } -> std::same_as<W>;
  { Stage::combine(w, w) } -> std::same_as<W>;
  { Stage::source_lane(lane, lane) } -> std::same_as<unsigned>;
};

/// `plane(p)` of a tile collects bit `source_bit(p)` of its words; word j lands in bit `target_bit(j)`.
template <class Stage, class W>
concept TileStage = core::Word<W> && std::same_as<typename Stage::Shape, TileShape> &&
    requires(unsigned index) {
  { Stage::template source_bit<W>(index) } -> std::same_as<unsigned>;
  { Stage::template target_bit<W>(index) } -> std::same_as<unsigned>;
};

/// `fold` is a second mapping of words, taken for a sub-chunk when it makes the sub-chunk's largest word
/// smaller.
template <class Stage, class W>
concept PackStage = core::Word<W> && std::same_as<typename Stage::Shape, PackShape> && requires(W w) {
  { Stage::fold(w) } -> std::same_as<W>;
  { Stage::unfold(w) } -> std::same_as<W>;
};

/// `residual` and `combine` as for ScanStage, `fold` as for PackStage. `offset` is the third mapping of
/// words: `word(offset(w, base), base) == w` if w is 0, or `ordered(w)` is above `base`.
template <class Stage, class W>
concept OffsetPackStage =
    core::Word<W> && sizeof(W) <= 2 && std::same_as<typename Stage::Shape, OffsetPackShape>&& requires(W w) {
  { Stage::residual(w, w) } -> std::same_as<W>;
  { Stage::combine(w, w) } -> std::same_as<W>;
  { Stage::fold(w) } -> std::same_as<W>;
  { Stage::unfold(w) } -> std::same_as<W>;
  { Stage::ordered(w) } -> std::same_as<W>;
  { Stage::offset(w, w) } -> std::same_as<W>;
  { Stage::word(w, w) } -> std::same_as<W>;
};

template <class Stage, class W>
concept BytePackStage = core::Word<W> && std::same_as<typename Stage::Shape, BytePackShape> &&
    requires(W w, unsigned code) {
  { Stage::code(w) } -> std::same_as<unsigned>;  // 0 to 15
  { Stage::payload(w) } -> std::same_as<W>;      // its lowest payload_bytes(code(w)) bytes are stored
  { Stage::template payload_bytes<W>(code) } -> std::same_as<unsigned>;
  { Stage::word(code, w) } -> std::same_as<W>;  // inverse: code and stored bytes to word
};

template <class Stage>
concept DropStage = std::same_as<typename Stage::Shape, DropShape> && core::Word<typename Stage::Unit>;

/// `difference(w, previous)` is small where the upper bits of `w` are predictable: zero, or those of the word
/// before.
template <class Stage, class W>
concept DropTopsStage = core::Word<W> && std::same_as<typename Stage::Shape, DropTopsShape> && requires(W w) {
  { Stage::difference(w, w) } -> std::same_as<W>;
};

template <class Stage, class W>
concept AnyStage = MapStage<Stage, W> || ScanStage<Stage, W> || LaneScanStage<Stage, W> ||
    TileStage<Stage, W> || PackStage<Stage, W> || OffsetPackStage<Stage, W> || BytePackStage<Stage, W> ||
    DropStage<Stage> || DropTopsStage<Stage, W>;

}  // namespace floe::stages
