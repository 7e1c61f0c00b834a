// Arrays that the processes of a cluster hold together, as one frame in one file, through MPI-IO. The library
// floe_mpi.
//
// Calls return the same on all ranks but for the text of an error: ranks that did not fail themselves say
// that another one did. They need MPI_THREAD_SINGLE; threads of floe call no MPI.
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>

#include "floe/floe.hpp"

#pragma GCC visibility push(default)

namespace floe::mpi {

struct WriteOptions {
  /// All ranks give the same; on_segment and the accelerator are not used. `threads` are those of one rank.
  Options compression;
  /// What one rank compresses by itself, a multiple of the frame's segments, at most 1 GiB. 0: 64 MiB, or one
  /// segment if these are longer. With a goal trees are chosen for each stretch by itself, so that it decides
  /// about the bytes, and the number of ranks does not.
  std::uint64_t stretch_bytes = 0;
  /// What a rank keeps compressed until the sizes of all ranks are known; what is beyond is compressed twice.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  MPI_Info hints = MPI_INFO_NULL;  ///< For MPI_File_open, such as the striping of a parallel file system.
};

/// Writes the frame of an array to a file. Collective. `part`: this rank's elements, any number of them, also
/// none; the parts follow each other in the order of the ranks. The file has the same bytes for any number of
/// ranks and any division among them: with a tree or a codec those of floe::compress(). It gets its name when
/// it is complete; until then it is called "<path>.tmp". A rank needs memory for two stretches, and
/// memory_bytes. Errors: invalid_argument, out_of_memory, io_error.
Status write(MPI_Comm communicator, const std::string& path, std::span<const std::byte> part, DType dtype,
             const Extent& extent, const WriteOptions& options = {});

/// A frame in a file of which every rank reads what it wants.
class File {
 public:
  /// Collective. One rank reads header and footer, and tells the others. Errors: those of Reader::open, and
  /// io_error.
  static Result<File> open(MPI_Comm communicator, const std::string& path, MPI_Info hints = MPI_INFO_NULL);
  File(File&&) noexcept;
  File& operator=(File&&) noexcept;
  /// Closes it, which is collective.
  ~File();

  /// Reads any slice, independently of other ranks. Until the file is closed. Not thread-safe.
  [[nodiscard]] const Reader& reader() const noexcept;
  /// Collective. Does nothing the second time. Errors: io_error.
  Status close();

 private:
  struct State;
  explicit File(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace floe::mpi

#pragma GCC visibility pop
