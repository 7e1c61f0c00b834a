/* Arrays that the processes of a cluster hold together, as one frame in one file, through MPI-IO, for C and
 * for languages that call C. The library floe_mpi; floe/mpi.hpp tells more. Calls return the same error on
 * all ranks.
 */
#ifndef FLOE_MPI_H
#define FLOE_MPI_H

#include <mpi.h>

#include "floe/floe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Initialise with floe_mpi_options_default. */
typedef struct {
  uint32_t struct_size;
  uint64_t stretch_bytes; /* what one rank compresses by itself; 0: 64 MiB, or one segment */
  uint64_t memory_bytes;  /* what a rank keeps compressed; what is beyond is compressed twice */
} floe_mpi_options;
FLOE_API void floe_mpi_options_default(floe_mpi_options* options);

/* Writes the frame of an array to a file. Collective. The parts follow each other in the order of the ranks.
 * Executors and accelerators are not used. Options may be NULL for the defaults. */
FLOE_API floe_status floe_mpi_write(MPI_Comm communicator, const char* path, const void* part,
                                    uint64_t part_bytes, floe_dtype dtype, const floe_extent* extent,
                                    const floe_options* compression, const floe_mpi_options* options);

/* A frame in a file, of which every rank reads what it wants. Opening and closing are collective. */
typedef struct floe_mpi_file floe_mpi_file;
FLOE_API floe_status floe_mpi_open(floe_mpi_file** file, MPI_Comm communicator, const char* path);
/* For floe_reader_info, floe_reader_slice and the others; lives as long as the file is open. */
FLOE_API const floe_reader* floe_mpi_reader(const floe_mpi_file* file);
FLOE_API void floe_mpi_close(floe_mpi_file* file); /* NULL is fine, if it is so on all ranks */

/* The same with the communicator as a number of Fortran, MPI_Comm_c2f, which all languages can pass. */
FLOE_API floe_status floe_mpi_write_f(MPI_Fint communicator, const char* path, const void* part,
                                      uint64_t part_bytes, floe_dtype dtype, const floe_extent* extent,
                                      const floe_options* compression, const floe_mpi_options* options);
FLOE_API floe_status floe_mpi_open_f(floe_mpi_file** file, MPI_Fint communicator, const char* path);

#ifdef __cplusplus
}
#endif

#endif /* FLOE_MPI_H */
