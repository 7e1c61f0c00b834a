// Headers and footers of frames in device memory: nothing that they say is believed before it is checked. The
// checks are those of src/container, in their order.
#pragma once

#include "core/digest.hpp"
#include "gpu/frames/frame_memory.hpp"
#include "gpu/frames/frame_parts.hpp"
#include "gpu/frames/job.hpp"
#include "gpu/warp/atomics.hpp"
#include "gpu/warp/block_crc.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

namespace footer_at = container::footer_at;
namespace header_at = container::header_at;

/// A fault, or ok.
struct Fault {
  ErrorCode code = ErrorCode::ok;
  std::uint64_t byte_offset = 0;

  FLOE_DEVICE bool ok() const { return code == ErrorCode::ok; }
};
FLOE_DEVICE Fault corrupt(std::uint64_t offset) { return {ErrorCode::corrupt_frame, offset}; }
FLOE_DEVICE Fault unsupported(std::uint64_t offset) { return {ErrorCode::unsupported_version, offset}; }
/// A frame that is sound, but none that was asked for.
FLOE_DEVICE Fault other_kind(std::uint64_t offset) { return {ErrorCode::unsupported_codec, offset}; }

/// A number at any address.
template <class Number>
FLOE_DEVICE Number get(const std::uint8_t* at) {
  Number number = 0;
  for (unsigned i = 0; i < sizeof number; ++i)
    number = static_cast<Number>(number | static_cast<Number>(Number{at[i]} << (8 * i)));
  return number;
}

FLOE_DEVICE bool is_zero(const std::uint8_t* bytes, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t i = begin; i < end; ++i) {
    if (bytes[i] != 0) return false;
  }
  return true;
}

/// Goes through fields at bytes [begin, end) of `bytes`, which lie at `frame_offset` in the frame; afterwards
/// `used` is where they end. No field matters here, but a header may have a prefix.
FLOE_DEVICE Fault read_fields(const std::uint8_t* bytes, std::uint64_t begin, std::uint64_t end,
                              std::uint64_t frame_offset, bool is_header, std::uint64_t& used) {
  std::uint32_t last_tag = 0;
  std::uint64_t at = begin;
  used = begin;
  while (end - at >= 8) {
    const auto tag = get<std::uint16_t>(bytes + at);
    const auto reserved = get<std::uint16_t>(bytes + at + 2);
    const std::uint64_t length = get<std::uint32_t>(bytes + at + 4);
    const std::uint64_t offset = frame_offset + at;
    if (reserved != 0) return corrupt(offset + 2);
    if (tag == 0 && length == 0) break;  // padding
    if (tag <= last_tag) return corrupt(offset);
    last_tag = tag;
    if (length == 0) return corrupt(offset + 4);
    const std::uint64_t padded = (length + 7) / 8 * 8;
    if (padded > end - at - 8) return corrupt(offset + 4);
    if (!is_zero(bytes, at + 8 + length, at + 8 + padded)) return corrupt(offset + 8 + length);
    if (is_header && tag == container::prefix_tag && length > container::max_prefix_bytes)
      return corrupt(offset);
    if (tag >= container::first_required_tag) return unsupported(offset);
    at += 8 + padded;
    used = at;
  }
  return is_zero(bytes, used, end) ? Fault{} : corrupt(frame_offset + used);
}
/// The same for an area that fields must fill.
FLOE_DEVICE Fault skip_fields(const std::uint8_t* bytes, std::uint64_t begin, std::uint64_t end,
                              std::uint64_t frame_offset) {
  std::uint64_t used = 0;
  const Fault fault = read_fields(bytes, begin, end, frame_offset, false, used);
  return !fault.ok() || used == end ? fault : corrupt(frame_offset + used);
}

/// What a header says that reading the footer needs.
struct ParsedHeader {
  std::uint32_t rank = 0;
  std::uint64_t max_segment_words = 0;
  std::uint64_t row_elements = 1;
  bool row_overflows = false;
};

/// The length of the header, if the first bytes are those of one.
FLOE_DEVICE Fault header_length(const std::uint8_t* frame, std::uint64_t frame_bytes, std::uint32_t& length) {
  if (frame_bytes < container::fixed_header_bytes) return {ErrorCode::truncated_frame, frame_bytes};
  if (get<std::uint32_t>(frame) != container::header_magic) return corrupt(0);
  if (frame[header_at::version] != container::version) return unsupported(header_at::version);
  length = get<std::uint32_t>(frame + header_at::header_bytes);
  if (length < container::min_header_bytes || length > container::max_header_bytes ||
      length % container::alignment != 0)
    return corrupt(header_at::header_bytes);
  if (frame_bytes < length + container::fixed_footer_bytes) return {ErrorCode::truncated_frame, frame_bytes};
  return {};
}

/// Everything else of a header whose CRC is right.
FLOE_DEVICE Fault parse_header(const DecodeJob& job, const std::uint8_t* frame, std::uint32_t length,
                               DecodeItem& item, ParsedHeader& header) {
  const std::uint32_t end = length - 4;
  const std::uint8_t content = frame[header_at::content], dtype = frame[header_at::dtype];
  header.rank = frame[header_at::rank];
  const auto required = get<std::uint32_t>(frame + header_at::required_features);
  header.max_segment_words = get<std::uint32_t>(frame + header_at::segment_length);
  if ((required & ~container::known_required_features) != 0) return unsupported(header_at::required_features);
  if (content != static_cast<std::uint8_t>(Content::array)) return other_kind(header_at::content);
  if (!is_element_type(static_cast<DType>(dtype))) return unsupported(header_at::dtype);
  if (header.rank > max_rank) return corrupt(header_at::rank);
  if (header.max_segment_words == 0 ||
      header.max_segment_words > container::max_segment_bytes / size_of(static_cast<DType>(dtype)))
    return corrupt(header_at::segment_length);
  const std::uint32_t inner = header.rank == 0 ? 0 : header.rank - 1,
                      fields = static_cast<std::uint32_t>(container::fixed_header_bytes) + 8 * inner;
  if (fields > end) return corrupt(header_at::rank);
  bool has_zero = false;
  for (std::uint32_t d = 0; d < inner; ++d) {
    const auto size = get<std::uint64_t>(frame + container::fixed_header_bytes + 8 * d);
    has_zero = has_zero || size == 0;
    header.row_overflows =
        header.row_overflows || (size != 0 && header.row_elements > ~std::uint64_t{0} / size);
    header.row_elements *= size;
  }
  if (has_zero) {
    header.row_elements = 0;
    header.row_overflows = false;
  }
  std::uint64_t used = 0;
  if (const Fault fault = read_fields(frame, fields, end, 0, true, used); !fault.ok()) return fault;
  const std::uint64_t needed = (used + 4 + 15) / 16 * 16;
  if ((needed < container::min_header_bytes ? container::min_header_bytes : needed) != length)
    return corrupt(header_at::header_bytes);
  if (dtype != static_cast<std::uint8_t>(job.dtype)) return other_kind(header_at::dtype);
  item.checksums = (required & container::feature_checksums) != 0;
  item.header_bytes = length;
  item.header_crc = get<std::uint32_t>(frame + end);
  return {};
}

/// Where the footer begins.
FLOE_DEVICE Fault find_footer(const std::uint8_t* frame, std::uint64_t frame_bytes,
                              std::uint64_t& footer_offset) {
  const std::uint64_t end = frame_bytes - sizeof(FooterEnd);
  const std::uint8_t* const last = frame + end;
  if (get<std::uint32_t>(last + offsetof(FooterEnd, magic)) != container::end_magic)
    return {ErrorCode::truncated_frame, frame_bytes};
  const auto length = get<std::uint64_t>(last);
  if (length < container::fixed_footer_bytes || length % 8 != 0 ||
      length > frame_bytes - container::min_header_bytes)
    return corrupt(end);
  footer_offset = frame_bytes - length;
  return {};
}

/// Everything of a footer but its CRC and the index, held against the header.
FLOE_DEVICE Fault parse_footer(const ParsedHeader& header, std::uint32_t element_bytes, DecodeItem& item) {
  const std::uint64_t at = item.footer_offset, bytes = item.frame_bytes - at;
  const std::uint8_t* const footer = item.frame + at;
  if (get<std::uint32_t>(footer) != container::footer_magic) return corrupt(at);
  const std::uint64_t fields_bytes = get<std::uint32_t>(footer + footer_at::fields_bytes);
  const auto outer = get<std::uint64_t>(footer + footer_at::outer_size);
  if (get<std::uint32_t>(footer + footer_at::header_crc) != item.header_crc)
    return corrupt(at + footer_at::header_crc);
  if (get<std::uint32_t>(footer + footer_at::reserved) != 0) return corrupt(at + footer_at::reserved);
  const std::uint64_t without_segments = container::footer_bytes(0, fields_bytes),
                      segments = (bytes - without_segments) / sizeof(IndexEntry);
  if (fields_bytes % 8 != 0 || fields_bytes > container::max_fields_bytes || without_segments > bytes ||
      (bytes - without_segments) % sizeof(IndexEntry) != 0)
    return corrupt(at + footer_at::fields_bytes);
  const std::uint64_t fields = sizeof(FooterStart) + sizeof(IndexEntry) * segments;
  if (const Fault fault = skip_fields(footer, fields, fields + fields_bytes, at); !fault.ok()) return fault;

  if (header.rank == 0 && outer != 1) return corrupt(at + footer_at::outer_size);
  const bool is_empty = header.row_elements == 0 || outer == 0;
  if (!is_empty && (header.row_overflows || outer > ~std::uint64_t{0} / header.row_elements))
    return corrupt(at + footer_at::outer_size);
  const std::uint64_t elements = is_empty ? 0 : outer * header.row_elements;
  if (elements > container::max_content_bytes / element_bytes) return corrupt(at + footer_at::outer_size);
  if (segments > ~std::uint32_t{0}) return {ErrorCode::out_of_memory, 0};
  item.content_bytes = elements * element_bytes;
  item.segment_bytes = header.max_segment_words * element_bytes;
  item.segment_count = static_cast<std::uint32_t>(segments);
  item.digest = get<std::uint64_t>(footer + footer_at::digest);
  return {};
}

/// What the index says of a segment.
FLOE_DEVICE IndexEntry index_entry(const DecodeItem& item, std::uint64_t segment) {
  const std::uint8_t* const at =
      item.frame + item.footer_offset + sizeof(FooterStart) + sizeof(IndexEntry) * segment;
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(IndexEntry) == 0) return load_aligned<IndexEntry>(at);
  return {get<std::uint64_t>(at), get<std::uint64_t>(at + 8)};
}

/// Checks the index: segments follow each other from the header to the footer. Frames whose segments differ
/// in length, but for a shorter last one, are none that devices read; nor, of a codec, those whose segments
/// are no whole chunks. By all threads.
template <class Block>
FLOE_DEVICE Fault check_index(Block& block, const DecodeJob& job, const ParsedHeader& header,
                              std::uint32_t element_bytes, const DecodeItem& item) {
  const std::uint64_t elements = item.content_bytes / element_bytes;
  bool is_good = item.segment_count != 0 ? index_entry(item, 0).offset == item.header_bytes
                                         : item.footer_offset == item.header_bytes && elements == 0;
  bool is_even = job.codec_id == 0 || item.segment_count <= 1 || item.segment_bytes % core::chunk_bytes == 0;
  for (std::uint64_t s = block.rank(); s < item.segment_count; s += block.size()) {
    const IndexEntry begin = index_entry(item, s);
    const IndexEntry end =
        s + 1 < item.segment_count ? index_entry(item, s + 1) : IndexEntry{item.footer_offset, elements};
    is_good = is_good && (s > 0 || begin.first == 0) && end.first > begin.first &&
              end.first - begin.first <= header.max_segment_words && end.offset > begin.offset &&
              begin.offset % container::alignment == 0 && end.offset <= item.footer_offset &&
              end.offset - begin.offset >= container::array_segment_header_bytes;
    is_even = is_even && begin.first == s * header.max_segment_words;
  }
  if (block.any(!is_good)) return corrupt(item.footer_offset + sizeof(FooterStart));
  return block.any(!is_even) ? other_kind(header_at::segment_length) : Fault{};
}

/// Which part of the content is wanted, and whether there is room for it.
FLOE_DEVICE Fault choose_slice(const DecodeJob& job, std::uint32_t element_bytes, std::uint64_t out_bytes,
                               DecodeItem& item) {
  const std::uint64_t elements = item.content_bytes / element_bytes;
  const bool all = job.slice.count == ~std::uint64_t{0};
  const Slice slice = all ? Slice{0, elements} : job.slice;
  if (slice.first > elements || slice.count > elements - slice.first) return {ErrorCode::invalid_argument, 0};
  item.begin = slice.first * element_bytes;
  item.end = item.begin + slice.count * element_bytes;
  if (slice.count * element_bytes > out_bytes) return {ErrorCode::output_too_small, 0};
  if (item.begin == item.end) return {};
  const std::uint64_t first_segment = item.begin / item.segment_bytes,
                      end_segment = core::divide_up(item.end, item.segment_bytes);
  const std::uint64_t first_chunk = item.begin / core::chunk_bytes,
                      end_chunk = core::divide_up(item.end, core::chunk_bytes);
  if (end_chunk > ~std::uint32_t{0}) return {ErrorCode::out_of_memory, 0};
  // Shorter segments than were asked for may be more than the workspace has room for.
  if (job.streams != nullptr && end_segment - first_segment > out_bytes / job.max_stream_content + 2)
    return {ErrorCode::out_of_memory, 0};
  item.first_segment = static_cast<std::uint32_t>(first_segment);
  item.segments = static_cast<std::uint32_t>(end_segment - first_segment);
  item.first_chunk = static_cast<std::uint32_t>(first_chunk);
  item.chunks = static_cast<std::uint32_t>(end_chunk - first_chunk);
  return {};
}

/// Reads one frame's header and footer. By all threads, which get the same answer.
template <class Block>
FLOE_DEVICE Fault read_frame(Block& block, const DecodeJob& job, const BatchItem& given, DecodeItem& item) {
  const std::uint8_t* const frame = item.frame;
  if (frame == nullptr || reinterpret_cast<std::uintptr_t>(frame) % container::alignment != 0)
    return {ErrorCode::invalid_argument, 0};
  // Trees write words at multiples of their size.
  if (job.streams != nullptr && reinterpret_cast<std::uintptr_t>(item.out) % size_of(job.dtype) != 0)
    return {ErrorCode::invalid_argument, 0};
  // The footer and its index will be read after several others that wait for each other.
  const std::uint64_t from_end = 128 * (std::uint64_t{block.rank()} + 1);
  if (from_end <= item.frame_bytes) prefetch(frame + item.frame_bytes - from_end);
  std::uint32_t length = 0;
  if (const Fault fault = header_length(frame, item.frame_bytes, length); !fault.ok()) return fault;
  if (block_crc(block, frame, length - 4) != get<std::uint32_t>(frame + length - 4))
    return corrupt(length - 4);
  const auto element_bytes = static_cast<std::uint32_t>(size_of(job.dtype));
  ParsedHeader header;
  if (const Fault fault = parse_header(job, frame, length, item, header); !fault.ok()) return fault;
  if (const Fault fault = find_footer(frame, item.frame_bytes, item.footer_offset); !fault.ok()) return fault;
  const std::uint64_t crc_at = item.frame_bytes - 8;
  if (item.footer_offset < length || item.footer_offset % 4 != 0)
    return corrupt(item.frame_bytes - sizeof(FooterEnd));
  if (block_crc(block, frame + item.footer_offset, crc_at - item.footer_offset) !=
      get<std::uint32_t>(frame + crc_at))
    return corrupt(crc_at);
  if (const Fault fault = parse_footer(header, element_bytes, item); !fault.ok()) return fault;
  if (const Fault fault = check_index(block, job, header, element_bytes, item); !fault.ok()) return fault;
  return choose_slice(job, element_bytes, given.out_bytes, item);
}

/// Gives the items their numbers among the tasks. By all threads of one block after all frames were read.
template <class Block>
FLOE_DEVICE void number_items(Block& block, const DecodeJob& job) {
  std::uint64_t* const totals = block.memory().warp_totals;
  const auto fresh = [](const std::uint32_t& number) {
    return load_fresh<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(&number));
  };
  std::uint64_t chunks = 0, units = 0;
  for (std::uint64_t base = 0; base < job.item_count; base += block.size()) {
    const std::uint64_t i = base + block.rank();
    const bool exists = i < job.item_count;
    const BlockScan chunk_scan = block_scan(block, totals, exists ? fresh(job.items[i].chunks) : 0);
    const BlockScan unit_scan = block_scan(block, totals, exists ? fresh(job.items[i].segments) : 0);
    if (exists) {
      job.items[i].first_task = static_cast<std::uint32_t>(chunks + chunk_scan.before);
      job.items[i].first_unit = static_cast<std::uint32_t>(units + unit_scan.before);
    }
    chunks += chunk_scan.total;
    units += unit_scan.total;
  }
  if (chunks > job.chunk_capacity || units > job.unit_capacity) {  // the caller's total was too small
    for (std::uint64_t i = block.rank(); i < job.item_count; i += block.size())
      job.results[i] = {0, no_offset, static_cast<std::uint32_t>(ErrorCode::out_of_memory), 0};
    chunks = units = 0;
  }
  if (block.rank() == 0) {
    job.counters->ticket = 0;
    job.counters->chunk_count = static_cast<std::uint32_t>(chunks);
    job.counters->unit_count = static_cast<std::uint32_t>(units);
    job.counters->task_count = job.counters->tile_count = job.counters->scratch_count = 0;
  }
}

/// Reads one frame, and writes what is known of it and of its result.
template <class Block>
FLOE_DEVICE void read_item(Block& block, const DecodeJob& job, std::uint64_t index) {
  const BatchItem given = job.batch == nullptr ? job.single : job.batch[index];
  DecodeItem item;
  item.frame = static_cast<const std::uint8_t*>(given.in);
  item.out = static_cast<std::uint8_t*>(given.out);
  item.frame_bytes = job.device_bytes != nullptr ? *job.device_bytes : given.in_bytes;
  Fault fault{ErrorCode::invalid_argument, 0};
  if (item.frame_bytes <= given.in_bytes) fault = read_frame(block, job, given, item);
  if (!fault.ok()) item.chunks = item.segments = 0;
  if (block.rank() != 0) return;
  const bool is_located = fault.code == ErrorCode::corrupt_frame ||
                          fault.code == ErrorCode::truncated_frame ||
                          fault.code == ErrorCode::unsupported_version;
  job.items[index] = item;
  job.results[index] = {fault.ok() ? item.end - item.begin : 0, is_located ? fault.byte_offset : no_offset,
                        static_cast<std::uint32_t>(fault.code), 0};
}

}  // namespace floe::gpu
