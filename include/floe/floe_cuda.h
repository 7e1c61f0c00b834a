/* floe on NVIDIA GPUs for C and for every language that can call C: the functions of cuda.hpp, without
 * exceptions. Link floe_cuda. Functions whose name ends with _async only enqueue work on a stream; they can
 * be captured into a CUDA graph.
 */
#ifndef FLOE_FLOE_CUDA_H
#define FLOE_FLOE_CUDA_H

#include "floe/floe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The same as cudaStream_t; NULL is the default stream. */
struct CUstream_st;

/* What became of one array or frame; written in device memory when the work is done. */
typedef struct {
  uint64_t bytes;       /* of the frame, or of the decoded elements */
  uint64_t byte_offset; /* of the first fault in a frame; otherwise all ones */
  uint32_t code;        /* a floe_error */
  uint32_t
      failed_chunks; /* decoding: damaged chunks, or segments of trees; their bytes are 0 in the output */
} floe_cuda_result;

/* One array to compress or one frame to decompress, in device memory. Frames begin at multiples of 16; arrays
 * may begin anywhere for codecs, and at multiples of their elements' size for other trees. */
typedef struct {
  const void* in;
  uint64_t in_bytes;
  void* out;
  uint64_t out_bytes; /* room at `out`: nothing is written beyond */
} floe_cuda_item;

/* What is known of frames before they are read. */
typedef struct {
  floe_dtype dtype;
  const char* tree;       /* the name of a codec, or any other tree: segments say which one they have */
  uint64_t segment_bytes; /* of the longest segment; 0: see FrameKind in cuda.hpp */
} floe_cuda_frame_kind;

/* Bytes of workspace for arrays, or wanted elements, of `total_bytes` bytes together. Arithmetic only; need
 * no device. `options` may be NULL for the defaults, here and below; what threads and executors they name has
 * no meaning. */
FLOE_API floe_status floe_cuda_compress_workspace_size(uint64_t* bytes, uint64_t total_bytes,
                                                       uint64_t item_count, floe_dtype dtype,
                                                       const floe_options* options);
FLOE_API floe_status floe_cuda_decompress_workspace_size(uint64_t* bytes, uint64_t total_bytes,
                                                         uint64_t item_count,
                                                         const floe_cuda_frame_kind* kind);

/* 1 if arrays of this type can be compressed on a GPU with the tree of the options, otherwise 0. */
FLOE_API int floe_cuda_supports(floe_dtype dtype, const floe_options* options);

/* `device_bytes` is NULL, or the address in device memory of the input's size, which is then at most
 * item->in_bytes. `workspace` is a multiple of 256 in device memory; `result` lies in device memory. */
FLOE_API floe_status floe_cuda_compress_async(const floe_cuda_item* item, floe_dtype dtype,
                                              const floe_extent* extent, const floe_options* options,
                                              floe_cuda_result* result, void* workspace,
                                              uint64_t workspace_bytes, struct CUstream_st* stream,
                                              const uint64_t* device_bytes);
/* Arrays of one dimension. `items` and `results` lie in device memory. */
FLOE_API floe_status floe_cuda_compress_batch_async(const floe_cuda_item* items, uint64_t item_count,
                                                    uint64_t total_bytes, floe_dtype dtype,
                                                    const floe_options* options, floe_cuda_result* results,
                                                    void* workspace, uint64_t workspace_bytes,
                                                    struct CUstream_st* stream);
/* Decodes the elements [first, first + count); count UINT64_MAX for all that follow. */
FLOE_API floe_status floe_cuda_decompress_slice_async(const floe_cuda_item* item,
                                                      const floe_cuda_frame_kind* kind, uint64_t first,
                                                      uint64_t count, floe_cuda_result* result,
                                                      void* workspace, uint64_t workspace_bytes,
                                                      struct CUstream_st* stream,
                                                      const uint64_t* device_bytes);
FLOE_API floe_status floe_cuda_decompress_batch_async(const floe_cuda_item* items, uint64_t item_count,
                                                      uint64_t total_bytes, const floe_cuda_frame_kind* kind,
                                                      floe_cuda_result* results, void* workspace,
                                                      uint64_t workspace_bytes, struct CUstream_st* stream);

/* Layouts of batches, as in cuda.hpp. */

/* Memory of the device in equal slots: slot i begins at data + i * distance and has `bytes` bytes. */
typedef struct {
  void* data;
  uint64_t distance;
  uint64_t bytes;
} floe_cuda_strided;

/* Where a frame lies in packed memory. */
typedef struct {
  uint64_t offset; /* a multiple of 16 */
  uint64_t bytes;  /* 0 if there is no frame */
} floe_cuda_frame_range;

/* Writes `count` items to device memory whose inputs and outputs lie at equal distances. */
FLOE_API floe_status floe_cuda_strided_items_async(floe_cuda_item* items, uint64_t count,
                                                   const floe_cuda_strided* in, const floe_cuda_strided* out,
                                                   struct CUstream_st* stream);
/* Copies the frames of a batch one behind the other, each to a multiple of 16. All but `packed_bytes` lie in
 * device memory; `result` says how many bytes the frames take: more than `packed_bytes` is
 * FLOE_OUTPUT_TOO_SMALL, and nothing is copied. */
FLOE_API floe_status floe_cuda_pack_frames_async(const floe_cuda_item* items, const floe_cuda_result* results,
                                                 uint64_t count, void* packed, uint64_t packed_bytes,
                                                 floe_cuda_frame_range* ranges, floe_cuda_result* result,
                                                 struct CUstream_st* stream);
/* Writes items that decode packed frames to outputs at equal distances. */
FLOE_API floe_status floe_cuda_packed_items_async(floe_cuda_item* items, uint64_t count, const void* packed,
                                                  uint64_t packed_bytes, const floe_cuda_frame_range* ranges,
                                                  const floe_cuda_strided* out, struct CUstream_st* stream);

/* ---- trees that are chosen for devices ---- */

/* cuda::PlannedEncoder of cuda.hpp: chooses trees for the words of a batch, for speed of devices, and
 * remembers the kinds of data that it has seen. One GPU, the one that is current when it is made; one thread
 * at a time. */
typedef struct floe_cuda_planned_encoder floe_cuda_planned_encoder;
/* For arrays of a type, in segments of `segment_words` words, of which those of `batch_words` get one tree
 * (a multiple; 0: segments of 65536, batches of 8 segments). Arrays in device memory have up to
 * `device_words` words (0 if there are none), those of the host any number. */
FLOE_API floe_status floe_cuda_planned_encoder_create(floe_cuda_planned_encoder** encoder, floe_dtype dtype,
                                                      uint32_t segment_words, uint64_t batch_words,
                                                      uint64_t device_words);
FLOE_API void floe_cuda_planned_encoder_close(floe_cuda_planned_encoder* encoder); /* NULL is fine */
/* Upper bound of the frame of any content, into *bytes. Of the options only checksum and prefix matter, here
 * and below; their tree must be NULL. */
FLOE_API floe_status floe_cuda_planned_encoder_max_size(uint64_t* bytes,
                                                        const floe_cuda_planned_encoder* encoder,
                                                        floe_dtype dtype, const floe_extent* extent,
                                                        const floe_options* options);
/* Compresses an array in memory of the host, about as fast as the link copies it if both lie in memory from
 * cudaHostAlloc or cudaHostRegister. *out_bytes is the room at `out`, then the bytes written. Waits. By a
 * given tree or a goal: floe_compress with floe_cuda_open_devices. */
FLOE_API floe_status floe_cuda_planned_encoder_compress(floe_cuda_planned_encoder* encoder, void* out,
                                                        size_t* out_bytes, const void* in, size_t in_bytes,
                                                        floe_dtype dtype, const floe_extent* extent,
                                                        const floe_options* options);
/* The same in device memory, without a prefix: size and errors of the data appear in `result`, in device
 * memory, when the stream gets there. Waits for some words, on which trees depend, not for the frame. */
FLOE_API floe_status floe_cuda_planned_encoder_compress_on_stream(floe_cuda_planned_encoder* encoder,
                                                                  const floe_cuda_item* item,
                                                                  floe_dtype dtype, const floe_extent* extent,
                                                                  const floe_options* options,
                                                                  floe_cuda_result* result,
                                                                  struct CUstream_st* stream);
/* Forgets the kinds of data: the next frame depends on its array alone. */
FLOE_API floe_status floe_cuda_planned_encoder_forget(floe_cuda_planned_encoder* encoder);

/* GPUs for floe_options.accelerator and floe_decode_options.accelerator, as cuda::Devices of cuda_host.hpp:
 * those with these numbers, as CUDA counts them, or all of them if `count` is 0. Close them with
 * floe_accelerator_close. */
FLOE_API floe_status floe_cuda_open_devices(floe_accelerator** accelerator, const uint32_t* indices,
                                            uint32_t count);

#ifdef __cplusplus
}
#endif

#endif /* FLOE_FLOE_CUDA_H */
