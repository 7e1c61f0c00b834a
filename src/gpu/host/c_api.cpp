// The C ABI of the GPU library: translates arguments and results, nothing else.
#include <cstddef>

#include "api/c/arguments.hpp"
#include "floe/cuda.hpp"
#include "floe/floe_cuda.h"

namespace {

using floe::c_abi::known_part;
using floe::c_abi::null_pointer;
using floe::c_abi::to_c;
using floe::c_abi::to_cpp;
using floe::cuda::BatchItem;
using floe::cuda::ItemResult;

// Both lie in device memory, where they are not translated.
static_assert(sizeof(floe_cuda_result) == sizeof(ItemResult) &&
              offsetof(floe_cuda_result, code) == offsetof(ItemResult, code));
static_assert(offsetof(floe_cuda_result, byte_offset) == offsetof(ItemResult, byte_offset));
static_assert(sizeof(floe_cuda_frame_range) == sizeof(floe::cuda::FrameRange));
static_assert(sizeof(floe_cuda_item) == sizeof(BatchItem) &&
              offsetof(floe_cuda_item, out) == offsetof(BatchItem, out));

floe::Result<floe::Options> to_cpp(const floe_options* given) {
  const auto known = known_part(given);
  if (!known) return known.status();
  return to_cpp(*known);
}

bool is_null(const floe_cuda_frame_kind* kind) { return kind == nullptr || kind->tree == nullptr; }
floe::cuda::FrameKind to_cpp(const floe_cuda_frame_kind& kind) {
  return {to_cpp(kind.dtype), kind.tree, kind.segment_bytes};
}

const BatchItem* to_cpp(const floe_cuda_item* items) { return reinterpret_cast<const BatchItem*>(items); }
BatchItem* to_cpp(floe_cuda_item* items) { return reinterpret_cast<BatchItem*>(items); }
ItemResult* to_cpp(floe_cuda_result* results) { return reinterpret_cast<ItemResult*>(results); }

floe_status workspace_size(std::uint64_t* bytes, const floe::Result<std::uint64_t>& size) {
  if (bytes == nullptr) return to_c(null_pointer);
  if (size) *bytes = *size;
  return to_c(size.status());
}

}  // namespace

floe_status floe_cuda_compress_workspace_size(uint64_t* bytes, uint64_t total_bytes, uint64_t item_count,
                                              floe_dtype dtype, const floe_options* options) {
  const auto known = to_cpp(options);
  if (!known) return to_c(known.status());
  return workspace_size(bytes,
                        floe::cuda::compress_workspace_size(total_bytes, item_count, to_cpp(dtype), *known));
}

floe_status floe_cuda_decompress_workspace_size(uint64_t* bytes, uint64_t total_bytes, uint64_t item_count,
                                                const floe_cuda_frame_kind* kind) {
  if (is_null(kind)) return to_c(null_pointer);
  return workspace_size(bytes, floe::cuda::decompress_workspace_size(total_bytes, item_count, to_cpp(*kind)));
}

int floe_cuda_supports(floe_dtype dtype, const floe_options* options) {
  const auto known = to_cpp(options);
  return known && floe::cuda::supports(to_cpp(dtype), *known) ? 1 : 0;
}

floe_status floe_cuda_compress_async(const floe_cuda_item* item, floe_dtype dtype, const floe_extent* extent,
                                     const floe_options* options, floe_cuda_result* result, void* workspace,
                                     uint64_t workspace_bytes, struct CUstream_st* stream,
                                     const uint64_t* device_bytes) {
  if (item == nullptr || extent == nullptr) return to_c(null_pointer);
  const auto known = to_cpp(options);
  if (!known) return to_c(known.status());
  return to_c(floe::cuda::compress_async({item->in, item->in_bytes, item->out, item->out_bytes},
                                         to_cpp(dtype), to_cpp(*extent), *known, to_cpp(result),
                                         {workspace, workspace_bytes}, stream, device_bytes));
}

floe_status floe_cuda_compress_batch_async(const floe_cuda_item* items, uint64_t item_count,
                                           uint64_t total_bytes, floe_dtype dtype,
                                           const floe_options* options, floe_cuda_result* results,
                                           void* workspace, uint64_t workspace_bytes,
                                           struct CUstream_st* stream) {
  const auto known = to_cpp(options);
  if (!known) return to_c(known.status());
  return to_c(floe::cuda::compress_batch_async(to_cpp(items), item_count, total_bytes, to_cpp(dtype), *known,
                                               to_cpp(results), {workspace, workspace_bytes}, stream));
}

floe_status floe_cuda_decompress_slice_async(const floe_cuda_item* item, const floe_cuda_frame_kind* kind,
                                             uint64_t first, uint64_t count, floe_cuda_result* result,
                                             void* workspace, uint64_t workspace_bytes,
                                             struct CUstream_st* stream, const uint64_t* device_bytes) {
  if (item == nullptr || is_null(kind)) return to_c(null_pointer);
  return to_c(floe::cuda::decompress_slice_async({item->in, item->in_bytes, item->out, item->out_bytes},
                                                 to_cpp(*kind), {first, count}, to_cpp(result),
                                                 {workspace, workspace_bytes}, stream, device_bytes));
}

floe_status floe_cuda_decompress_batch_async(const floe_cuda_item* items, uint64_t item_count,
                                             uint64_t total_bytes, const floe_cuda_frame_kind* kind,
                                             floe_cuda_result* results, void* workspace,
                                             uint64_t workspace_bytes, struct CUstream_st* stream) {
  if (is_null(kind)) return to_c(null_pointer);
  return to_c(floe::cuda::decompress_batch_async(to_cpp(items), item_count, total_bytes, to_cpp(*kind),
                                                 to_cpp(results), {workspace, workspace_bytes}, stream));
}

floe_status floe_cuda_strided_items_async(floe_cuda_item* items, uint64_t count, const floe_cuda_strided* in,
                                          const floe_cuda_strided* out, struct CUstream_st* stream) {
  if (in == nullptr || out == nullptr) return to_c(null_pointer);
  return to_c(floe::cuda::strided_items_async(to_cpp(items), count, {in->data, in->distance, in->bytes},
                                              {out->data, out->distance, out->bytes}, stream));
}

floe_status floe_cuda_pack_frames_async(const floe_cuda_item* items, const floe_cuda_result* results,
                                        uint64_t count, void* packed, uint64_t packed_bytes,
                                        floe_cuda_frame_range* ranges, floe_cuda_result* result,
                                        struct CUstream_st* stream) {
  return to_c(floe::cuda::pack_frames_async(
      to_cpp(items), reinterpret_cast<const ItemResult*>(results), count, packed, packed_bytes,
      reinterpret_cast<floe::cuda::FrameRange*>(ranges), to_cpp(result), stream));
}

floe_status floe_cuda_packed_items_async(floe_cuda_item* items, uint64_t count, const void* packed,
                                         uint64_t packed_bytes, const floe_cuda_frame_range* ranges,
                                         const floe_cuda_strided* out, struct CUstream_st* stream) {
  if (out == nullptr) return to_c(null_pointer);
  return to_c(floe::cuda::packed_items_async(to_cpp(items), count, packed, packed_bytes,
                                             reinterpret_cast<const floe::cuda::FrameRange*>(ranges),
                                             {out->data, out->distance, out->bytes}, stream));
}
