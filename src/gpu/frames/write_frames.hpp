// Everything of a frame that is no payload, on the device: what is set up before segments are encoded;
// headers, tables, footers and results afterwards.
#pragma once

#include "core/digest.hpp"
#include "gpu/frames/frame_memory.hpp"
#include "gpu/frames/frame_parts.hpp"
#include "gpu/frames/job.hpp"
#include "gpu/frames/segment_facts.hpp"
#include "gpu/warp/atomics.hpp"
#include "gpu/warp/block_crc.hpp"

namespace floe::gpu {

FLOE_DEVICE std::uint32_t number_of(ErrorCode code) { return static_cast<std::uint32_t>(code); }

/// Checks one array and fills in its item but for what lies before it.
FLOE_DEVICE CompressItem make_item(const CompressJob& job, std::uint64_t index) {
  const BatchItem given = job.batch == nullptr ? job.single : job.batch[index];
  CompressItem item;
  item.in = static_cast<const std::uint8_t*>(given.in);
  item.out = static_cast<std::uint8_t*>(given.out);
  item.capacity = given.out_bytes;
  item.content_bytes = given.in_bytes;
  if (job.device_bytes != nullptr) {
    item.content_bytes = *job.device_bytes;
    if (item.content_bytes > given.in_bytes) item.code = number_of(ErrorCode::invalid_argument);
  }
  const std::uint64_t row_bytes = job.row_elements * job.element_bytes;
  const bool is_whole = row_bytes == 0 ? item.content_bytes == 0 : item.content_bytes % row_bytes == 0;
  const bool has_memory = reinterpret_cast<std::uintptr_t>(item.out) % container::alignment == 0 &&
                          (item.content_bytes == 0 || item.in != nullptr) &&
                          item.content_bytes <= max_device_bytes &&
                          (item.capacity == 0 || item.out != nullptr);
  // Trees read words at multiples of their size.
  const bool is_aligned =
      job.streams == nullptr || reinterpret_cast<std::uintptr_t>(item.in) % job.element_bytes == 0;
  if (!is_whole || !has_memory || !is_aligned) item.code = number_of(ErrorCode::invalid_argument);
  return item;
}

/// By one block.
template <class Block>
FLOE_DEVICE void set_up(Block& block, const CompressJob& job) {
  std::uint64_t* const totals = block.memory().warp_totals;
  std::uint64_t chunks = 0, units = 0;
  for (std::uint64_t base = 0; base < job.item_count; base += block.size()) {
    const std::uint64_t i = base + block.rank();
    CompressItem item;
    std::uint64_t item_chunks = 0, item_units = 0;
    if (i < job.item_count) {
      item = make_item(job, i);
      if (item.code != 0) item.content_bytes = 0;
      const FrameGeometry geometry{job.rules, item.content_bytes};
      item_chunks = geometry.chunk_count();
      item_units = item_chunks == 0 ? 1 : geometry.segment_count();
    }
    const BlockScan chunk_scan = block_scan(block, totals, item_chunks);
    const BlockScan unit_scan = block_scan(block, totals, item_units);
    if (i < job.item_count) {
      item.first_chunk = static_cast<std::uint32_t>(chunks + chunk_scan.before);
      item.first_unit = static_cast<std::uint32_t>(units + unit_scan.before);
      job.items[i] = item;
      if (job.encoded != nullptr) job.encoded[i] = {0, no_offset, 0, 0};
    }
    chunks += chunk_scan.total;
    units += unit_scan.total;
  }
  if (chunks > job.chunk_capacity || units > job.unit_capacity) {  // the caller's total was too small
    for (std::uint64_t i = block.rank(); i < job.item_count; i += block.size()) {
      job.items[i].code = number_of(ErrorCode::out_of_memory);
      job.items[i].content_bytes = 0;
      job.items[i].first_unit = static_cast<std::uint32_t>(i);
    }
    chunks = 0;
    units = job.item_count;
  }
  if (block.rank() == 0) {
    job.counters->ticket = job.counters->arrived = 0;
    job.counters->chunk_count = static_cast<std::uint32_t>(chunks);
    job.counters->unit_count = static_cast<std::uint32_t>(units);
  }
}

/// Where the chunks of a codec's segment stand: its streams without a stage over the segment.
class WrittenSegment {
 public:
  FLOE_DEVICE WrittenSegment(const CompressJob& job, const CompressItem& item, std::uint32_t segment)
      : job_(job), item_(item), geometry_{job.rules, item.content_bytes}, segment_(segment) {}

  FLOE_DEVICE std::uint8_t kind() const { return chunks::kind_content; }
  FLOE_DEVICE std::uint32_t chunk_count() const { return geometry_.segment_chunks(segment_); }
  /// Padded bytes of the payloads of the segment's first chunks.
  FLOE_DEVICE std::uint64_t payloads_before(std::uint32_t chunk) const {
    return of_item(first_chunk() + chunk) - of_item(first_chunk());
  }
  /// Checksum, stored bytes and mode of a chunk of the segment.
  FLOE_DEVICE std::uint64_t entry(std::uint32_t chunk) const {
    return job_.entries[item_.first_chunk + first_chunk() + chunk];
  }
  /// Of the segment in the frame.
  FLOE_DEVICE std::uint64_t offset() const {
    return geometry_.segment_offset(segment_, of_item(first_chunk()));
  }
  FLOE_DEVICE std::uint64_t footer_offset() const {
    return geometry_.footer_offset(of_item(geometry_.chunk_count()));
  }

 private:
  FLOE_DEVICE std::uint32_t first_chunk() const { return segment_ * job_.rules.chunks_per_segment; }
  /// Padded bytes of the item's first chunks.
  FLOE_DEVICE std::uint64_t of_item(std::uint32_t chunk) const {
    return chunk == 0 ? 0 : sum_before(item_.first_chunk + chunk) - sum_before(item_.first_chunk);
  }
  FLOE_DEVICE std::uint64_t sum_before(std::uint32_t chunk) const {
    return chunk == 0 ? 0 : job_.states[chunk - 1] & OffsetState::number;
  }

  const CompressJob& job_;
  const CompressItem& item_;
  FrameGeometry geometry_;
  std::uint32_t segment_;
};

/// Writes numbers of a frame, at any multiple of their size.
template <class Number>
FLOE_DEVICE void put(std::uint8_t* at, Number number) {
  store_aligned(at, number);
}

/// Writes front and table of a codec's stream. Returns this thread's share of the stream's digest.
template <class Block, class Segment>
FLOE_DEVICE std::uint64_t write_table(Block& block, const CompressJob& job, const Segment& written,
                                      std::uint8_t* stream) {
  const std::uint32_t chunk_count = written.chunk_count();
  const std::uint8_t kind = written.kind();
  if (block.rank() < chunks::front_bytes / 8) {
    const std::uint64_t begin = job.leaf.plan | std::uint64_t{kind} << 8 * chunks::kind_at;
    put(stream + 8 * block.rank(), block.rank() == 0 ? begin : 0);
  }
  std::uint8_t* const table = stream + chunks::front_bytes;
  const TableLayout layout(chunk_count, job.rules.checksums);
  constexpr auto per_group = static_cast<std::uint32_t>(chunks::chunks_per_group);
  for (std::uint32_t group = 1 + block.rank(); group * per_group < chunk_count; group += block.size())
    put(table + 8 * (group - 1), written.payloads_before(group * per_group));
  std::uint64_t digest = block.rank() == 0 ? job.leaf.digest_terms[kind] : 0;
  constexpr unsigned batch = 8;  // entries of a thread that are loaded at once
  for (std::uint32_t first = block.rank(); first < chunk_count; first += batch * block.size()) {
    std::uint64_t entries[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t chunk = first + i * block.size();
      entries[i] = chunk < chunk_count ? written.entry(chunk) : 0;
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t chunk = first + i * block.size();
      if (chunk >= chunk_count) break;
      if (job.rules.checksums) put(table + layout.checksums + 4 * chunk, low_half(entries[i]));
      put(table + layout.stored_bytes + 2 * chunk, static_cast<std::uint16_t>(entries[i] >> 32));
      table[layout.modes + chunk] = static_cast<std::uint8_t>(entries[i] >> 48);
      digest += core::digest_term(1 + chunk, entries[i]);
    }
  }
  const std::uint64_t end = chunks::table_bytes(chunk_count, job.rules.checksums);
  if (layout.end + block.rank() < end) table[layout.end + block.rank()] = 0;
  return digest;
}

/// Of a segment's header, what its content decides.
struct SegmentContent {
  std::uint64_t stored_bytes = 0, digest = 0;
  container::ValueRange range;
};

/// Writes the header of a segment to its position, and its entry of the index. By a warp.
template <class Warp>
FLOE_DEVICE void write_segment_header(Warp& warp, const CompressJob& job, CompressItem& item,
                                      std::uint32_t segment, const SegmentContent& facts,
                                      std::uint64_t offset, std::uint64_t footer_offset) {
  const FrameGeometry geometry{job.rules, item.content_bytes};
  const std::uint64_t first = geometry.segment_begin(segment) / job.element_bytes;
  const unsigned lane = warp.lane();
  SegmentHeader header;
  header.start.index = segment;
  header.start.first = first;
  header.start.count = header.column.count =
      static_cast<std::uint32_t>(geometry.segment_bytes(segment) / job.element_bytes);
  header.start.header_crc = job.header_crc;
  header.column.range_kind = static_cast<std::uint8_t>(facts.range.kind);
  header.column.range_min = facts.range.min;
  header.column.range_max = facts.range.max;
  header.column.type = static_cast<std::uint8_t>(job.dtype);
  header.column.stored_bytes = facts.stored_bytes;
  header.column.digest = facts.digest;
  if (lane == 0) {
    store_aligned(item.out + footer_offset + sizeof(FooterStart) + sizeof(IndexEntry) * segment,
                  IndexEntry{offset, first});
    atomic_add(&item.digest, core::digest_term(segment, facts.digest));
  }
  constexpr unsigned words = sizeof(SegmentHeader) / 4;
  static_assert(words <= warp_lanes);
  const std::uint32_t word = lane < words ? word32(reinterpret_cast<const std::uint8_t*>(&header), lane) : 0,
                      crc = warp_crc(warp, word, words - 1);
  if (lane < words) put(item.out + offset + 4 * lane, lane == words - 1 ? crc : word);
}

/// Writes what a footer says besides its index, which stands there already.
template <class Block>
FLOE_DEVICE void write_footer(Block& block, const CompressJob& job, const CompressItem& item,
                              std::uint32_t segments, std::uint8_t* footer) {
  const std::uint64_t bytes = container::footer_bytes(segments),
                      elements = item.content_bytes / job.element_bytes;
  std::uint8_t* const end = footer + bytes - sizeof(FooterEnd);
  FooterEnd last{bytes};
  if (block.rank() == 0) {
    FooterStart start;
    start.header_crc = job.header_crc;
    start.outer_size = job.is_scalar           ? 1
                       : job.row_elements == 0 ? job.outer_size_of_empty_rows
                                               : elements / job.row_elements;
    start.digest = load_fresh<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(&item.digest));
    store_aligned(footer, start);
    store_aligned(end, last);
  }
  block.sync();
  last.crc = block_crc(block, footer, bytes - 8);
  if (block.rank() == 0) store_aligned(end, last);
}

/// True for all threads of the last block that gets here. What the others wrote before is then visible to
/// loads that bypass L1.
template <class Block>
FLOE_DEVICE bool is_last_of(Block& block, std::uint32_t* arrived, std::uint32_t count) {
  block.sync();
  if (block.rank() == 0) {
    fence();
    block.memory().flag = atomic_add(arrived, 1) + 1 == count ? 1 : 0;
    fence();
  }
  block.sync();
  return block.memory().flag != 0;
}

/// A part of a frame of `segments` segments.
struct FrameUnit {
  std::uint32_t index, segment, segments;
  std::uint64_t footer_offset, frame_bytes;
  bool is_good;  ///< The frame fits.

  FLOE_DEVICE FrameUnit(const CompressJob& job, std::uint32_t item_index, std::uint32_t segment_index,
                        std::uint64_t footer)
      : index(item_index), segment(segment_index), footer_offset(footer) {
    const CompressItem& item = job.items[index];
    segments = FrameGeometry{job.rules, item.content_bytes}.segment_count();
    frame_bytes = footer_offset + container::footer_bytes(segments);
    is_good = item.code == 0 && frame_bytes <= item.capacity;
  }
  /// Of those that arrive. An empty frame has one, too.
  [[nodiscard]] FLOE_DEVICE std::uint32_t units() const { return segments == 0 ? 1 : segments; }
};

/// Writes the footer of a frame whose units have all arrived, and its result.
template <class Block>
FLOE_DEVICE void finish_frame(Block& block, const CompressJob& job, const FrameUnit& unit) {
  const CompressItem& item = job.items[unit.index];
  if (unit.is_good) write_footer(block, job, item, unit.segments, item.out + unit.footer_offset);
  if (block.rank() != 0) return;
  const std::uint32_t code = item.code != 0 ? item.code : number_of(ErrorCode::output_too_small);
  job.results[unit.index] = {unit.is_good ? unit.frame_bytes : 0, no_offset, unit.is_good ? 0 : code, 0};
}

/// Writes a part of a frame: its header with the first segment, its footer and result with the last one of
/// its segments that gets here. `write_segment()` writes what is the segment's; it is left out if the frame
/// does not fit.
template <class Block, class WriteSegment>
FLOE_DEVICE void finish_unit(Block& block, const CompressJob& job, const FrameUnit& unit,
                             const WriteSegment& write_segment) {
  CompressItem& item = job.items[unit.index];
  if (unit.is_good && unit.segment == 0 && block.rank() < job.rules.header_bytes)
    item.out[block.rank()] = job.header[block.rank()];
  if (unit.is_good && unit.segment < unit.segments) write_segment(item);
  if (is_last_of(block, &item.units_done, unit.units())) finish_frame(block, job, unit);
}

/// Writes a codec's segment but for its payloads. `Segment` is WrittenSegment, or of segments with history
/// WrittenHistory.
template <class Segment, class Block>
FLOE_DEVICE void finish_leaf(Block& block, const CompressJob& job, std::uint32_t unit) {
  const std::uint32_t index = item_of_unit(job, unit);
  const std::uint32_t segment = unit - job.items[index].first_unit;
  const Segment written(job, job.items[index], segment);
  const std::uint64_t footer_offset = written.footer_offset();
  finish_unit(block, job, {job, index, segment, footer_offset}, [&](CompressItem& item) {
    const std::uint64_t offset = written.offset();
    std::uint8_t* const stream = item.out + offset + container::array_segment_header_bytes;
    SegmentContent facts;
    facts.digest =
        block_scan(block, block.memory().warp_totals, write_table(block, job, written, stream)).total;
    const std::uint32_t chunk_count = written.chunk_count();
    facts.stored_bytes =
        leaf_header_bytes(chunk_count, job.rules.checksums) + written.payloads_before(chunk_count);
    if (block.warp_index() == 0)
      write_segment_header(block.warp(), job, item, segment, facts, offset, footer_offset);
  });
}

/// A stream of a frame of trees.
FLOE_DEVICE FrameUnit stream_unit(const CompressJob& job, std::uint32_t unit) {
  const std::uint32_t index = item_of_unit(job, unit), segment = unit - job.items[index].first_unit;
  const std::uint64_t streams = job.items[index].content_bytes == 0 ? 0 : job.encoded[index].bytes;
  return {job, index, segment, job.rules.header_bytes + streams};
}
/// Whether blocks have told what the header of a stream's segment says.
FLOE_DEVICE bool has_known_facts(const CompressJob& job, std::uint32_t unit) {
  return job.facts != nullptr && job.facts[unit].is_known != 0;
}
FLOE_DEVICE SegmentContent known_facts(const CompressJob& job, std::uint32_t unit) {
  const StreamFacts& known = job.facts[unit];
  return {job.streams[unit].bytes,
          known.digest,
          {static_cast<container::RangeKind>(known.range_kind), known.range_min, known.range_max}};
}

/// Writes the header of a segment, with what the frame has before and behind its segments.
template <class Block>
FLOE_DEVICE void finish_stream(Block& block, const CompressJob& job, std::uint32_t unit) {
  const FrameUnit own = stream_unit(job, unit);
  finish_unit(block, job, own, [&](CompressItem& item) {
    const FrameGeometry geometry{job.rules, item.content_bytes};
    const SegmentEntry& stream = job.streams[unit];
    const std::uint64_t offset = job.rules.header_bytes + stream.offset;
    SegmentContent facts;
    facts.stored_bytes = stream.bytes;
    facts.digest = stream_digest(block, block.memory().warp_totals, item.out + offset, stream.bytes,
                                 job.rules.checksums);
    facts.range = find_range(block, job.dtype, item.in + geometry.segment_begin(own.segment),
                             geometry.segment_bytes(own.segment) / job.element_bytes);
    if (block.warp_index() == 0)
      write_segment_header(block.warp(), job, item, own.segment, facts,
                           offset - container::array_segment_header_bytes, own.footer_offset);
  });
}

/// The same by a warp, if the facts are known, but for the footer. Returns whether the unit is the last one
/// that arrives.
template <class Warp>
FLOE_DEVICE bool finish_known_stream(Warp& warp, const CompressJob& job, std::uint32_t unit) {
  const FrameUnit own = stream_unit(job, unit);
  CompressItem& item = job.items[own.index];
  if (own.is_good && own.segment == 0) {
    for (std::uint32_t i = warp.lane(); i < job.rules.header_bytes; i += warp_lanes)
      item.out[i] = job.header[i];
  }
  if (own.is_good && own.segment < own.segments) {
    const std::uint64_t offset =
        job.rules.header_bytes + job.streams[unit].offset - container::array_segment_header_bytes;
    write_segment_header(warp, job, item, own.segment, known_facts(job, unit), offset, own.footer_offset);
  }
  warp.sync();
  std::uint32_t arrived = 0;
  if (warp.lane() == 0) {
    fence();
    arrived = atomic_add(&item.units_done, 1) + 1;
    fence();
  }
  return warp.shuffle(arrived, 0) == own.units();
}

/// Finishes a block's share of the streams: warps those of which the facts are known, the block the others.
/// `index`: of the block, of `count`.
template <class Block>
FLOE_DEVICE void finish_streams_of(Block& block, const CompressJob& job, std::uint32_t index,
                                   std::uint32_t count) {
  const std::uint32_t units = job.counters->unit_count;
  std::uint64_t* const flags = block.memory().warp_totals;
  FLOE_NO_UNROLL
  for (std::uint32_t first = index * block.warp_count(); first < units; first += count * block.warp_count()) {
    const std::uint32_t own = first + block.warp_index();
    const bool is_last =
        own < units && has_known_facts(job, own) && finish_known_stream(block.warp(), job, own);
    if (!block.any(is_last)) continue;
    if (block.warp().lane() == 0) flags[block.warp_index()] = is_last ? 1 : 0;
    block.sync();
    std::uint32_t last = 0;
    for (unsigned w = 0; w < block.warp_count(); ++w) last |= flags[w] != 0 ? 1u << w : 0;
    block.sync();
    for (unsigned w = 0; w < block.warp_count(); ++w)
      if ((last >> w & 1) != 0) finish_frame(block, job, stream_unit(job, first + w));
  }
  bool are_some_unknown = false;
  for (std::uint32_t unit = index + block.rank() * count; unit < units; unit += block.size() * count)
    are_some_unknown = are_some_unknown || !has_known_facts(job, unit);
  if (!block.any(are_some_unknown)) return;
  for (std::uint32_t unit = index; unit < units; unit += count)
    if (!has_known_facts(job, unit)) finish_stream(block, job, unit);
}

}  // namespace floe::gpu
