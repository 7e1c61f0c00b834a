// Headers and footers of frames in device memory: nothing that they say is believed before it is checked. The
// checks are those of src/format, in their order.
#pragma once

#include "container/digest.hpp"
#include "gpu/frames/job.hpp"
#include "gpu/warp/block.cuh"

namespace floe::cuda {

/// A fault, or ok.
struct Fault {
  ErrorCode code = ErrorCode::ok;
  std::uint64_t byte_offset = 0;

  __device__ bool ok() const { return code == ErrorCode::ok; }
};
__device__ inline Fault corrupt(std::uint64_t offset) { return {ErrorCode::corrupt_frame, offset}; }
__device__ inline Fault unsupported(std::uint64_t offset) { return {ErrorCode::unsupported_version, offset}; }

/// A number at any address.
template <class Number>
__device__ inline Number get(const std::uint8_t* at) {
  Number number = 0;
  for (unsigned i = 0; i < sizeof number; ++i)
    number = static_cast<Number>(number | static_cast<Number>(Number{at[i]} << (8 * i)));
  return number;
}

__device__ inline bool zeros(const std::uint8_t* bytes, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t i = begin; i < end; ++i) {
    if (bytes[i] != 0) return false;
  }
  return true;
}

/// What a header says that decoding needs.
struct HeaderFields {
  std::uint32_t parameters_offset = 0, parameters_bytes = 0;
};

/// Goes through fields at bytes [begin, end) of `bytes`, which lie at `frame_offset` in the frame; afterwards
/// `used` is where they end. `header` is null for areas in which this version knows no field.
__device__ inline Fault read_fields(const std::uint8_t* bytes, std::uint64_t begin, std::uint64_t end,
                                    std::uint64_t frame_offset, HeaderFields* header, std::uint64_t& used) {
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
    if (!zeros(bytes, at + 8 + length, at + 8 + padded)) return corrupt(offset + 8 + length);
    bool known = false;
    if (header != nullptr && tag == format::prefix_tag) {
      if (length > format::largest_prefix_bytes) return corrupt(offset);
      known = true;
    }
    if (header != nullptr && tag == format::codec_parameters_tag) {
      header->parameters_offset = static_cast<std::uint32_t>(at + 8);
      header->parameters_bytes = static_cast<std::uint32_t>(length);
      known = true;
    }
    if (!known && tag >= format::first_required_tag) return unsupported(offset);
    at += 8 + padded;
    used = at;
  }
  return zeros(bytes, used, end) ? Fault{} : corrupt(frame_offset + used);
}

struct ParsedHeader {
  std::uint32_t bytes = 0;
  std::uint32_t rank = 0;
  std::uint32_t chunks_per_segment = 0;
  std::uint64_t row_elements = 1;
  bool row_overflows = false;
};

/// The length of the header, if the first 32 bytes are those of one.
__device__ inline Fault header_length(const std::uint8_t* frame, std::uint64_t frame_bytes,
                                      std::uint32_t& length) {
  if (frame_bytes < format::smallest_header_bytes) return {ErrorCode::truncated_frame, frame_bytes};
  if (get<std::uint32_t>(frame) != format::header_magic) return corrupt(0);
  if (frame[4] != format::version) return unsupported(4);
  length = get<std::uint32_t>(frame + 20);
  if (length < format::smallest_header_bytes || length > format::largest_header_bytes ||
      length % format::alignment != 0)
    return corrupt(20);
  if (frame_bytes < length + format::fixed_footer_bytes) return {ErrorCode::truncated_frame, frame_bytes};
  return {};
}

/// Everything else of a header whose CRC is right.
__device__ inline Fault parse_header(const DecodeJob& job, const std::uint8_t* frame, std::uint32_t length,
                                     DecodeItem& item, ParsedHeader& header) {
  const std::uint32_t end = length - 4;
  const std::uint8_t dtype = frame[5];
  header.bytes = length;
  header.rank = frame[6];
  header.chunks_per_segment = get<std::uint32_t>(frame + 16);
  const auto required = get<std::uint32_t>(frame + 8);
  if ((required & ~format::known_required_features) != 0) return unsupported(8);
  if (size_of(static_cast<DType>(dtype)) == 0) return unsupported(5);
  if (frame[7] != format::log2_chunk_bytes) return unsupported(7);
  if (header.rank > max_rank) return corrupt(6);
  if (header.chunks_per_segment == 0 || header.chunks_per_segment > format::largest_chunks_per_segment)
    return corrupt(16);
  if (get<std::uint16_t>(frame + 26) != 0) return corrupt(26);
  const std::uint32_t inner = header.rank == 0 ? 0 : header.rank - 1, fields = 28 + 8 * inner;
  if (fields > end) return corrupt(6);
  bool has_zero = false;
  for (std::uint32_t d = 0; d < inner; ++d) {
    const auto size = get<std::uint64_t>(frame + 28 + 8 * d);
    has_zero = has_zero || size == 0;
    header.row_overflows =
        header.row_overflows || (size != 0 && header.row_elements > ~std::uint64_t{0} / size);
    header.row_elements *= size;
  }
  if (has_zero) {
    header.row_elements = 0;
    header.row_overflows = false;
  }
  HeaderFields known;
  std::uint64_t used = 0;
  if (const Fault fault = read_fields(frame, fields, end, 0, &known, used); !fault.ok()) return fault;
  if ((used + 4 + 15) / 16 * 16 != length) return corrupt(20);

  item.codec_id = get<std::uint16_t>(frame + 24);
  if (item.codec_id != job.codec_id || dtype != job.dtype) return {ErrorCode::unsupported_codec, 24};
  if (job.takes_dimensionality) {
    if (known.parameters_bytes != 1) return corrupt(format::fixed_header_bytes);
    item.dimensionality = frame[known.parameters_offset];
    if (item.dimensionality < 1 || item.dimensionality > warp_lanes)
      return corrupt(format::fixed_header_bytes);
  } else if (known.parameters_bytes != 0) {
    return corrupt(format::fixed_header_bytes);
  }
  item.checksums = (required & format::feature_checksums) != 0;
  item.header_bytes = length;
  item.header_crc = get<std::uint32_t>(frame + end);
  item.segment_bytes = std::uint64_t{header.chunks_per_segment} * core::chunk_bytes;
  return {};
}

/// Where the footer begins.
__device__ inline Fault find_footer(const std::uint8_t* frame, std::uint64_t frame_bytes,
                                    std::uint64_t& footer_offset) {
  const std::uint8_t* const last = frame + frame_bytes - format::footer_end_bytes;
  if (get<std::uint32_t>(last + 12) != format::end_magic) return {ErrorCode::truncated_frame, frame_bytes};
  const auto length = get<std::uint64_t>(last);
  if (length < format::fixed_footer_bytes || length % 8 != 0 ||
      length > frame_bytes - format::smallest_header_bytes)
    return corrupt(frame_bytes - format::footer_end_bytes);
  footer_offset = frame_bytes - length;
  return {};
}

/// Everything of a footer but its CRC and the offsets of segments, held against the header.
__device__ inline Fault parse_footer(const ParsedHeader& header, std::uint32_t element_bytes,
                                     DecodeItem& item) {
  const std::uint8_t* const footer = item.frame + item.footer_offset;
  const std::uint64_t bytes = item.frame_bytes - item.footer_offset;
  if (get<std::uint32_t>(footer) != format::footer_magic) return corrupt(item.footer_offset);
  const std::uint64_t fields_bytes = get<std::uint32_t>(footer + 4);
  const auto outer = get<std::uint64_t>(footer + 8), elements = get<std::uint64_t>(footer + 16);
  const auto segments = get<std::uint64_t>(footer + 32);
  if (segments > bytes / 8) return corrupt(item.footer_offset + 32);
  if (fields_bytes % 8 != 0 || fields_bytes > format::largest_fields_bytes)
    return corrupt(item.footer_offset + 4);
  if (bytes != format::fixed_footer_bytes + 8 * segments + fields_bytes)
    return corrupt(item.footer_offset + 4);
  const std::uint64_t fields = 40 + 8 * segments;
  std::uint64_t used = 0;
  if (const Fault fault =
          read_fields(footer, fields, fields + fields_bytes, item.footer_offset, nullptr, used);
      !fault.ok())
    return fault;
  if (used != fields + fields_bytes) return corrupt(item.footer_offset + used);

  if (header.rank == 0 && outer != 1) return corrupt(item.footer_offset + 8);
  const bool empty = header.row_elements == 0 || outer == 0;
  if (!empty && (header.row_overflows || outer > ~std::uint64_t{0} / header.row_elements))
    return corrupt(item.footer_offset + 16);
  if (elements != (empty ? 0 : outer * header.row_elements)) return corrupt(item.footer_offset + 16);
  if (elements > format::largest_content_bytes / element_bytes) return corrupt(item.footer_offset + 16);
  item.content_bytes = elements * element_bytes;
  if (segments != core::divide_up(item.content_bytes, item.segment_bytes))
    return corrupt(item.footer_offset + 32);
  item.segment_count = static_cast<std::uint32_t>(segments);
  item.digest = get<std::uint64_t>(footer + 24);
  if (segments == 0 && item.digest != 0) return corrupt(item.footer_offset + 24);
  return {};
}

/// Which part of the content is wanted, and whether there is room for it.
__device__ inline Fault choose_slice(const DecodeJob& job, std::uint32_t element_bytes,
                                     std::uint64_t out_bytes, DecodeItem& item) {
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
  item.first_segment = static_cast<std::uint32_t>(first_segment);
  item.segments = static_cast<std::uint32_t>(end_segment - first_segment);
  item.first_chunk = static_cast<std::uint32_t>(first_chunk);
  item.chunks = static_cast<std::uint32_t>(end_chunk - first_chunk);
  return {};
}

/// Reads one frame's header and footer. Called by all threads, which get the same answer.
__device__ inline Fault read_frame(BlockMemory& memory, const DecodeJob& job, const BatchItem& given,
                                   DecodeItem& item) {
  const std::uint8_t* const frame = item.frame;
  if (frame == nullptr || reinterpret_cast<std::uintptr_t>(frame) % format::alignment != 0)
    return {ErrorCode::invalid_argument, 0};
  std::uint32_t length = 0;
  if (const Fault fault = header_length(frame, item.frame_bytes, length); !fault.ok()) return fault;
  if (block_crc(memory, frame, length - 4) != get<std::uint32_t>(frame + length - 4))
    return corrupt(length - 4);
  const auto element_bytes = static_cast<std::uint32_t>(size_of(static_cast<DType>(job.dtype)));
  ParsedHeader header;
  if (const Fault fault = parse_header(job, frame, length, item, header); !fault.ok()) return fault;
  if (const Fault fault = find_footer(frame, item.frame_bytes, item.footer_offset); !fault.ok()) return fault;
  const std::uint64_t crc_at = item.frame_bytes - 8;
  if (item.footer_offset % 4 != 0) return corrupt(item.frame_bytes - format::footer_end_bytes);
  if (block_crc(memory, frame + item.footer_offset, crc_at - item.footer_offset) !=
      get<std::uint32_t>(frame + crc_at))
    return corrupt(crc_at);
  if (const Fault fault = parse_footer(header, element_bytes, item); !fault.ok()) return fault;
  // Offsets of segments ascend from the header to the footer.
  bool good = item.segment_count != 0
                  ? get<std::uint64_t>(frame + item.footer_offset + 40) == item.header_bytes
                  : item.footer_offset == item.header_bytes;
  for (std::uint64_t s = threadIdx.x; s < item.segment_count; s += block_threads) {
    const std::uint8_t* const at = frame + item.footer_offset + 40 + 8 * s;
    const auto begin = get<std::uint64_t>(at),
               end = s + 1 < item.segment_count ? get<std::uint64_t>(at + 8) : item.footer_offset;
    const std::uint64_t left = item.content_bytes - s * item.segment_bytes;
    const std::uint64_t chunks =
        core::divide_up(left < item.segment_bytes ? left : item.segment_bytes, core::chunk_bytes);
    good = good && end > begin && begin % format::alignment == 0 && end <= item.footer_offset &&
           end - begin >= head_bytes_of(chunks, item.checksums);
  }
  if (__syncthreads_and(good) == 0) return corrupt(item.footer_offset + 40);
  return choose_slice(job, element_bytes, given.out_bytes, item);
}

/// Gives the items their places among the tasks. Called by all threads of one block after all frames were
/// read.
__device__ inline void place_items(BlockMemory& memory, const DecodeJob& job) {
  std::uint64_t chunks = 0, units = 0;
  for (std::uint64_t base = 0; base < job.item_count; base += block_threads) {
    const std::uint64_t i = base + threadIdx.x;
    const BlockScan chunk_scan = block_scan(memory, i < job.item_count ? __ldcg(&job.items[i].chunks) : 0);
    const BlockScan unit_scan = block_scan(memory, i < job.item_count ? __ldcg(&job.items[i].segments) : 0);
    if (i < job.item_count) {
      job.items[i].chunk_place = static_cast<std::uint32_t>(chunks + chunk_scan.before);
      job.items[i].unit_place = static_cast<std::uint32_t>(units + unit_scan.before);
    }
    chunks += chunk_scan.total;
    units += unit_scan.total;
  }
  if (chunks > job.chunk_capacity) {  // the caller's total was too small
    for (std::uint64_t i = threadIdx.x; i < job.item_count; i += block_threads)
      job.results[i] = {0, no_offset, static_cast<std::uint32_t>(ErrorCode::out_of_memory), 0};
    chunks = units = 0;
  }
  if (threadIdx.x == 0) {
    job.counters->ticket = 0;
    job.counters->chunk_count = static_cast<std::uint32_t>(chunks);
    job.counters->unit_count = static_cast<std::uint32_t>(units);
    job.counters->task_count = job.counters->tile_count = job.counters->scratch_count = 0;
  }
}

/// Reads the frames whose turn it is, and places all of them with the last block.
__device__ inline void read_all_frames(const DecodeJob& job) {
  __shared__ BlockMemory memory;
  load_crc_tables(memory);
  __syncthreads();
  for (std::uint64_t i = blockIdx.x; i < job.item_count; i += gridDim.x) {
    const BatchItem given = job.batch == nullptr ? job.single : job.batch[i];
    DecodeItem item;
    item.frame = static_cast<const std::uint8_t*>(given.in);
    item.out = static_cast<std::uint8_t*>(given.out);
    item.frame_bytes = job.device_bytes != nullptr ? *job.device_bytes : given.in_bytes;
    Fault fault;
    if (item.frame_bytes > given.in_bytes) {
      fault = {ErrorCode::invalid_argument, 0};
    } else {
      fault = read_frame(memory, job, given, item);
    }
    if (!fault.ok()) item.chunks = item.segments = 0;
    if (threadIdx.x == 0) {
      job.items[i] = item;
      const bool located = fault.code == ErrorCode::corrupt_frame ||
                           fault.code == ErrorCode::truncated_frame ||
                           fault.code == ErrorCode::unsupported_version;
      job.results[i] = {fault.ok() ? item.end - item.begin : 0, located ? fault.byte_offset : no_offset,
                        static_cast<std::uint32_t>(fault.code), 0};
    }
  }
  __syncthreads();
  if (gridDim.x == 1 || is_last_of(&job.counters->arrived, gridDim.x)) place_items(memory, job);
}

}  // namespace floe::cuda
