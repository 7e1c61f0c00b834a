// Segments of columns and frames to words, by blocks: what a block does with the segment of a ticket.
#pragma once

#include "gpu/decode/decode_segment.hpp"
#include "gpu/decode/segment_target.hpp"
#include "gpu/unpack/unpack_chain.hpp"

namespace floe::gpu {

/// Copies bytes of which a block made more than are wanted; from nowhere come zeros.
template <class Block>
FLOE_DEVICE void copy_words(Block& block, std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes,
                            unsigned width) {
  with_word_of(width, [&]<class W>(W) {
    for (std::uint64_t i = block.rank(); i < bytes / sizeof(W); i += block.size())
      store_word(to, i, from == nullptr ? W{0} : load_aligned<W>(from + i * sizeof(W)));
  });
}

/// Decodes a segment with the memory of block `number` of the launch.
template <class Block>
FLOE_DEVICE void decode_target(Block& block, const DecodeColumnsJob& job, std::uint32_t ticket,
                               std::uint32_t number) {
  const SegmentTarget to = target_of(job, ticket);
  if (to.words == 0) return;
  const std::uint64_t shift = number * job.scratch_bytes;
  ScratchMemory scratch{job.scratch + shift, job.scratch_bytes, 0};
  std::uint8_t* const out = words_of_target(to, scratch);
  std::uint32_t code = to.fault;
  if (to.data != nullptr) {
    const std::uint8_t* const opened =
        ticket < job.opened_count ? job.opened + ticket * job.opened_bytes + OpenedRecord::part : nullptr;
    code = out == nullptr
               ? static_cast<std::uint32_t>(ErrorCode::out_of_memory)
               : decode_segment(block, to.data, to.bytes, to.type, to.words, out, scratch, opened, shift);
  }
  if (to.code != nullptr && block.rank() == 0) *to.code = code;
  const unsigned width = to.width();
  const std::uint64_t wanted = std::uint64_t{to.end - to.begin} * width;
  if (code != 0) {
    copy_words(block, to.wanted, nullptr, wanted, width);
    if (block.rank() == 0) report_failure(to, code);
  } else if (!to.is_whole()) {
    copy_words(block, to.wanted, out + std::uint64_t{to.begin} * width, wanted, width);
  }
}

}  // namespace floe::gpu
