#include "shared_file.hpp"

#include <algorithm>
#include <new>

namespace floe::mpi {

SharedFile::~SharedFile() { static_cast<void>(close()); }

Status SharedFile::open(MPI_Comm communicator, const std::string& path, MPI_Info hints,
                        const OpenReader& open_reader) {
  const Ranks ranks(communicator);
  const int code = MPI_File_open(ranks.communicator(), path.c_str(), MPI_MODE_RDONLY, hints, &file_);
  Status status = status_of(code, "the file cannot be opened");
  if (code != MPI_SUCCESS) file_ = MPI_FILE_NULL;
  status = ranks.agree(status);
  return status.ok() ? open_readers(ranks, open_reader) : status;
}

Status SharedFile::open_readers(const Ranks& ranks, const OpenReader& open_reader) {
  MPI_Offset size = 0;
  Status status = status_of(MPI_File_get_size(file_, &size), "the file cannot be read");
  if (status = ranks.agree(status); !status.ok()) return status;
  const auto file_bytes = static_cast<std::uint64_t>(size);
  keeps_ = ranks.is_first();
  if (ranks.is_first()) status = open_reader(file_bytes);
  keeps_ = false;
  if (status = ranks.agree(status); !status.ok()) return status;
  if (status = share_pieces(ranks); !status.ok()) return status;
  if (!ranks.is_first()) status = open_reader(file_bytes);
  pieces_ = {};
  contents_ = {};
  return ranks.agree(status);
}

/// Those of the first rank, to all. Errors: out_of_memory.
Status SharedFile::share_pieces(const Ranks& ranks) {
  std::uint64_t sizes[2] = {pieces_.size(), contents_.size()};
  ranks.broadcast(std::as_writable_bytes(std::span(sizes)));
  Status status;
  try {
    pieces_.resize(sizes[0]);
    contents_.resize(sizes[1]);
  } catch (const std::bad_alloc&) {
    status = {ErrorCode::out_of_memory, 0, "no memory for the footer"};
  }
  if (status = ranks.agree(status); !status.ok()) return status;
  ranks.broadcast(std::as_writable_bytes(std::span(pieces_)));
  ranks.broadcast(contents_);
  return {};
}

Status SharedFile::read(std::uint64_t offset, std::span<std::byte> bytes) {
  std::size_t at = 0;
  for (const Piece& piece : pieces_) {
    if (piece.offset == offset && piece.size == bytes.size()) {
      std::copy_n(contents_.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), bytes.begin());
      return {};
    }
    at += piece.size;
  }
  if (file_ == MPI_FILE_NULL) return {ErrorCode::invalid_argument, offset, "the file is closed"};
  const Status status = read_at(file_, offset, bytes);
  if (status.ok() && keeps_) {
    pieces_.push_back({offset, bytes.size()});
    contents_.insert(contents_.end(), bytes.begin(), bytes.end());
  }
  return status;
}

Status SharedFile::close() {
  if (file_ == MPI_FILE_NULL) return {};
  const int code = MPI_File_close(&file_);
  file_ = MPI_FILE_NULL;
  return status_of(code, "the file cannot be closed");
}

}  // namespace floe::mpi
