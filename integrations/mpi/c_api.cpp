// The C ABI: translates arguments and results, nothing else.
#include <cstddef>
#include <memory>
#include <new>

#include "api/c/arguments.hpp"
#include "floe/mpi.h"
#include "floe/mpi.hpp"
#include "shared_file.hpp"

struct floe_mpi_file {
  floe::mpi::SharedFile bytes;
  floe_reader* reader = nullptr;

  floe_mpi_file() = default;
  floe_mpi_file(const floe_mpi_file&) = delete;
  floe_mpi_file& operator=(const floe_mpi_file&) = delete;
  ~floe_mpi_file() { floe_reader_close(reader); }
};

namespace {

using floe::c_abi::known_part;
using floe::c_abi::null_pointer;
using floe::c_abi::to_c;
using floe::c_abi::to_cpp;

constexpr std::size_t first_options_bytes = offsetof(floe_mpi_options, memory_bytes) + sizeof(uint64_t);

floe::Result<floe::mpi::WriteOptions> to_cpp(const floe_options* compression,
                                             const floe_mpi_options* options) {
  const auto known = known_part(compression);
  if (!known) return known.status();
  const auto known_options = known_part(options, floe_mpi_options_default, first_options_bytes);
  if (!known_options) return known_options.status();
  auto converted = to_cpp(*known);
  if (!converted) return converted.status();
  floe::mpi::WriteOptions write;
  write.compression = *converted;
  write.stretch_bytes = known_options->stretch_bytes;
  write.memory_bytes = known_options->memory_bytes;
  return write;
}

floe::Status to_cpp(const floe_status& status) {
  return {static_cast<floe::ErrorCode>(status.code), status.byte_offset, status.detail};
}

int read_bytes(void* file, uint64_t offset, void* bytes, size_t count) {
  auto& shared = *static_cast<floe::mpi::SharedFile*>(file);
  return shared.read(offset, {static_cast<std::byte*>(bytes), count}).ok() ? 0 : 1;
}

}  // namespace

extern "C" {

void floe_mpi_options_default(floe_mpi_options* options) {
  const floe::mpi::WriteOptions defaults;
  *options = {sizeof *options, defaults.stretch_bytes, defaults.memory_bytes};
}

floe_status floe_mpi_write(MPI_Comm communicator, const char* path, const void* part, uint64_t part_bytes,
                           floe_dtype dtype, const floe_extent* extent, const floe_options* compression,
                           const floe_mpi_options* options) {
  if (path == nullptr || extent == nullptr || (part == nullptr && part_bytes != 0)) return to_c(null_pointer);
  const auto converted = to_cpp(compression, options);
  if (!converted) return to_c(converted.status());
  return to_c(floe::mpi::write(communicator, path, {static_cast<const std::byte*>(part), part_bytes},
                               to_cpp(dtype), to_cpp(*extent), *converted));
}

floe_status floe_mpi_write_f(MPI_Fint communicator, const char* path, const void* part, uint64_t part_bytes,
                             floe_dtype dtype, const floe_extent* extent, const floe_options* compression,
                             const floe_mpi_options* options) {
  return floe_mpi_write(MPI_Comm_f2c(communicator), path, part, part_bytes, dtype, extent, compression,
                        options);
}

floe_status floe_mpi_open(floe_mpi_file** file, MPI_Comm communicator, const char* path) {
  if (file == nullptr || path == nullptr) return to_c(null_pointer);
  *file = nullptr;
  auto opened = std::make_unique<floe_mpi_file>();
  const floe::Status status =
      opened->bytes.open(communicator, path, MPI_INFO_NULL, [&](std::uint64_t file_bytes) {
        const floe::DecodeOptions defaults;
        return to_cpp(floe_reader_open_at(&opened->reader, read_bytes, &opened->bytes, file_bytes,
                                          defaults.memory_limit_bytes));
      });
  if (status.ok()) *file = opened.release();
  return to_c(status);
}

floe_status floe_mpi_open_f(floe_mpi_file** file, MPI_Fint communicator, const char* path) {
  return floe_mpi_open(file, MPI_Comm_f2c(communicator), path);
}

const floe_reader* floe_mpi_reader(const floe_mpi_file* file) { return file->reader; }

void floe_mpi_close(floe_mpi_file* file) { delete file; }

}  // extern "C"
