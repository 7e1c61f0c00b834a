/* floe for C and for every language that can call C. The same functions as floe.hpp, without exceptions.
 * Thread-safe, prints nothing, never exits, keeps no global state. Structs begin with their size, so that they can grow; enums only grow.
 */
#ifndef FLOE_FLOE_H
#define FLOE_FLOE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define FLOE_API __attribute__((visibility("default")))
#else
#define FLOE_API
#endif

/* C may pass any number where an enum is expected; in C++ this needs a fixed type. */
#ifdef __cplusplus
#define FLOE_ENUM_BASE : uint32_t
#else
#define FLOE_ENUM_BASE
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum FLOE_ENUM_BASE {
  FLOE_F64 = 1,
  FLOE_F32 = 2,
  FLOE_F16 = 3,
  FLOE_BF16 = 4,
  FLOE_I8 = 5,
  FLOE_I16 = 6,
  FLOE_I32 = 7,
  FLOE_I64 = 8,
  FLOE_U8 = 9,
  FLOE_U16 = 10,
  FLOE_U32 = 11,
  FLOE_U64 = 12
} floe_dtype;

typedef enum FLOE_ENUM_BASE {
  FLOE_OK = 0,
  FLOE_INVALID_ARGUMENT = 1,
  FLOE_OUTPUT_TOO_SMALL = 2,
  FLOE_CORRUPT_FRAME = 3,
  FLOE_TRUNCATED_FRAME = 4,
  FLOE_UNSUPPORTED_VERSION = 5,
  FLOE_UNSUPPORTED_CODEC = 6,
  FLOE_OUT_OF_MEMORY = 7,
  FLOE_DEVICE_ERROR = 8,
  FLOE_IO_ERROR = 9
} floe_error;

/* The outcome of a call. `detail` is static text, never NULL; `byte_offset` says where in the frame for corrupt and truncated frames. */
typedef struct {
  floe_error code;
  uint64_t byte_offset;
  const char* detail;
} floe_status;

/* Static name of an error, such as "corrupt_frame"; never NULL. */
FLOE_API const char* floe_error_name(floe_error code);
/* "1.2.3". */
FLOE_API const char* floe_version(void);
/* Bytes per element; 0 for a number that is no floe_dtype. */
FLOE_API size_t floe_dtype_size(floe_dtype dtype);

#define FLOE_MAX_RANK 8

/* The shape of an array, slowest-varying dimension first. */
typedef struct {
  uint64_t size[FLOE_MAX_RANK];
  uint32_t rank;
} floe_extent;

/* A share of the work of one call. */
typedef void (*floe_task)(void* context, uint32_t index);
/* Runs tasks in threads of the caller's: calls task(context, 0) ... task(context, count - 1), each once, in any order and as many at the
 * same time as it likes, and returns when all have returned. The library's calls wait in it, so it must not wait for them. */
typedef void (*floe_executor)(void* user, uint32_t count, floe_task task, void* context);

/* Initialise with floe_options_default, then change what you want; a struct_size of 0 is an error. */
typedef struct {
  uint32_t struct_size;
  uint32_t goal;           /* 0 speed, 1 balance (default), 2 ratio: chooses the codec when `codec` is NULL */
  const char* codec;       /* a name, or NULL */
  uint32_t threads;        /* at most so many, up to 256; 0 = as many as the process may use */
  uint32_t checksum;       /* 1 (default) or 0 */
  uint32_t format_version; /* 0 = newest */
  uint32_t dimensionality; /* gfc only: 1 to 32 */
  uint64_t segment_bytes;  /* a multiple of 16384, at most 1 GiB */
  const void* prefix;      /* up to 1 MiB kept verbatim in the frame, or NULL */
  size_t prefix_bytes;
  floe_executor executor; /* NULL: every call, or stream, has threads of its own */
  void* executor_user;    /* its first argument */
} floe_options;
FLOE_API void floe_options_default(floe_options* options);

typedef struct {
  uint32_t struct_size;
  uint32_t threads;            /* as in floe_options */
  uint64_t memory_limit_bytes; /* for what floe allocates itself */
  floe_executor executor;      /* as in floe_options */
  void* executor_user;
} floe_decode_options;
FLOE_API void floe_decode_options_default(floe_decode_options* options);

/* `options` may be NULL for the defaults everywhere. Pointers to empty inputs and outputs may be NULL. */

/* Upper bound of the frame of any content, into *bytes. */
FLOE_API floe_status floe_max_compressed_size(uint64_t* bytes, floe_dtype dtype, const floe_extent* extent, const floe_options* options);
/* Writes one frame. *out_bytes is the room at `out`, then the bytes written. */
FLOE_API floe_status floe_compress(void* out, size_t* out_bytes, const void* in, size_t in_bytes, floe_dtype dtype,
                                   const floe_extent* extent, const floe_options* options);

typedef struct {
  uint32_t struct_size; /* set by the caller before the call */
  floe_dtype dtype;
  floe_extent extent;
  uint64_t element_count;
  const char* codec; /* static */
  uint32_t format_version;
  uint32_t dimensionality;
  uint32_t has_checksums;
  uint64_t segment_bytes;
  uint64_t segment_count;
  uint64_t digest;
  uint64_t prefix_bytes;
} floe_frame_info;
/* Reads header and footer of a frame. */
FLOE_API floe_status floe_inspect(floe_frame_info* info, const void* frame, size_t frame_bytes);
/* Copies the frame's prefix; `out_bytes` must be info.prefix_bytes. */
FLOE_API floe_status floe_prefix(void* out, size_t out_bytes, const void* frame, size_t frame_bytes);
/* Decodes the elements [first, first + count); `out_bytes` must be their size. Touches only the chunks that it needs. */
FLOE_API floe_status floe_decompress_slice(void* out, size_t out_bytes, const void* frame, size_t frame_bytes, uint64_t first,
                                           uint64_t count, const floe_decode_options* options);
/* Decodes everything; `out_bytes` must be the size of all elements. */
FLOE_API floe_status floe_decompress(void* out, size_t out_bytes, const void* frame, size_t frame_bytes,
                                     const floe_decode_options* options);

/* Takes bytes of a stream; returns 0, or anything else to stop it: the call that fed the stream then returns FLOE_IO_ERROR. */
typedef int (*floe_sink)(void* user, const void* bytes, size_t count);

/* Streams: bounded memory, one thread at a time. A stream that returned an error returns it again. */
typedef struct floe_compressor floe_compressor;
/* `inner` are the dimensions of one outermost entry, slowest first; inner_rank 0 for a list of numbers. */
FLOE_API floe_status floe_compressor_create(floe_compressor** compressor, floe_sink sink, void* user, floe_dtype dtype,
                                            const uint64_t* inner, uint32_t inner_rank, const floe_options* options);
FLOE_API floe_status floe_compressor_write(floe_compressor* compressor, const void* bytes, size_t count);
FLOE_API floe_status floe_compressor_finish(floe_compressor* compressor);
FLOE_API void floe_compressor_destroy(floe_compressor* compressor); /* NULL is fine */

typedef struct floe_decompressor floe_decompressor;
FLOE_API floe_status floe_decompressor_create(floe_decompressor** decompressor, floe_sink sink, void* user,
                                              const floe_decode_options* options);
FLOE_API floe_status floe_decompressor_write(floe_decompressor* decompressor, const void* bytes, size_t count);
FLOE_API floe_status floe_decompressor_finish(floe_decompressor* decompressor);
FLOE_API void floe_decompressor_destroy(floe_decompressor* decompressor); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif /* FLOE_FLOE_H */
