// Opens a part of a segment. One thread reads its length and plan and the headers of its tree, from where the
// part before ended.
#pragma once

#include "gpu/decode/open_tree.hpp"

namespace floe::gpu {

/// Memory that decoding a segment of `count` words takes before all else.
struct SegmentScratch {
  std::uint8_t *plan_places = nullptr, *vector_places = nullptr;
  ScratchMemory rest;

  FLOE_DEVICE SegmentScratch(ScratchMemory scratch, std::uint32_t count) {
    plan_places = scratch.take(4 * std::uint64_t{max_parts});
    vector_places =
        scratch.take(sizeof(VectorPlace) * ((std::uint64_t{count} + tile_words - 1) / tile_words));
    rest = scratch;
  }
  FLOE_DEVICE bool is_there() const { return plan_places != nullptr && vector_places != nullptr; }
};

/// Reads the head of a segment. Returns an ErrorCode.
FLOE_DEVICE std::uint32_t begin_segment(const std::uint8_t* bytes, std::uint32_t size, std::uint32_t count,
                                        OpenedPart& part) {
  HeaderReader reader{bytes, 0, size};
  const std::uint64_t parts = reader.get_varint();
  if (reader.failed || parts == 0 || parts > max_parts)
    return static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  part.parts_left = static_cast<std::uint32_t>(parts);
  part.segment_at = reader.at;
  part.words_left = count;
  part.plan_count = 0;
  return 0;
}

/// Reads the head of the next part, and opens its tree. `out` is where the part's words go. The place of a
/// plan is put to `plan_places`, unless that is null: then it is the first part. Returns an ErrorCode.
FLOE_DEVICE std::uint32_t open_part(const std::uint8_t* bytes, std::uint32_t size, DType type,
                                    std::uint8_t* out, ScratchMemory& scratch, std::uint8_t* plan_places,
                                    OpenedPart& part) {
  constexpr auto corrupt = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  HeaderReader reader{bytes, part.segment_at, size};
  const bool is_last = --part.parts_left == 0;
  const std::uint64_t words = is_last ? part.words_left : reader.get_varint(),
                      reference = reader.get_varint();
  if (reader.failed || words == 0 || words > part.words_left || reference > part.plan_count) return corrupt;
  part.part_words = static_cast<std::uint32_t>(words);
  part.words_left -= part.part_words;
  HeaderReader plan{
      bytes, reference == 0 ? reader.at : word32(plan_places, static_cast<std::uint32_t>(reference - 1)),
      size};
  if (reference == 0) {
    if (part.plan_count == 0) part.first_plan = reader.at;
    if (plan_places != nullptr) store_word(plan_places, part.plan_count, reader.at);
    ++part.plan_count;
  }
  if (!read_plan(plan, type, part)) return corrupt;
  if (reference == 0) reader.at = plan.at;
  part.segment_at = reader.at;
  const std::uint32_t code = open_tree(reader, part.part_words, out, scratch, part);
  part.segment_at = reader.at;
  return code == 0 && is_last && reader.at != size ? corrupt : code;
}

}  // namespace floe::gpu
