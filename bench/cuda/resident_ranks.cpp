// Times ranks of NCCL with an array whose parts lie in their GPUs. Each rank is a thread of this process.
#include "resident_ranks.hpp"

#include <nccl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <thread>

namespace floe::bench {
namespace {

using Clock = std::chrono::steady_clock;

void check_nccl(ncclResult_t result) {
  if (result != ncclSuccess) throw std::runtime_error(ncclGetErrorString(result));
}

/// Threads that begin at the same time: they spin, as one that sleeps comes late.
class StartLine {
 public:
  explicit StartLine(std::size_t threads) : threads_(threads) {}
  void wait() {
    const std::size_t round = arrived_.fetch_add(1) / threads_;
    while (arrived_.load() / threads_ == round) std::this_thread::yield();
  }

 private:
  const std::size_t threads_;
  std::atomic<std::size_t> arrived_ = 0;
};

/// Does work(rank) in a thread for each rank, again and again, and returns the median of the seconds from the
/// first start to the last end.
template <class Work>
double ranks_seconds(const ResidentParts& parts, int runs, const Work& work) {
  struct Span {
    Clock::time_point begin, end;
  };
  std::vector<std::vector<Span>> spans(parts.size(), std::vector<Span>(static_cast<std::size_t>(runs) + 1));
  std::vector<std::exception_ptr> failures(parts.size());
  StartLine line(parts.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      threads.emplace_back([&, rank] {
        for (Span& span : spans[rank]) {
          line.wait();
          span.begin = Clock::now();
          try {
            if (!failures[rank]) work(rank);
          } catch (...) {
            failures[rank] = std::current_exception();
          }
          span.end = Clock::now();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  std::vector<double> seconds;
  for (std::size_t run = 1; run < spans[0].size(); ++run) {  // the first one does not count
    Span all = spans[0][run];
    for (const auto& of_rank : spans) {
      all.begin = std::min(all.begin, of_rank[run].begin);
      all.end = std::max(all.end, of_rank[run].end);
    }
    seconds.push_back(std::chrono::duration<double>(all.end - all.begin).count());
  }
  return times_of(std::move(seconds)).median;
}

}  // namespace

class Ranks::Communicators {
 public:
  explicit Communicators(std::size_t ranks) : all_(ranks) {
    check_nccl(ncclCommInitAll(all_.data(), static_cast<int>(ranks), nullptr));
  }
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  ~Communicators() {
    for (ncclComm* const communicator : all_) (void)ncclCommDestroy(communicator);
  }
  [[nodiscard]] std::size_t count() const { return all_.size(); }
  [[nodiscard]] ncclComm* of(std::size_t rank) const { return all_[rank]; }

 private:
  std::vector<ncclComm*> all_;
};

Ranks::Ranks() = default;
Ranks::~Ranks() = default;

const Ranks::Communicators& Ranks::of(std::size_t ranks) {
  for (const auto& communicators : communicators_) {
    if (communicators->count() == ranks) return *communicators;
  }
  communicators_.push_back(std::make_unique<Communicators>(ranks));
  return *communicators_.back();
}

ResidentTimes Ranks::time(const ResidentParts& parts, const Kind& kind, int runs) {
  const Communicators& communicators = of(parts.size());
  std::uint64_t bytes = 0;
  for (const auto& part : parts) bytes += part->part().bytes;
  std::vector<cuda::RankPart> ranks;
  std::vector<std::unique_ptr<DeviceBuffer>> workspaces;
  std::vector<cuda::PinnedMemory> host_workspaces;
  std::uint64_t first_byte = 0;
  for (const auto& resident : parts) {
    cuda::RankPart rank{resident->part(), first_byte};
    check(cudaSetDevice(rank.part.device));
    const auto workspace_bytes =
        cuda::rank_workspace_size(rank.part.bytes, bytes, static_cast<std::uint32_t>(parts.size()),
                                  kind.dtype, kind.options())
            .value();
    workspaces.push_back(std::make_unique<DeviceBuffer>(workspace_bytes));
    rank.part.workspace = {workspaces.back()->data, workspace_bytes};
    const auto host_bytes = cuda::rank_host_workspace_size(bytes, static_cast<std::uint32_t>(parts.size()),
                                                           kind.dtype, kind.options())
                                .value();
    host_workspaces.push_back(cuda::PinnedMemory::allocate(host_bytes).value());
    rank.part.host_workspace = {host_workspaces.back().bytes().data(), host_bytes};
    first_byte += rank.part.bytes;
    ranks.push_back(rank);
  }

  ResidentTimes times;
  std::vector<cuda::PartedFrame> frames(parts.size());
  const Extent extent = kind.extent(bytes);
  times.compress = ranks_seconds(parts, runs, [&](std::size_t rank) {
    frames[rank] =
        cuda::compress_rank(ranks[rank], communicators.of(rank), kind.dtype, extent, kind.options()).value();
  });
  times.frame_bytes = frames[0].frame_bytes;
  for (const auto& part : parts) part->spoil();
  times.decompress = ranks_seconds(parts, runs, [&](std::size_t rank) {
    cuda::decompress_rank(ranks[rank], static_cast<std::uint32_t>(rank), frames[rank]).or_throw();
  });
  check(cudaSetDevice(0));
  const DeviceBuffer gathered(times.frame_bytes);
  times.to_device = ranks_seconds(parts, runs, [&](std::size_t rank) {
    cuda::gather_to_rank(ranks[rank], communicators.of(rank), frames[rank], 0, gathered.data, gathered.bytes)
        .or_throw();
  });
  return times;
}

}  // namespace floe::bench
