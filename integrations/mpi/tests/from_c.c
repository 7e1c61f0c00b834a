/* A program of the tests, run under mpirun: floe_mpi_from_c PATH writes an array and reads it back, in C.
 * Rank r has r * 1000 elements; their value is their number. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "floe/mpi.h"

int main(int argc, char** argv) {
  int rank = 0, ranks = 1, wrong = 0, all_wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2) return 2;

  const size_t count = (size_t)rank * 1000, before = count * ((size_t)rank - (rank > 0)) / 2;
  double* part = malloc(count * sizeof *part + 1);
  for (size_t i = 0; i < count; ++i) part[i] = (double)(before + i);
  floe_extent extent = {{(uint64_t)ranks * ((uint64_t)ranks - 1) / 2, 1000}, 2};
  floe_mpi_options options;
  floe_mpi_options_default(&options);
  options.memory_bytes = 0;
  floe_options compression;
  floe_options_default(&compression);
  compression.goal = 0;
  floe_status status = floe_mpi_write_f(MPI_Comm_c2f(MPI_COMM_WORLD), argv[1], part, count * sizeof *part,
                                        FLOE_F64, &extent, &compression, &options);
  wrong += status.code != FLOE_OK;

  floe_mpi_file* file = NULL;
  status = floe_mpi_open(&file, MPI_COMM_WORLD, argv[1]);
  wrong += status.code != FLOE_OK;
  if (file != NULL) {
    floe_frame_info info;
    info.struct_size = sizeof info;
    status = floe_reader_info(floe_mpi_reader(file), &info);
    wrong += status.code != FLOE_OK || info.element_count != extent.size[0] * 1000;
    double* all = malloc((size_t)info.element_count * sizeof *all + 1);
    status = floe_reader_slice(floe_mpi_reader(file), all, (size_t)info.element_count * sizeof *all, 0,
                               info.element_count, NULL);
    wrong += status.code != FLOE_OK;
    for (size_t i = 0; i < info.element_count; ++i) wrong += all[i] != (double)i;
    free(all);
  }
  floe_mpi_close(file);
  wrong += floe_mpi_open(&file, MPI_COMM_WORLD, NULL).code != FLOE_INVALID_ARGUMENT;
  wrong += floe_mpi_write(MPI_COMM_WORLD, argv[1], NULL, 8, FLOE_F64, &extent, NULL, NULL).code !=
           FLOE_INVALID_ARGUMENT;
  free(part);
  if (status.code != FLOE_OK) printf("wrong: %s\n", status.detail);
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
