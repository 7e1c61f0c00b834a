// A file that all ranks read. What one of them needs to open a frame, the others are told.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace floe::mpi {

class SharedFile {
 public:
  SharedFile() = default;
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile();

  /// Opens a reader over the file's bytes, by read().
  using OpenReader = std::function<Status(std::uint64_t file_bytes)>;
  /// Collective. `open_reader` is called by the first rank, then by the others, which read nothing of the
  /// file. Errors: io_error, those of `open_reader`.
  Status open(MPI_Comm communicator, const std::string& path, MPI_Info hints, const OpenReader& open_reader);
  Status read(std::uint64_t offset, std::span<std::byte> bytes);
  /// Collective. Does nothing the second time.
  Status close();

 private:
  struct Piece {
    std::uint64_t offset = 0, size = 0;
  };

  Status open_readers(const Ranks& ranks, const OpenReader& open_reader);
  Status share_pieces(const Ranks& ranks);

  MPI_File file_ = MPI_FILE_NULL;
  bool keeps_ = false;  ///< What is read becomes a piece.
  std::vector<Piece> pieces_;
  std::vector<std::byte> contents_;  ///< Of the pieces, one behind the other.
};

}  // namespace floe::mpi
