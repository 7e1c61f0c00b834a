// Which rank compresses what: the array is cut into stretches of one length, and a stretch belongs to the
// rank that holds its first byte. What other ranks hold of it is sent there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ranks.hpp"

namespace floe::mpi {

class Division {
 public:
  /// `sizes`: of the parts of all ranks, in bytes. `rank`: this one.
  Division(std::vector<std::uint64_t> sizes, int rank, std::uint64_t stretch_bytes);

  [[nodiscard]] std::uint64_t array_bytes() const noexcept { return begins_.back(); }
  [[nodiscard]] std::uint64_t my_begin() const noexcept { return begins_[rank_]; }
  [[nodiscard]] std::uint64_t my_end() const noexcept { return begins_[rank_ + 1]; }
  /// Stretches of this rank: [first, end).
  [[nodiscard]] std::uint64_t first_stretch() const noexcept { return stretches_before(my_begin()); }
  [[nodiscard]] std::uint64_t end_stretch() const noexcept { return stretches_before(my_end()); }
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t stretch) const noexcept {
    return stretch * stretch_bytes_;
  }
  [[nodiscard]] std::uint64_t end_of(std::uint64_t stretch) const noexcept;

  /// Sends what this rank holds of the stretch of another one, and returns the last one of its own, whole, if
  /// others hold some of it; else nothing. Collective. Throws std::bad_alloc before anything is sent.
  [[nodiscard]] std::vector<std::byte> make_room() const;
  void exchange(const Ranks& ranks, std::span<const std::byte> part, std::span<std::byte> last_stretch) const;

 private:
  [[nodiscard]] std::uint64_t stretches_before(std::uint64_t position) const noexcept {
    return position / stretch_bytes_ + (position % stretch_bytes_ == 0 ? 0 : 1);
  }
  [[nodiscard]] int owner_of(std::uint64_t position) const noexcept;

  std::vector<std::uint64_t> begins_;  ///< Of all parts, and the end.
  std::size_t rank_ = 0;
  std::uint64_t stretch_bytes_ = 1;
};

}  // namespace floe::mpi
