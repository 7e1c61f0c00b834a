// DropShape: units that are zero are dropped.
#pragma once

#include "chunks/stages/shape.hpp"
#include "tests/oracle/bitmap_levels.hpp"

namespace floe::oracle {

/// Payload: kept units; if there is one, the levels of the bitmap of kept units; the original length, 2
/// bytes.
template <class Stage, core::Word W>
MaybeBytes encode(stages::DropShape, const Bytes& in, const core::ChunkContext&) {
  using Unit = typename Stage::Unit;
  static_assert(sizeof(Unit) == 1, "no tail is defined for larger units yet");
  Bytes bitmap(bitmap_bytes<Unit>, 0), out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i] == 0) continue;
    out.push_back(in[i]);
    set_bit(bitmap, i);
  }
  if (!out.empty()) append_levels(out, bitmap);
  append_word(out, static_cast<std::uint16_t>(in.size()));
  if (out.size() >= core::chunk_bytes) return std::nullopt;
  return out;
}

template <class Stage, core::Word W>
MaybeBytes decode(stages::DropShape, const Bytes& in, const core::ChunkContext&) {
  if (in.size() < 2) return std::nullopt;
  const std::size_t length = core::load<std::uint16_t>(in.data() + in.size() - 2);
  if (length > core::chunk_bytes) return std::nullopt;
  Bytes rest(in.begin(), in.end() - 2);
  Bytes out(length, 0);
  if (rest.empty()) return out;

  const MaybeBytes bitmap = take_levels(rest, bitmap_bytes<typename Stage::Unit>);
  if (!bitmap) return std::nullopt;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < core::chunk_bytes; ++i) {
    if (!bit_of(*bitmap, i)) continue;
    if (i >= length || taken >= rest.size()) return std::nullopt;
    out[i] = rest[taken++];
  }
  if (taken != rest.size()) return std::nullopt;
  return out;
}

}  // namespace floe::oracle
