/* floe for C and for every language that can call C. The same functions as floe.hpp, without exceptions.
 * Thread-safe, prints nothing, never exits. Of one call nothing but working memory is kept for the next, 32
 * MiB at most (floe_release_memory). Structs begin with their size, so that they can grow; enums only grow.
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
  FLOE_U64 = 12,
  FLOE_BOOL = 13,
  FLOE_TIME = 14, /* columns of tables only: an int64_t */
  FLOE_TEXT = 15  /* columns of tables only */
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

/* The outcome of a call. `detail` is static text, never NULL; `byte_offset` says where in the frame for
 * corrupt and truncated frames. */
typedef struct {
  floe_error code;
  uint64_t byte_offset;
  const char* detail;
} floe_status;

/* Static name of an error, such as "corrupt_frame"; never NULL. */
FLOE_API const char* floe_error_name(floe_error code);
/* "1.2.3". */
FLOE_API const char* floe_version(void);
/* Gives back the working memory that calls have left for the next ones. */
FLOE_API void floe_release_memory(void);
/* Bytes per element; 0 for text, and for a number that is no floe_dtype. */
FLOE_API size_t floe_dtype_size(floe_dtype dtype);

#define FLOE_MAX_RANK 8

/* The shape of an array, slowest-varying dimension first. */
typedef struct {
  uint64_t size[FLOE_MAX_RANK];
  uint32_t rank;
} floe_extent;

/* A share of the work of one call. */
typedef void (*floe_task)(void* context, uint32_t index);
/* Runs tasks in threads of the caller's: calls task(context, 0) ... task(context, count - 1), each once, in
 * any order and as many at the same time as it likes, and returns when all have returned. The library's calls
 * wait in it, so it must not wait for them. */
typedef void (*floe_executor)(void* user, uint32_t count, floe_task task, void* context);

/* Codes beside the CPU, e.g. GPUs that floe_cuda_open_devices of floe_cuda.h opened. Never changes a byte;
 * what it does not take, the CPU does. Several calls may use it at the same time. */
typedef struct floe_accelerator floe_accelerator;
FLOE_API void floe_accelerator_close(floe_accelerator* accelerator); /* NULL is fine */

/* Initialise with floe_options_default, then change what you want; a struct_size of 0 is an error. */
typedef struct {
  uint32_t struct_size;
  uint32_t goal;     /* 0 speed, 1 balance (default), 2 ratio, 3 max: trees of encodings are chosen by it */
  const char* tree;  /* arrays: the tree instead, e.g. "spspeed" or "sortable,delta,entropy"; or NULL */
  uint32_t profile;  /* 0 for CPUs (default), 1 for GPUs */
  uint32_t threads;  /* at most so many, up to 256; 0 = as many as the process may use */
  uint32_t checksum; /* 1 (default) or 0 */
  uint32_t decode_megabytes_per_second; /* what one thread shall decode at least; 0: the goal alone counts */
  uint64_t segment_bytes; /* arrays: a multiple of 16384, at most 1 GiB; 0: what suits the tree */
  const void* prefix;     /* arrays: up to 1 MiB kept verbatim in the frame, or NULL */
  size_t prefix_bytes;
  floe_executor executor;        /* NULL: every call, or writer, has threads of its own */
  void* executor_user;           /* its first argument */
  floe_accelerator* accelerator; /* encodes beside the CPU, or NULL; must outlive the call or writer */
} floe_options;
FLOE_API void floe_options_default(floe_options* options);

typedef struct {
  uint32_t struct_size;
  uint32_t threads;            /* as in floe_options */
  uint64_t memory_limit_bytes; /* for what floe allocates itself */
  floe_executor executor;      /* as in floe_options */
  void* executor_user;
  floe_accelerator* accelerator; /* decodes beside the CPU, or NULL; must outlive the call or reader */
} floe_decode_options;
FLOE_API void floe_decode_options_default(floe_decode_options* options);

/* `options` may be NULL for the defaults everywhere. Pointers to empty inputs and outputs may be NULL. */

/* Whether a text is a tree for arrays of a type; byte_offset of the status is then the position in it. */
FLOE_API floe_status floe_check_tree(const char* tree, floe_dtype dtype);

/* ---- arrays, at once ---- */

/* Upper bound of the frame of any content, into *bytes. */
FLOE_API floe_status floe_max_compressed_size(uint64_t* bytes, floe_dtype dtype, const floe_extent* extent,
                                              const floe_options* options);
/* Writes one frame. *out_bytes is the room at `out`, then the bytes written. */
FLOE_API floe_status floe_compress(void* out, size_t* out_bytes, const void* in, size_t in_bytes,
                                   floe_dtype dtype, const floe_extent* extent, const floe_options* options);
/* Decodes everything; `out_bytes` must be the size of all elements. */
FLOE_API floe_status floe_decompress(void* out, size_t out_bytes, const void* frame, size_t frame_bytes,
                                     const floe_decode_options* options);
/* Decodes the elements [first, first + count); `out_bytes` must be their size. Touches only what it needs. */
FLOE_API floe_status floe_decompress_slice(void* out, size_t out_bytes, const void* frame, size_t frame_bytes,
                                           uint64_t first, uint64_t count,
                                           const floe_decode_options* options);

/* ---- what frames say ---- */

typedef enum FLOE_ENUM_BASE { FLOE_ARRAY = 0, FLOE_TABLE = 1 } floe_content;
typedef enum FLOE_ENUM_BASE { FLOE_CSV = 0, FLOE_RECORDS = 1, FLOE_COLUMNS = 2 } floe_table_source;

typedef struct {
  uint32_t struct_size; /* set by the caller before the call */
  floe_content content;
  floe_dtype dtype;         /* arrays */
  floe_extent extent;       /* arrays */
  uint64_t element_count;   /* rows of a table */
  floe_table_source source; /* tables */
  uint32_t column_count;    /* tables */
  uint32_t padding_bytes;   /* tables */
  uint32_t format_version;
  uint32_t has_checksums;
  uint64_t max_segment_length; /* elements or rows */
  uint64_t segment_count;
  uint64_t frame_bytes;
  uint64_t digest;
  uint64_t prefix_bytes; /* arrays */
} floe_frame_info;

/* A column of a table. */
typedef struct {
  const char* name;
  floe_dtype type;
  uint32_t decimals; /* digits behind the point when floating-point numbers are printed, at most 40 */
} floe_column;

/* ---- reading ---- */

/* Takes bytes; returns 0, or anything else to stop: the call that fed it then returns FLOE_IO_ERROR. */
typedef int (*floe_sink)(void* user, const void* bytes, size_t count);
/* Reads `count` bytes at `offset`; returns 0, or anything else if it cannot: the call then returns
 * FLOE_IO_ERROR. */
typedef int (*floe_read_at)(void* user, uint64_t offset, void* bytes, size_t count);

/* Reads a frame, or parts of it: only what they need. Thread-safe for a frame in memory, which must outlive
 * the reader. */
typedef struct floe_reader floe_reader;
FLOE_API floe_status floe_reader_open(floe_reader** reader, const void* frame, size_t frame_bytes);
FLOE_API floe_status floe_reader_open_at(floe_reader** reader, floe_read_at read_at, void* user,
                                         uint64_t frame_bytes, uint64_t memory_limit_bytes);
FLOE_API void floe_reader_close(floe_reader* reader); /* NULL is fine */
FLOE_API floe_status floe_reader_info(const floe_reader* reader, floe_frame_info* info);
/* Copies the prefix of an array; `out_bytes` must be info.prefix_bytes. */
FLOE_API floe_status floe_reader_prefix(const floe_reader* reader, void* out, size_t out_bytes);
/* A column of a table. Its name lives as long as the reader. */
FLOE_API floe_status floe_reader_column(const floe_reader* reader, uint32_t index, floe_column* column);
/* Arrays: as floe_decompress_slice. */
FLOE_API floe_status floe_reader_slice(const floe_reader* reader, void* out, size_t out_bytes, uint64_t first,
                                       uint64_t count, const floe_decode_options* options);
/* Writes what was compressed: the elements, the text or the records. */
FLOE_API floe_status floe_reader_restore(const floe_reader* reader, floe_sink sink, void* user,
                                         const floe_decode_options* options);
/* Tables: the values of a column in the rows [first, first + count). `valid` has a byte for each of them, or
 * is NULL; a cell without a value is 0, and 0 there. */
FLOE_API floe_status floe_reader_values(const floe_reader* reader, uint32_t column, uint64_t first,
                                        uint64_t count, void* out, size_t out_bytes, uint8_t* valid,
                                        const floe_decode_options* options);
/* Tables: rows of some columns as CSV text, with a line of names first. */
FLOE_API floe_status floe_reader_print(const floe_reader* reader, const uint32_t* columns,
                                       uint32_t column_count, uint64_t first, uint64_t count, floe_sink sink,
                                       void* user, const floe_decode_options* options);
/* Tables: rows of some columns as binary records. A cell without a value becomes NaN, or is
 * FLOE_INVALID_ARGUMENT where there is none. */
FLOE_API floe_status floe_reader_records(const floe_reader* reader, const uint32_t* columns,
                                         uint32_t column_count, uint64_t first, uint64_t count,
                                         floe_sink sink, void* user, const floe_decode_options* options);

/* Restores what was compressed from a frame that arrives in pieces: bounded memory, one thread at a time. A
 * stream that returned an error returns it again. */
typedef struct floe_stream_reader floe_stream_reader;
FLOE_API floe_status floe_stream_reader_create(floe_stream_reader** reader, floe_sink sink, void* user,
                                               const floe_decode_options* options);
FLOE_API floe_status floe_stream_reader_write(floe_stream_reader* reader, const void* bytes, size_t count);
FLOE_API floe_status floe_stream_reader_finish(floe_stream_reader* reader);
FLOE_API void floe_stream_reader_close(floe_stream_reader* reader); /* NULL is fine */

/* ---- recovery of what is intact of a frame that was damaged or cut off ---- */

/* Initialise with floe_recovery_options_default. */
typedef struct {
  uint32_t struct_size;
  uint32_t separator; /* between cells of CSV text whose header is lost; default ',' */
  uint32_t fill_lost; /* 1 (default): lost elements and records become zero bytes; 0: left out */
  const void*
      similar_frame; /* the first bytes, header included, of a frame that was written alike, or NULL: */
  size_t similar_frame_bytes;  /* its header is taken where the frame's own is lost, if it is the same */
  uint64_t max_filled_bytes;   /* gaps that take more are an error */
  uint64_t memory_limit_bytes; /* for the search for parts */
} floe_recovery_options;
FLOE_API void floe_recovery_options_default(floe_recovery_options* options);

typedef enum FLOE_ENUM_BASE {
  FLOE_LOST_ELEMENTS = 0, /* of an array */
  FLOE_LOST_ROWS = 1,     /* all cells */
  FLOE_LOST_CELLS = 2,    /* of one column: empty in CSV text, zero in records */
  FLOE_LOST_LINES = 3,    /* lines between these rows that were no rows, or bytes behind the last record */
  FLOE_LOST_PADDING = 4   /* of these records: zero */
} floe_loss;

typedef struct {
  floe_loss what;
  uint32_t column; /* of lost cells */
  uint64_t first, count;
  floe_status cause; /* byte_offset: where in the damaged bytes */
} floe_lost_range;

/* Set struct_size before floe_recovery_restore. */
typedef struct {
  uint32_t struct_size;
  uint32_t header_source;   /* 0 intact, 1 a bit of it was mended, 2 of the similar frame, 3 guessed */
  uint32_t is_complete;     /* nothing is lost, and all is proven */
  uint32_t is_length_known; /* if not, more may have followed */
  uint32_t has_checksums;
  uint64_t recovered; /* elements, or rows of which at least one cell is there */
  uint64_t intact_segments, damaged_segments, missing_segments;
  uint64_t unreadable_bytes;
  uint64_t lost_ranges; /* for floe_recovery_lost */
  uint64_t
      unproven_ranges; /* for floe_recovery_unproven: chunks that match their checksums in a damaged table */
} floe_recovery_map;

/* Looks for the parts of a frame, wherever they are; the bytes must outlive it. One thread at a time. */
typedef struct floe_recovery floe_recovery;
FLOE_API floe_status floe_recovery_open(floe_recovery** recovery, const void* bytes, size_t count,
                                        const floe_recovery_options* options);
/* What cannot be read is as good as lost. */
FLOE_API floe_status floe_recovery_open_at(floe_recovery** recovery, floe_read_at read_at, void* user,
                                           uint64_t count, const floe_recovery_options* options);
FLOE_API void floe_recovery_close(floe_recovery* recovery); /* NULL is fine */
/* What the frame was, as far as it is known; as the calls of a reader. */
FLOE_API floe_status floe_recovery_info(const floe_recovery* recovery, floe_frame_info* info);
FLOE_API floe_status floe_recovery_prefix(const floe_recovery* recovery, void* out, size_t out_bytes);
FLOE_API floe_status floe_recovery_column(const floe_recovery* recovery, uint32_t index, floe_column* column);
/* Writes the elements, the text or the records as far as they are intact. What is lost is no error, but
 * stands in the map, which may be NULL. */
FLOE_API floe_status floe_recovery_restore(floe_recovery* recovery, floe_sink sink, void* user,
                                           floe_recovery_map* map, const floe_decode_options* options);
/* Ranges of the last map. */
FLOE_API floe_status floe_recovery_lost(const floe_recovery* recovery, uint64_t index,
                                        floe_lost_range* range);
FLOE_API floe_status floe_recovery_unproven(const floe_recovery* recovery, uint64_t index,
                                            floe_lost_range* range);

/* ---- writing ---- */

/* A tree for a stream of columns: by name, by number from 1 ("2"), or of all that it fits (""). */
typedef struct {
  const char* column;
  uint32_t stream;
  const char* tree;
} floe_given_tree;

/* Initialise with floe_table_options_default. */
typedef struct {
  uint32_t struct_size;
  floe_table_source source;
  const floe_column* columns; /* needed for records and columns; inferred from CSV text if NULL */
  uint32_t column_count;
  uint32_t name_row; /* CSV: whether the first line holds names: 0 detect (default), 1 yes, 2 no */
  uint32_t
      keep_text; /* CSV: 1 (default): all cells come back as they were written; 0: the values of numbers */
  uint32_t separator;     /* CSV: a character; 0 detects one of , ; tab | */
  uint32_t padding_bytes; /* records: bytes behind each of them */
  uint32_t segment_rows;  /* up to 2^20 (default) */
  const floe_given_tree* trees;
  uint32_t tree_count;
} floe_table_options;
FLOE_API void floe_table_options_default(floe_table_options* options);

/* Compresses what arrives in pieces: bounded memory, one thread at a time. A writer that returned an error
 * returns it again. */
typedef struct floe_writer floe_writer;
/* An array. `inner` are the dimensions of one outermost entry, slowest first; inner_rank 0 for a list of
 * numbers. */
FLOE_API floe_status floe_writer_create_array(floe_writer** writer, floe_sink sink, void* user,
                                              floe_dtype dtype, const uint64_t* inner, uint32_t inner_rank,
                                              const floe_options* options);
FLOE_API floe_status floe_writer_create_table(floe_writer** writer, floe_sink sink, void* user,
                                              const floe_table_options* table, const floe_options* options);
/* The next bytes of the elements, of the text or of the records. */
FLOE_API floe_status floe_writer_write(floe_writer* writer, const void* bytes, size_t count);
/* The next rows of a table of columns: values[i] points to row_count values of column i, of column_count.
 * Every call ends with a segment. */
FLOE_API floe_status floe_writer_write_columns(floe_writer* writer, const void* const* values,
                                               uint32_t column_count, uint64_t row_count);
FLOE_API floe_status floe_writer_finish(floe_writer* writer);
FLOE_API void floe_writer_close(floe_writer* writer); /* NULL is fine */

/* ---- pages: up to 2^20 values of one type that stand for themselves, as databases store them ---- */

/* So much scratch memory is enough for what most trees need to be decoded. */
#define FLOE_USUAL_PAGE_SCRATCH (256u * 1024u)

typedef struct {
  floe_dtype dtype;
  uint32_t count; /* of values */
  uint32_t has_checksum;
} floe_page_info;

/* Remembers the trees of the kinds of data that it has seen; one thread at a time. */
typedef struct floe_page_encoder floe_page_encoder;
FLOE_API floe_status floe_page_encoder_create(floe_page_encoder** encoder, floe_dtype dtype,
                                              const floe_options* options);
FLOE_API void floe_page_encoder_close(floe_page_encoder* encoder); /* NULL is fine */
/* The most bytes of a page of so many values, into *bytes. */
FLOE_API floe_status floe_max_page_size(uint64_t* bytes, floe_dtype dtype, uint64_t count);
/* Writes a page. *out_bytes is the room at `out`, then the bytes written. */
FLOE_API floe_status floe_page_encode(floe_page_encoder* encoder, void* out, size_t* out_bytes,
                                      const void* values, size_t values_bytes);
FLOE_API floe_status floe_page_read_info(floe_page_info* info, const void* page, size_t page_bytes);
/* Decodes the values [first, first + count) of a page; `out_bytes` must be their size, and `out` aligned for
 * them. Decoders are made in `scratch`, which may be NULL; what does not fit there is allocated. */
FLOE_API floe_status floe_page_decode(void* out, size_t out_bytes, const void* page, size_t page_bytes,
                                      uint64_t first, uint64_t count, void* scratch, size_t scratch_bytes);

#ifdef __cplusplus
}
#endif

#endif /* FLOE_FLOE_H */
