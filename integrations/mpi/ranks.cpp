#include "ranks.hpp"

#include <algorithm>

namespace floe::mpi {

Ranks::Ranks(MPI_Comm communicator) {
  MPI_Comm_dup(communicator, &communicator_);
  MPI_Comm_rank(communicator_, &rank_);
  MPI_Comm_size(communicator_, &count_);
}

Ranks::~Ranks() { MPI_Comm_free(&communicator_); }

Status Ranks::agree(const Status& mine) const {
  const int own = mine.ok() ? count_ : rank_;
  int first = count_;
  MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, communicator_);
  if (first == count_) return {};
  std::uint64_t theirs[2] = {static_cast<std::uint64_t>(mine.code), mine.byte_offset};
  MPI_Bcast(theirs, 2, MPI_UINT64_T, first, communicator_);
  const auto code = static_cast<ErrorCode>(theirs[0]);
  return {code, theirs[1], mine.ok() ? "another rank failed" : mine.detail};
}

std::vector<std::uint64_t> Ranks::gather(std::uint64_t mine) const {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(count_));
  MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, communicator_);
  return all;
}

std::uint64_t Ranks::sum_before(std::uint64_t mine) const {
  std::uint64_t before = 0;
  MPI_Exscan(&mine, &before, 1, MPI_UINT64_T, MPI_SUM, communicator_);
  return rank_ == 0 ? 0 : before;
}

std::uint64_t Ranks::sum(std::uint64_t mine) const {
  std::uint64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, communicator_);
  return all;
}

bool Ranks::is_same(std::uint64_t mine) const {
  const std::uint64_t both[2] = {mine, ~mine};
  std::uint64_t largest[2] = {};
  MPI_Allreduce(both, largest, 2, MPI_UINT64_T, MPI_MAX, communicator_);
  return largest[0] == ~largest[1];
}

void Ranks::broadcast(std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), max_message_bytes));
    MPI_Bcast(part.data(), static_cast<int>(part.size()), MPI_BYTE, 0, communicator_);
    bytes = bytes.subspan(part.size());
  }
}

namespace {

/// Calls `call(offset, begin, count, &status)`, a call of MPI-IO, until all bytes went through it.
template <class Byte, class Call>
Status transfer(std::uint64_t offset, std::span<Byte> bytes, const char* detail, const Call& call) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), max_message_bytes));
    MPI_Status status;
    int count = 0;
    if (call(static_cast<MPI_Offset>(offset), part.data(), static_cast<int>(part.size()), &status) ==
        MPI_SUCCESS)
      MPI_Get_count(&status, MPI_BYTE, &count);
    if (count <= 0) return {ErrorCode::io_error, offset, detail};
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

Status write_at(MPI_File file, std::uint64_t offset, std::span<const std::byte> bytes) {
  return transfer(offset, bytes, "the file cannot be written",
                  [file](auto at, auto* from, int count, auto* status) {
                    return MPI_File_write_at(file, at, from, count, MPI_BYTE, status);
                  });
}

Status read_at(MPI_File file, std::uint64_t offset, std::span<std::byte> bytes) {
  return transfer(offset, bytes, "the file cannot be read",
                  [file](auto at, auto* to, int count, auto* status) {
                    return MPI_File_read_at(file, at, to, count, MPI_BYTE, status);
                  });
}

}  // namespace floe::mpi
