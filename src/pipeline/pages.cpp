#include "pipeline/pages.hpp"

#include <algorithm>
#include <optional>

#include "chunks/leaf_decoder.hpp"
#include "core/splitmix.hpp"
#include "core/word.hpp"
#include "tree/stream_parts.hpp"

namespace floe::pipeline {
namespace {

constexpr std::size_t type_at = 1, flags_at = 2, padding_at = 3, count_at = 4, digest_at = 8;
constexpr std::uint8_t has_checksum_flag = 1;

Status corrupt(std::uint64_t offset, const char* detail) {
  return {ErrorCode::corrupt_frame, offset, detail};
}

StreamCoder coder_of(const ArrayPlan& plan) {
  if (plan.tree) return StreamCoder(*plan.tree);
  if (!plan.leaf) return StreamCoder(plan.objective);
  trees::PlanNode node{trees::EncodingId::codec, {plan.leaf->codec->id, plan.leaf->dimensionality}};
  return StreamCoder(trees::Plan{{node}});
}

/// The digest of a page: that of its stream, and the fields before it.
std::uint64_t page_digest(const std::uint8_t* header, std::uint64_t stream_digest) {
  return stream_digest ^ core::splitmix(core::load<std::uint64_t>(header));
}

/// The stream of a page without its padding.
std::span<const std::uint8_t> stream_of(std::span<const std::uint8_t> page) {
  return page.subspan(page_header_bytes, page.size() - page_header_bytes - page[padding_at]);
}

Status decode_leaf(const chunks::LeafStream& leaf, std::span<const std::uint8_t> stream,
                   std::uint64_t first_byte, std::span<std::uint8_t> out) {
  const auto checked = chunks::check_leaf(leaf, stream);
  if (!checked) return checked.status();
  const auto range = chunks::payloads_of(*checked, chunks::chunks_of(*checked, first_byte, out.size()));
  core::Workers this_thread(1, nullptr);
  return chunks::LeafDecoder(this_thread)
      .decode(*checked, stream.subspan(range.first, range.end - range.first), first_byte, out);
}

}  // namespace

PageWriter::PageWriter(const ArrayPlan& plan) : dtype_(plan.header.dtype), coder_(coder_of(plan)) {
  options_.checksum = plan.header.checksums;
}

Result<std::size_t> PageWriter::encode(const trees::ColumnView& values, std::span<std::uint8_t> out) {
  StreamJob job{&coder_, values, true};
  if (values.count > 0) {
    if (const Status status = encoder_.encode({&job, 1}); !status.ok()) return status;
  }
  const auto padded = static_cast<std::size_t>(chunks::padded(job.bytes.size()));
  if (out.size() < page_header_bytes + padded)
    return Status{ErrorCode::output_too_small, 0, "the output buffer cannot hold the page"};
  out[0] = page_version;
  out[type_at] = static_cast<std::uint8_t>(values.type);
  out[flags_at] = options_.checksum ? has_checksum_flag : 0;
  out[padding_at] = static_cast<std::uint8_t>(padded - job.bytes.size());
  core::store(out.data() + count_at, static_cast<std::uint32_t>(values.count));
  core::store(out.data() + digest_at, page_digest(out.data(), job.digest));
  std::copy(job.bytes.begin(), job.bytes.end(), out.begin() + page_header_bytes);
  std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(page_header_bytes + job.bytes.size()),
              out[padding_at], std::uint8_t{0});
  return page_header_bytes + padded;
}

std::uint64_t page_bound(std::uint64_t values_bytes) {
  return page_header_bytes +
         std::max(chunks::stream_bound(values_bytes, true), chunks::padded(values_bytes) + max_tree_overhead);
}

Result<PageInfo> read_page_info(std::span<const std::uint8_t> page) {
  if (page.size() < page_header_bytes)
    return Status{ErrorCode::truncated_frame, page.size(), "a page is shorter than its header"};
  if (page[0] != page_version)
    return Status{ErrorCode::unsupported_version, 0, "a page of another version, or none"};
  const auto dtype = static_cast<DType>(page[type_at]);
  const auto count = core::load<std::uint32_t>(page.data() + count_at);
  if (!is_element_type(dtype)) return corrupt(type_at, "the type of a page is none");
  if (page[flags_at] > has_checksum_flag) return corrupt(flags_at, "a page has unknown flags");
  if (count > max_page_values) return corrupt(count_at, "a page has too many values");
  const std::size_t stream_bytes = page.size() - page_header_bytes;
  if (page.size() % chunks::alignment != 0 || page[padding_at] >= chunks::alignment ||
      page[padding_at] > stream_bytes || (count == 0) != (stream_bytes == 0))
    return corrupt(padding_at, "a page has another length than its header says");
  return PageInfo{dtype, count, page[flags_at] != 0};
}

Status decode_page(std::span<const std::uint8_t> page, Slice slice, void* out, std::span<std::byte> scratch) {
  const Result<PageInfo> info = read_page_info(page);
  if (!info) return info.status();
  if (info->count == 0) {
    return core::load<std::uint64_t>(page.data() + digest_at) == page_digest(page.data(), 0)
               ? Status{}
               : corrupt(digest_at, "a page does not match its digest");
  }
  const auto stream = stream_of(page);
  const std::uint64_t digest = page_digest(page.data(), core::load<std::uint64_t>(page.data() + digest_at));
  const std::uint64_t word_bytes = size_of(info->dtype);
  if (const auto leaf = chunks::leaf_of_front(stream, word_bytes)) {
    const std::span to(static_cast<std::uint8_t*>(out), static_cast<std::size_t>(slice.count * word_bytes));
    return decode_leaf(
        {*leaf, info->has_checksum, info->count * word_bytes, stream.size(), digest, page_header_bytes},
        stream, slice.first * word_bytes, to);
  }
  const auto padding = page.last(page[padding_at]);
  if (std::any_of(padding.begin(), padding.end(), [](std::uint8_t byte) { return byte != 0; }))
    return corrupt(page.size() - padding.size(), "padding is not zero");
  if (chunks::digest_of_bytes(stream, info->has_checksum) != digest)
    return corrupt(page_header_bytes, "a page does not match its digest");
  Status status = trees::decode_slice(stream, info->dtype, info->count, slice, out, scratch);
  if (!status.ok()) status.byte_offset += page_header_bytes;
  return status;
}

}  // namespace floe::pipeline
