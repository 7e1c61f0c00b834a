#include "division.hpp"

#include <algorithm>

namespace floe::mpi {

Division::Division(std::vector<std::uint64_t> sizes, int rank, std::uint64_t stretch_bytes)
    : begins_(std::move(sizes)), rank_(static_cast<std::size_t>(rank)), stretch_bytes_(stretch_bytes) {
  std::uint64_t sum = 0;
  for (std::uint64_t& size : begins_) {
    sum += size;
    size = sum - size;
  }
  begins_.push_back(sum);
}

std::uint64_t Division::end_of(std::uint64_t stretch) const noexcept {
  return std::min(begin_of(stretch) + stretch_bytes_, array_bytes());
}

int Division::owner_of(std::uint64_t position) const noexcept {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), position);
  return static_cast<int>(after - begins_.begin()) - 1;
}

std::vector<std::byte> Division::make_room() const {
  if (first_stretch() == end_stretch()) return {};
  const std::uint64_t last = end_stretch() - 1;
  return std::vector<std::byte>(end_of(last) > my_end() ? end_of(last) - begin_of(last) : 0);
}

void Division::exchange(const Ranks& ranks, std::span<const std::byte> part,
                        std::span<std::byte> last_stretch) const {
  std::vector<MPI_Request> requests;
  if (!last_stretch.empty()) {
    const std::uint64_t begin = begin_of(end_stretch() - 1), end = begin + last_stretch.size();
    const auto mine = part.subspan(begin - my_begin());
    std::copy(mine.begin(), mine.end(), last_stretch.begin());
    for (std::size_t rank = rank_ + 1; rank + 1 < begins_.size() && begins_[rank] < end; ++rank) {
      const std::uint64_t bytes = std::min(begins_[rank + 1], end) - begins_[rank];
      if (bytes == 0) continue;
      MPI_Irecv(last_stretch.data() + (begins_[rank] - begin), static_cast<int>(bytes), MPI_BYTE,
                static_cast<int>(rank), 0, ranks.communicator(), &requests.emplace_back());
    }
  }
  const std::uint64_t head_end = std::min(begin_of(first_stretch()), my_end());
  if (head_end > my_begin()) {
    const std::uint64_t stretch_begin = my_begin() / stretch_bytes_ * stretch_bytes_;
    MPI_Isend(part.data(), static_cast<int>(head_end - my_begin()), MPI_BYTE, owner_of(stretch_begin), 0,
              ranks.communicator(), &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace floe::mpi
