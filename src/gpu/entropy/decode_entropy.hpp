// The words of an entropy leaf, by the warps of a block: each takes blocks of the leaf in turn.
#pragma once

#include "gpu/entropy/block_decoder.hpp"

namespace floe::gpu {

/// The shared memory that decode_entropy takes with so many warps.
FLOE_HD constexpr std::uint32_t entropy_room(unsigned warps) {
  return static_cast<std::uint32_t>(sizeof(EntropyTables)) + rings_room(warps);
}

/// Puts the lane's words of a group to a block's position in the output, at a multiple of their size.
template <core::Word W>
class WordSink {
 public:
  static constexpr bool adds_up = false;
  FLOE_DEVICE explicit WordSink(std::uint8_t* out)
      : out_(out), is_placed_(reinterpret_cast<std::uintptr_t>(out) % sizeof(Lane) == 0) {}
  template <bool is_full, class Beside>
  FLOE_DEVICE void operator()(const GroupWords<W, is_full>& group, const Beside& beside) const {
    NoScan nothing;
    beside(nothing);
    std::uint8_t* const to = out_ + std::uint64_t{group.first} * sizeof(W);
    if (is_placed_ && group.left >= steps) {
      Lane lane;
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k) lane.word[k] = group.word[k];
      store_global(to, lane);
      return;
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      if (k < group.left) store_word(to, k, group.word[k]);
    }
  }

 private:
  static constexpr unsigned steps = trees::entropy_steps<W>;
  struct alignas(steps * sizeof(W)) Lane {
    W word[steps];
  };
  std::uint8_t* out_;
  bool is_placed_;
};

/// Decodes the blocks of a section that was opened to `out`. Called by all threads; false to some if one is
/// damaged.
template <core::Word W, EntropyShape shape, class Block>
FLOE_DEVICE_CALL bool decode_section(Block& block, const EntropyPayload& payload, EntropyTables& tables,
                                     std::uint8_t* rings_room, std::uint8_t* out) {
  EntropyTable& table = tables.first;
  EntropyCode<W, shape> code(table);
  if constexpr (code.has_tables) code.set_tables(tables);
  const EntropyRings rings = rings_of(rings_room, block.warp_count(), block.warp_index());
  bool good = true;
  for (std::uint32_t i = block.warp_index(); i < table.section.block_count(); i += block.warp_count()) {
    BlockDecoder<W, shape, std::remove_reference_t<decltype(block.warp())>> decoder(block.warp(), code,
                                                                                    rings);
    WordSink<W> sink(out + (std::uint64_t{i} << table.section.header.block_bits) * sizeof(W));
    good = decoder.run(find_block(payload, table.section, i), sink) && good;
  }
  return good;
}

/// Decodes a payload to `out` with shared memory of entropy_room(warps) bytes, a multiple of 16. Called by
/// all threads, none of which uses that memory; false to all if the payload is damaged. `may_have_tables`: it
/// is one of multi_entropy.
template <core::Word W, class Block>
FLOE_DEVICE_CALL bool decode_entropy(Block& block, const EntropyPayload& payload, bool may_have_tables,
                                     std::uint8_t* shared, std::uint8_t* out) {
  auto& tables = *reinterpret_cast<EntropyTables*>(shared);
  std::uint8_t* const rings = shared + sizeof tables;
  const EntropySection& section = tables.first.section;
  for (std::uint32_t i = 0; i < payload.section_count(); ++i) {
    const bool is_open = may_have_tables ? open_section_of_tables<W>(block, payload, i, tables)
                                         : open_section<W>(block, payload, i, tables.first);
    if (!is_open) return false;
    using Shape = EntropyShape;
    const auto begin = reinterpret_cast<std::uintptr_t>(payload.bytes + section.begin);
    const bool is_placed = begin % 16 == 0 && (section.end - section.begin) % 16 == 0;
    const bool is_any = payload.unit() == 1 || !is_placed;
    const Shape shape = section.table_bits > 0 ? (is_any ? Shape::any_of_tables : Shape::several)
                        : is_any               ? Shape::any
                                               : shape_of<W>(section);
    bool good;
    if (shape == Shape::any) {
      good = decode_section<W, Shape::any>(block, payload, tables, rings, out);
    } else if (shape == Shape::any_of_tables) {
      good = decode_section<W, Shape::any_of_tables>(block, payload, tables, rings, out);
    } else if (shape == Shape::several) {
      good = decode_section<W, Shape::several>(block, payload, tables, rings, out);
    } else if (shape == Shape::long_codes) {
      good = decode_section<W, Shape::long_codes>(block, payload, tables, rings, out);
    } else {
      good = decode_section<W, Shape::short_codes>(block, payload, tables, rings, out);
    }
    if (block.any(!good)) return false;
    out += trees::section_words * sizeof(W);
  }
  return true;
}

}  // namespace floe::gpu
