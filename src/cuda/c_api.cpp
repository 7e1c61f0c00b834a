// The C ABI of the GPU library: translates arguments and results, nothing else.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "floe/cuda.hpp"
#include "floe/floe_cuda.h"

namespace {

using floe::cuda::BatchItem;
using floe::cuda::ItemResult;

// Both lie in device memory, where they are not translated.
static_assert(sizeof(floe_cuda_result) == sizeof(ItemResult) && offsetof(floe_cuda_result, code) == offsetof(ItemResult, code));
static_assert(offsetof(floe_cuda_result, byte_offset) == offsetof(ItemResult, byte_offset));
static_assert(sizeof(floe_cuda_item) == sizeof(BatchItem) && offsetof(floe_cuda_item, out) == offsetof(BatchItem, out));

floe_status to_c(const floe::Status& status) { return {static_cast<floe_error>(status.code), status.byte_offset, status.detail}; }
const floe::Status null_pointer{floe::ErrorCode::invalid_argument, 0, "a pointer is NULL"};

floe::DType to_cpp(floe_dtype dtype) {
  const auto number = static_cast<std::uint32_t>(dtype);
  return static_cast<floe::DType>(number <= 255 ? number : 0);
}

floe::Extent to_cpp(const floe_extent& extent) {
  floe::Extent out;
  std::copy(std::begin(extent.size), std::end(extent.size), out.size.begin());
  out.rank = extent.rank;
  return out;
}

floe::Result<floe::Options> to_cpp(const floe_options* given) {
  floe_options known;
  floe_options_default(&known);
  if (given != nullptr) {
    if (given->struct_size < offsetof(floe_options, prefix_bytes) + sizeof(size_t))
      return floe::Status{floe::ErrorCode::invalid_argument, 0, "struct_size is too small: the struct was not initialised"};
    std::memcpy(&known, given, std::min<std::size_t>(given->struct_size, sizeof known));
  }
  floe::Options options;
  options.goal = static_cast<floe::Goal>(std::min(known.goal, 255u));
  if (known.codec != nullptr) options.codec = known.codec;
  options.checksum = known.checksum != 0;
  options.format_version = known.format_version;
  options.dimensionality = known.dimensionality;
  options.segment_bytes = known.segment_bytes;
  options.prefix = {static_cast<const std::byte*>(known.prefix), known.prefix_bytes};
  return options;
}

const BatchItem* to_cpp(const floe_cuda_item* items) { return reinterpret_cast<const BatchItem*>(items); }
ItemResult* to_cpp(floe_cuda_result* results) { return reinterpret_cast<ItemResult*>(results); }

floe_status workspace_size(std::uint64_t* bytes, const floe::Result<std::uint64_t>& size) {
  if (bytes == nullptr) return to_c(null_pointer);
  if (size) *bytes = *size;
  return to_c(size.status());
}

}  // namespace

floe_status floe_cuda_compress_workspace_size(uint64_t* bytes, uint64_t total_bytes, uint64_t item_count) {
  return workspace_size(bytes, floe::cuda::compress_workspace_size(total_bytes, item_count));
}

floe_status floe_cuda_decompress_workspace_size(uint64_t* bytes, uint64_t total_bytes, uint64_t item_count) {
  return workspace_size(bytes, floe::cuda::decompress_workspace_size(total_bytes, item_count));
}

floe_status floe_cuda_compress_workspace_size_of(uint64_t* bytes, uint64_t total_bytes, uint64_t item_count, floe_dtype dtype,
                                                 const floe_options* options) {
  const auto known = to_cpp(options);
  if (!known) return to_c(known.status());
  return workspace_size(bytes, floe::cuda::compress_workspace_size(total_bytes, item_count, to_cpp(dtype), *known));
}

floe_status floe_cuda_decompress_workspace_size_of(uint64_t* bytes, uint64_t total_bytes, uint64_t item_count, floe_dtype dtype,
                                                   const char* codec, uint64_t slice_segment_bytes) {
  if (codec == nullptr) return to_c(null_pointer);
  return workspace_size(bytes, floe::cuda::decompress_workspace_size(total_bytes, item_count, {to_cpp(dtype), codec, slice_segment_bytes}));
}

int floe_cuda_supports(floe_dtype dtype, const floe_options* options) {
  const auto known = to_cpp(options);
  return known && floe::cuda::supports(to_cpp(dtype), *known) ? 1 : 0;
}

floe_status floe_cuda_compress_async(const floe_cuda_item* item, floe_dtype dtype, const floe_extent* extent, const floe_options* options,
                                     floe_cuda_result* result, void* workspace, uint64_t workspace_bytes, struct CUstream_st* stream,
                                     const uint64_t* device_bytes) {
  if (item == nullptr || extent == nullptr) return to_c(null_pointer);
  const auto known = to_cpp(options);
  if (!known) return to_c(known.status());
  return to_c(floe::cuda::compress_async({item->in, item->in_bytes, item->out, item->out_bytes}, to_cpp(dtype), to_cpp(*extent), *known,
                                         to_cpp(result), {workspace, workspace_bytes}, stream, device_bytes));
}

floe_status floe_cuda_compress_batch_async(const floe_cuda_item* items, uint64_t item_count, uint64_t total_bytes, floe_dtype dtype,
                                           const floe_options* options, floe_cuda_result* results, void* workspace,
                                           uint64_t workspace_bytes, struct CUstream_st* stream) {
  const auto known = to_cpp(options);
  if (!known) return to_c(known.status());
  return to_c(floe::cuda::compress_batch_async(to_cpp(items), item_count, total_bytes, to_cpp(dtype), *known, to_cpp(results),
                                               {workspace, workspace_bytes}, stream));
}

floe_status floe_cuda_decompress_slice_async(const floe_cuda_item* item, floe_dtype dtype, const char* codec, uint64_t first,
                                             uint64_t count, floe_cuda_result* result, void* workspace, uint64_t workspace_bytes,
                                             struct CUstream_st* stream, const uint64_t* device_bytes) {
  return floe_cuda_decompress_part_async(item, dtype, codec, 0, first, count, result, workspace, workspace_bytes, stream, device_bytes);
}

floe_status floe_cuda_decompress_part_async(const floe_cuda_item* item, floe_dtype dtype, const char* codec, uint64_t slice_segment_bytes,
                                            uint64_t first, uint64_t count, floe_cuda_result* result, void* workspace,
                                            uint64_t workspace_bytes, struct CUstream_st* stream, const uint64_t* device_bytes) {
  if (item == nullptr || codec == nullptr) return to_c(null_pointer);
  return to_c(floe::cuda::decompress_slice_async({item->in, item->in_bytes, item->out, item->out_bytes},
                                                 {to_cpp(dtype), codec, slice_segment_bytes}, {first, count}, to_cpp(result),
                                                 {workspace, workspace_bytes}, stream, device_bytes));
}

floe_status floe_cuda_decompress_batch_async(const floe_cuda_item* items, uint64_t item_count, uint64_t total_bytes, floe_dtype dtype,
                                             const char* codec, floe_cuda_result* results, void* workspace, uint64_t workspace_bytes,
                                             struct CUstream_st* stream) {
  if (codec == nullptr) return to_c(null_pointer);
  return to_c(floe::cuda::decompress_batch_async(to_cpp(items), item_count, total_bytes, {to_cpp(dtype), codec}, to_cpp(results),
                                                 {workspace, workspace_bytes}, stream));
}
