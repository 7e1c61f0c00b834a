// Words of columns and arrays to segments, by blocks: what a block does with the segment of a ticket. Where
// it goes is known when those before it have published their sizes.
#pragma once

#include "gpu/encode/encode_job.hpp"
#include "gpu/encode/encode_segment.hpp"
#include "gpu/pack/segment_offsets.hpp"

namespace floe::gpu {

/// The tree of a segment. Null if its index is too large.
FLOE_DEVICE const std::uint8_t* tree_of(const EncodeColumnsJob& job, const EncodeColumn& column,
                                        std::uint32_t segment) {
  const unsigned tree = column.tree_of_segment == nullptr ? 0 : column.tree_of_segment[segment];
  return tree < column.tree_count ? job.trees->bytes + job.trees->place[column.first_tree + tree] : nullptr;
}

/// The segment of a ticket, by one thread.
FLOE_DEVICE void find_target(const EncodeColumnsJob& job, std::uint32_t ticket, EncodeTarget& to) {
  unsigned index = 0;
  while (job.items == nullptr && ticket >= job.column[index].end_ticket) ++index;
  const EncodeColumn& column = job.column[index];
  std::uint64_t word_count = column.word_count;
  to.first_ticket = index == 0 ? 0 : job.column[index - 1].end_ticket;
  to.words.words = column.words;
  to.out = column.out;
  to.out_bytes = column.out_bytes;
  to.result = column.result;
  if (job.items != nullptr) {
    const std::uint64_t number =
        find_owner(job.item_count, ticket, [&](std::uint64_t i) { return job.items[i].first_unit; });
    const CompressItem& item = job.items[number];
    word_count = item.content_bytes / word_bytes(column.type);
    to.first_ticket = item.first_unit;
    to.words.words = item.in;
    to.out = item.out + job.header_bytes;
    to.out_bytes = item.capacity > job.header_bytes ? item.capacity - job.header_bytes : 0;
    to.result = job.encoded + number;
  }
  const std::uint32_t segment = ticket - to.first_ticket;
  const std::uint64_t first = std::uint64_t{segment} * column.segment_words, left = word_count - first;
  to.is_last = left <= column.segment_words;
  to.words = {to.words.words + first * word_bytes(column.type),
              static_cast<std::uint32_t>(to.is_last ? left : column.segment_words), column.type};
  to.entry = column.segments + (job.items != nullptr ? ticket : segment);
  to.tree = tree_of(job, column, segment);
  to.lead_bytes = column.lead_bytes;
}

/// Encodes the segment of a ticket; calls take_next() by one thread while its bytes are gathered.
template <class Block, class TakeNext>
FLOE_DEVICE void encode_ticket(Block& block, const EncodeColumnsJob& job, std::uint32_t ticket,
                               std::uint8_t* scratch, const TakeNext& take_next) {
  EncodeMemory& memory = block.memory();
  const EncodeTarget& to = memory.target;
  if (block.rank() == 0) {
    find_target(job, ticket, memory.target);
    if (to.tree != nullptr && to.tree != memory.plan_bytes) {
      read_encode_plan(to.tree, memory.plan);
      memory.plan_bytes = to.tree;
    }
  }
  block.sync();
  std::uint64_t bytes = 0;
  if (to.tree != nullptr && to.words.count > 0) bytes = encode_pieces(block, to.words, scratch);
  const std::uint64_t padded = (bytes + 15) / 16 * 16, all = padded + to.lead_bytes;
  const bool exists = to.words.count > 0;  // arrays without elements have a ticket, too
  if (block.warp_index() == 0 && exists) {
    std::uint64_t* const state = job.states + ticket;
    const bool is_first = ticket == to.first_ticket;
    if (block.rank() == 0 && !is_first) write_state(state, OffsetState::aggregate | all);
    const std::uint64_t offset =
        is_first ? 0 : bytes_before(block.warp(), job.states, to.first_ticket, ticket, [] { return false; });
    if (block.rank() == 0) {
      write_state(state, OffsetState::inclusive | (offset + all));
      const bool fits = to.tree != nullptr && offset + all <= to.out_bytes;
      memory.offset = fits ? offset + to.lead_bytes : ~std::uint64_t{0};
      *to.entry = {offset + to.lead_bytes, fits ? static_cast<std::uint32_t>(bytes) : 0, to.words.count};
      if (!fits)
        report_encode_failure(*to.result,
                              to.tree == nullptr ? ErrorCode::invalid_argument : ErrorCode::output_too_small);
      if (to.is_last) to.result->bytes = offset + all;
    }
  }
  block.sync();
  const std::uint64_t offset = exists ? memory.offset : ~std::uint64_t{0};
  if (block.rank() == 0) take_next();
  if (offset != ~std::uint64_t{0}) {
    std::uint8_t* const out = to.out + offset;
    gather_pieces(block, out);
    if (block.rank() < padded - bytes) out[bytes + block.rank()] = 0;
  }
  block.sync();
}

}  // namespace floe::gpu
