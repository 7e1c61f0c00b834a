// The C ABI of the GPU library: translates arguments and results, nothing else.
#include <cstddef>

#include "api/c/arguments.hpp"
#include "core/guard.hpp"
#include "floe/cuda.hpp"
#include "floe/floe_cuda.h"

struct floe_cuda_planned_encoder {
  floe::cuda::PlannedEncoder encoder;
};

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

floe_status number_of(std::uint64_t* bytes, const floe::Result<std::uint64_t>& size) {
  if (bytes == nullptr) return to_c(null_pointer);
  if (size) *bytes = *size;
  return to_c(size.status());
}

}  // namespace

floe_status floe_cuda_compress_workspace_size(uint64_t* bytes, uint64_t total_bytes, uint64_t item_count,
                                              floe_dtype dtype, const floe_options* options) {
  const auto known = to_cpp(options);
  if (!known) return to_c(known.status());
  return number_of(bytes,
                   floe::cuda::compress_workspace_size(total_bytes, item_count, to_cpp(dtype), *known));
}

floe_status floe_cuda_decompress_workspace_size(uint64_t* bytes, uint64_t total_bytes, uint64_t item_count,
                                                const floe_cuda_frame_kind* kind) {
  if (is_null(kind)) return to_c(null_pointer);
  return number_of(bytes, floe::cuda::decompress_workspace_size(total_bytes, item_count, to_cpp(*kind)));
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

floe_status floe_cuda_planned_encoder_create(floe_cuda_planned_encoder** out, floe_dtype dtype,
                                             uint32_t segment_words, uint64_t batch_words,
                                             uint64_t device_words) {
  constexpr std::uint64_t usual_batch_segments = 8;
  if (out == nullptr) return to_c(null_pointer);
  *out = nullptr;
  if (segment_words == 0) segment_words = floe::cuda::usual_segment_words;
  if (batch_words == 0) batch_words = usual_batch_segments * segment_words;
  return to_c(floe::core::guarded([&]() -> floe::Status {
    auto encoder = floe::cuda::PlannedEncoder::create(
        to_cpp(dtype), device_words == 0 ? batch_words : device_words, segment_words, batch_words);
    if (encoder) *out = new floe_cuda_planned_encoder{std::move(*encoder)};
    return encoder.status();
  }));
}

void floe_cuda_planned_encoder_close(floe_cuda_planned_encoder* encoder) { delete encoder; }

floe_status floe_cuda_planned_encoder_max_size(uint64_t* bytes, const floe_cuda_planned_encoder* encoder,
                                               floe_dtype dtype, const floe_extent* extent,
                                               const floe_options* options) {
  if (encoder == nullptr || extent == nullptr) return to_c(null_pointer);
  const auto known = to_cpp(options);
  if (!known) return to_c(known.status());
  return number_of(bytes, encoder->encoder.max_compressed_size(to_cpp(dtype), to_cpp(*extent), *known));
}

floe_status floe_cuda_planned_encoder_compress(floe_cuda_planned_encoder* encoder, void* out,
                                               size_t* out_bytes, const void* in, size_t in_bytes,
                                               floe_dtype dtype, const floe_extent* extent,
                                               const floe_options* options) {
  if (encoder == nullptr || out_bytes == nullptr || extent == nullptr || (in == nullptr && in_bytes != 0) ||
      (out == nullptr && *out_bytes != 0))
    return to_c(null_pointer);
  const auto known = to_cpp(options);
  if (!known) return to_c(known.status());
  const auto written = encoder->encoder.compress_into({static_cast<std::byte*>(out), *out_bytes},
                                                      {static_cast<const std::byte*>(in), in_bytes},
                                                      to_cpp(dtype), to_cpp(*extent), *known);
  if (written) *out_bytes = *written;
  return to_c(written.status());
}

floe_status floe_cuda_planned_encoder_compress_on_stream(floe_cuda_planned_encoder* encoder,
                                                         const floe_cuda_item* item, floe_dtype dtype,
                                                         const floe_extent* extent,
                                                         const floe_options* options,
                                                         floe_cuda_result* result,
                                                         struct CUstream_st* stream) {
  if (encoder == nullptr || item == nullptr || extent == nullptr) return to_c(null_pointer);
  const auto known = to_cpp(options);
  if (!known) return to_c(known.status());
  return to_c(encoder->encoder.compress({item->in, item->in_bytes, item->out, item->out_bytes}, to_cpp(dtype),
                                        to_cpp(*extent), *known, to_cpp(result), stream));
}

floe_status floe_cuda_planned_encoder_forget(floe_cuda_planned_encoder* encoder) {
  if (encoder == nullptr) return to_c(null_pointer);
  return to_c(floe::core::guarded([&]() -> floe::Status {
    encoder->encoder.forget();
    return {};
  }));
}
