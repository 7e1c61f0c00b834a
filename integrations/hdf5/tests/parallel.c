/* A program of the tests, run under mpirun: parallel PATH SHARED writes a dataset of 64 x 1000 doubles with
 * the filter of floe, collectively, and reads it back. Rank r has every SHARED-th band of rows, so that with
 * bands that are no chunks of 8 rows ranks share chunks; the last of several ranks has nothing. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 64, columns = 1000, chunk_rows = 8 };

int main(int argc, char** argv) {
  int rank = 0, ranks = 1, wrong = 0, all_wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) return 2;
  const int band = atoi(argv[2]), writers = ranks > 1 ? ranks - 1 : 1;

  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_DATASET_CREATE),
              transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
  const hsize_t shape[2] = {rows, columns}, chunk[2] = {chunk_rows, columns};
  const unsigned goal = 1;
  H5Pset_chunk(creation, 2, chunk);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  wrong += H5Pset_filter(creation, 493, H5Z_FLAG_MANDATORY, 1, &goal) < 0;
  const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access),
              space = H5Screate_simple(2, shape, NULL);
  const hid_t dataset = H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);

  /* The bands of this rank, and their numbers one behind the other. */
  double* values = malloc(sizeof(double) * rows * columns);
  hsize_t count = 0;
  H5Sselect_none(space);
  for (int first = band * rank; rank < writers && first < rows; first += band * writers) {
    const hsize_t begin[2] = {(hsize_t)first, 0},
                  size[2] = {(hsize_t)(first + band > rows ? rows - first : band), columns};
    H5Sselect_hyperslab(space, H5S_SELECT_OR, begin, NULL, size, NULL);
    for (hsize_t i = 0; i < size[0] * columns; ++i)
      values[count++] = 0.25 * (double)((hsize_t)first * columns + i);
  }
  const hid_t memory = H5Screate_simple(1, &count, NULL);
  wrong += H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, values) < 0;
  wrong += H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, transfer, values) < 0;
  for (int i = 0; i < rows * columns; ++i) wrong += values[i] != 0.25 * i;
  free(values);
  H5Dclose(dataset);
  H5Fclose(file);
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all_wrong != 0) printf("%d are wrong\n", all_wrong);
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
