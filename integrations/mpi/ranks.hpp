// The ranks of a call, and what they find out together.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "floe/floe.hpp"

namespace floe::mpi {

/// A communicator of this call alone. Making and freeing it is collective, as are all calls.
class Ranks {
 public:
  explicit Ranks(MPI_Comm communicator);
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks();

  [[nodiscard]] MPI_Comm communicator() const noexcept { return communicator_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] bool is_first() const noexcept { return rank_ == 0; }

  /// The failure of the first rank that has one. A rank that has one itself keeps its text.
  [[nodiscard]] Status agree(const Status& mine) const;
  /// The number of every rank.
  [[nodiscard]] std::vector<std::uint64_t> gather(std::uint64_t mine) const;
  /// The sum of what the ranks before this one have.
  [[nodiscard]] std::uint64_t sum_before(std::uint64_t mine) const;
  [[nodiscard]] std::uint64_t sum(std::uint64_t mine) const;
  [[nodiscard]] bool is_same(std::uint64_t mine) const;
  /// Bytes of the first rank, to all.
  void broadcast(std::span<std::byte> bytes) const;

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, count_ = 1;
};

/// More than any call of MPI gets at once: counts are of 31 bits.
inline constexpr std::uint64_t max_message_bytes = std::uint64_t{1} << 30;

/// Of a call of MPI-IO.
inline Status status_of(int code, const char* detail) {
  return code == MPI_SUCCESS ? Status{} : Status{ErrorCode::io_error, 0, detail};
}

Status write_at(MPI_File file, std::uint64_t offset, std::span<const std::byte> bytes);
Status read_at(MPI_File file, std::uint64_t offset, std::span<std::byte> bytes);

}  // namespace floe::mpi
