// Which shapes of stages would codecs with a better ratio need besides those of stages/shape.hpp? Three,
// tried here and not part of the library; docs/decisions/0003-room-to-grow.md says what was learnt.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "chunks/reference/bytes.hpp"
#include "chunks/stages/shape.hpp"

namespace floe::experiments {

using reference::Bytes;
using reference::MaybeBytes;

struct SplitShape {};        ///< One stream becomes several, and each has a pipeline of its own.
struct LatticeShape {};      ///< Each word against its neighbours in up to three dimensions of the array.
struct CooperativeShape {};  ///< One function that all members of a group (the lanes of a warp) run together.

/// What a split stage makes of its input: parameters, which are stored as they are, and streams.
template <std::size_t parameter_bytes, std::size_t stream_count>
struct Parts {
  std::array<std::uint8_t, parameter_bytes> parameters{};
  std::array<Bytes, stream_count> streams;
};

/// `merge(split(in)) == in`. `split` may decline. `merge` gets anything, and declines what no split can have
/// made.
template <class Stage, class W>
concept SplitStage = core::Word<W> &&
    requires(const Bytes& in, const typename Stage::template PartsOf<W>& parts) {
  { Stage::template split<W>(in) } -> std::same_as<std::optional<typename Stage::template PartsOf<W>>>;
  { Stage::template merge<W>(parts) } -> std::same_as<MaybeBytes>;
};

/// The prediction of a word is the sum of `contribution(n, d)` over its neighbours n, where d is the number
/// of dimensions in which the neighbour lies one step back. `combine(residual(w, p), p) == w` for all w and
/// p.
template <class Stage, class W>
concept LatticeStage = core::Word<W> && std::same_as<typename Stage::Shape, LatticeShape> &&
    requires(W w, unsigned dimensions) {
  { Stage::max_dimensions } -> std::convertible_to<unsigned>;
  { Stage::contribution(w, dimensions) } -> std::same_as<W>;
  { Stage::residual(w, w) } -> std::same_as<W>;
  { Stage::combine(w, w) } -> std::same_as<W>;
};

/// Sums over the members of a group.
struct Scan {
  std::uint32_t before = 0;  ///< Sum over the members of lower rank.
  std::uint32_t total = 0;   ///< Sum over all members.
};

/// Members number from 0 to size() - 1 and all make the same calls. What a member wrote is seen by the others
/// after sync() or scan().
template <class G>
concept Group = requires(G group, std::uint32_t value) {
  { group.rank() } -> std::same_as<unsigned>;
  { group.size() } -> std::same_as<unsigned>;
  {group.sync()};
  { group.scan(value) } -> std::same_as<Scan>;
};

/// The group of a CPU thread that works alone.
struct SingleGroup {
  [[nodiscard]] unsigned rank() const { return 0; }
  [[nodiscard]] unsigned size() const { return 1; }
  void sync() const {}
  [[nodiscard]] Scan scan(std::uint32_t value) const { return {0, value}; }
};
static_assert(Group<SingleGroup>);

/// `encode` returns the bytes written to `out`, which has room for `bound(in.size())`. `decode` fills `out`,
/// whose size is what `decoded_bytes` reads from the payload, or returns false; it reads nothing outside
/// `in`, whatever it holds. Both return the same to all members. `Shared` is the memory that the group
/// shares.
template <class Stage>
concept CooperativeStage = std::same_as<typename Stage::Shape, CooperativeShape> &&
    requires(SingleGroup group, std::span<const std::uint8_t> in, std::span<std::uint8_t> out,
             typename Stage::Shared& shared) {
  { Stage::bound(in.size()) } -> std::same_as<std::size_t>;
  { Stage::encode(group, in, out, shared) } -> std::same_as<std::size_t>;
  { Stage::decoded_bytes(in) } -> std::same_as<std::optional<std::size_t>>;
  { Stage::decode(group, in, out, shared) } -> std::same_as<bool>;
};

}  // namespace floe::experiments
