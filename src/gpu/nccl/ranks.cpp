// Arrays in the memories of GPUs of several processes: what ranks send each other through NCCL.
#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <cstring>

#include "core/guard.hpp"
#include "gpu/host/calls.hpp"
#include "gpu/host/parts/part_jobs.hpp"

namespace floe::cuda {
namespace {

using gpu::CudaCalls;
using gpu::invalid;
using gpu::PartJob;

/// What a rank sends all others of its part.
struct RankFacts {
  ItemResult result;
  std::uint64_t first_byte = 0, bytes = 0;
};
static_assert(sizeof(RankFacts) % 8 == 0 && sizeof(RankFacts) <= 64);

Status to_status(ncclResult_t result) {
  if (result == ncclSuccess) return {};
  return {result == ncclInvalidArgument || result == ncclInvalidUsage ? ErrorCode::invalid_argument
                                                                      : ErrorCode::device_error,
          0, ncclGetErrorString(result)};
}

/// Behind what a part needs in its workspace: the facts of all ranks and segments, which hosts get at once.
struct Exchange {
  std::uint64_t ranks, segments, bytes, end;

  Exchange(const gpu::PartLayout& layout, std::uint64_t rank_count, std::uint64_t segment_count)
      : ranks(layout.end),
        segments(ranks + rank_count * sizeof(RankFacts)),
        bytes(segments + sizeof(gpu::SegmentFacts) * segment_count - ranks),
        end(core::align_up(ranks + bytes, gpu::granule)) {}
};

/// For what all ranks exchange, and for what a GPU may tell of all segments.
std::uint64_t host_workspace_bytes(const Exchange& exchange, std::uint64_t segments) {
  return std::max(exchange.bytes, gpu::published_bytes(segments));
}

struct Group {
  std::uint32_t ranks = 0, rank = 0;
};

Result<Group> group_of(ncclComm* communicator) {
  if (communicator == nullptr) return invalid("there is no communicator");
  int ranks = 0, rank = 0;
  const Status status = CudaCalls()
                            .check(to_status(ncclCommCount(communicator, &ranks)))
                            .check(to_status(ncclCommUserRank(communicator, &rank)))
                            .status();
  if (!status.ok()) return status;
  return Group{static_cast<std::uint32_t>(ranks), static_cast<std::uint32_t>(rank)};
}

/// A rank's part in work.
struct RankJob {
  const RankPart& mine;
  const gpu::PartsPlan& plan;
  ncclComm* communicator;
  Group group;
  std::uint64_t array_bytes;
  gpu::HostMemory received;

  RankJob(const RankPart& part, const gpu::PartsPlan& its_plan, ncclComm* its_communicator,
          const Group& its_group, std::uint64_t bytes)
      : mine(part),
        plan(its_plan),
        communicator(its_communicator),
        group(its_group),
        array_bytes(bytes),
        received(part.part.host_workspace, exchange_layout().bytes) {}

  [[nodiscard]] std::uint64_t segment_count() const { return plan.rules.segment_count(array_bytes); }

  [[nodiscard]] const PartJob& job() const { return plan.jobs.front(); }
  [[nodiscard]] Exchange exchange_layout() const { return {job().layout, group.ranks, segment_count()}; }
  [[nodiscard]] std::uint8_t* all_ranks() const { return job().workspace() + exchange_layout().ranks; }
  [[nodiscard]] std::uint8_t* my_facts() const { return all_ranks() + group.rank * sizeof(RankFacts); }
  [[nodiscard]] gpu::SegmentFacts* all_segments() const {
    return reinterpret_cast<gpu::SegmentFacts*>(job().workspace() + exchange_layout().segments);
  }

  // What the host knows when exchange() is over
  [[nodiscard]] RankFacts facts_of(std::uint32_t rank) const {
    RankFacts facts;
    std::memcpy(static_cast<void*>(&facts), received.words() + rank * sizeof facts / 8, sizeof facts);
    return facts;
  }
  [[nodiscard]] std::span<const gpu::SegmentFacts> facts_of_segments() const {
    const std::uint64_t* const first = received.words() + group.ranks * sizeof(RankFacts) / 8;
    return {reinterpret_cast<const gpu::SegmentFacts*>(first), segment_count()};
  }

  /// Everybody learns the facts of all ranks, and those of the segments, to which each rank contributes its
  /// own and zeros for those of others. What could not even be enqueued, others learn, too.
  [[nodiscard]] Status exchange(const Status& enqueued) const {
    const cudaStream_t stream = mine.part.stream;
    const std::uint64_t segment_bytes = sizeof(gpu::SegmentFacts);
    RankFacts own;
    own.result.code = static_cast<std::uint32_t>(enqueued.code);
    own.first_byte = mine.first_byte;
    own.bytes = mine.part.bytes;
    std::memcpy(received.words(), &own, sizeof own);  // until all have sent theirs
    CudaCalls steps;  // all are made in any case, so that no other rank waits for one of them
    steps.check(cudaMemcpyAsync(my_facts(), received.words(), sizeof own, cudaMemcpyHostToDevice, stream));
    if (enqueued.ok())
      steps.check(cudaMemcpyAsync(my_facts(), job().device_result(), sizeof own.result,
                                  cudaMemcpyDeviceToDevice, stream));
    return steps.check(cudaMemsetAsync(all_segments(), 0, segment_bytes * segment_count(), stream))
        .check(cudaMemcpyAsync(all_segments() + job().first_segment, job().device_facts(),
                               segment_bytes * job().segment_count, cudaMemcpyDeviceToDevice, stream))
        .check(to_status(ncclGroupStart()))
        .check(to_status(
            ncclAllGather(my_facts(), all_ranks(), sizeof(RankFacts), ncclUint8, communicator, stream)))
        .check(to_status(ncclAllReduce(all_segments(), all_segments(), segment_bytes / 8 * segment_count(),
                                       ncclUint64, ncclSum, communicator, stream)))
        .check(to_status(ncclGroupEnd()))
        .check(cudaMemcpyAsync(received.words(), all_ranks(), exchange_layout().bytes, cudaMemcpyDeviceToHost,
                               stream))
        .check(cudaStreamSynchronize(stream))
        .status();
  }
};

/// What all ranks have sent becomes one frame.
Status add_up(const RankJob& rank, gpu::FrameOfParts& frame) {
  const std::span<const gpu::SegmentFacts> segments = rank.facts_of_segments();
  std::uint64_t bytes = 0, segment = 0;
  for (std::uint32_t i = 0; i < rank.group.ranks; ++i) {
    const RankFacts facts = rank.facts_of(i);
    const std::uint64_t count = rank.plan.rules.segment_count(facts.bytes);
    if (facts.first_byte != bytes || count > segments.size() - segment)
      return invalid("the parts of the ranks do not follow each other");
    if (const Status status = frame.append(facts.bytes, facts.result, segments.subspan(segment, count));
        !status.ok())
      return status;
    bytes += facts.bytes;
    segment += count;
  }
  return bytes == rank.array_bytes ? Status{} : invalid("the parts' size is not that of the shape");
}

Status add_my_part(gpu::PartsPlan& plan, const RankPart& mine, std::uint64_t array_bytes) {
  const std::uint64_t segment_bytes = plan.rules.segment_bytes();
  if (mine.first_byte % segment_bytes != 0) return invalid("a part does not begin with a segment");
  if (mine.first_byte > array_bytes || mine.part.bytes > array_bytes - mine.first_byte)
    return invalid("a part reaches beyond the array");
  return plan.add_part(mine.part, mine.first_byte / segment_bytes,
                       mine.first_byte + mine.part.bytes == array_bytes);
}

}  // namespace

Result<std::uint64_t> rank_workspace_size(std::uint64_t bytes, std::uint64_t array_bytes, std::uint32_t ranks,
                                          DType dtype, const Options& options) {
  return core::guarded([&]() -> Result<std::uint64_t> {
    const auto rules = gpu::rules_of(dtype, Extent::linear(0), options);
    if (!rules) return rules.status();
    const auto layout = gpu::layout_of(*rules, bytes);
    if (!layout) return layout.status();
    return Exchange(*layout, ranks, rules->segment_count(array_bytes)).end;
  });
}

Result<std::uint64_t> rank_host_workspace_size(std::uint64_t array_bytes, std::uint32_t ranks, DType dtype,
                                               const Options& options) {
  return core::guarded([&]() -> Result<std::uint64_t> {
    const auto rules = gpu::rules_of(dtype, Extent::linear(0), options);
    if (!rules) return rules.status();
    const std::uint64_t segments = rules->segment_count(array_bytes);
    return host_workspace_bytes(Exchange({}, ranks, segments), segments);
  });
}

Result<PartedFrame> compress_rank(const RankPart& mine, ncclComm* communicator, DType dtype,
                                  const Extent& extent, const Options& options) {
  return core::guarded([&]() -> Result<PartedFrame> {
    auto rules = gpu::rules_of(dtype, extent, options);
    if (!rules) return rules.status();
    gpu::PartsPlan plan{std::move(*rules), {}};
    const std::uint64_t array_bytes = *extent.element_count() * size_of(dtype);
    if (const Status status = add_my_part(plan, mine, array_bytes); !status.ok()) return status;
    const auto group = group_of(communicator);
    if (!group) return group.status();
    const RankJob rank(mine, plan, communicator, *group, array_bytes);
    if (mine.part.workspace.bytes < rank.exchange_layout().end)
      return invalid("the workspace of a part is too small");
    if (mine.part.host_workspace.data != nullptr &&
        mine.part.host_workspace.bytes < host_workspace_bytes(rank.exchange_layout(), rank.segment_count()))
      return invalid("the workspace of a part in the host's memory is too small");

    const gpu::CurrentDevice current(mine.part.device);
    gpu::FrameOfParts frame(plan.rules);
    Status enqueued = gpu::enqueue_compression(plan.rules, rank.job());
    if (enqueued.ok()) enqueued = gpu::enqueue_facts(plan.rules, rank.job());
    const Status exchanged = rank.exchange(enqueued);
    if (!enqueued.ok() || !exchanged.ok()) return enqueued.ok() ? exchanged : enqueued;
    if (const Status status = add_up(rank, frame); !status.ok()) return status;
    return frame.finish(extent);
  });
}

Status decompress_rank(const RankPart& mine, std::uint32_t rank, const PartedFrame& frame) {
  return core::guarded([&]() -> Status {
    auto rules = gpu::rules_of(frame);
    if (!rules) return rules.status();
    gpu::PartsPlan plan{std::move(*rules), {}};
    if (rank >= frame.parts.size()) return invalid("the frame has no part of this rank");
    if (mine.first_byte % plan.rules.segment_bytes() != 0)
      return invalid("a part does not begin with a segment");
    const std::uint64_t first_segment = mine.first_byte / plan.rules.segment_bytes();
    if (const Status status = plan.add_part(mine.part, first_segment, rank + 1 == frame.parts.size());
        !status.ok())
      return status;
    const PartJob& job = plan.jobs.front();
    const gpu::CurrentDevice current(mine.part.device);
    const Status status = CudaCalls()
                              .check(gpu::enqueue_decompression(plan.rules, job, frame.parts[rank]))
                              .check(gpu::enqueue_restoring(plan.rules, job, frame.parts[rank]))
                              .check(gpu::publish(job))
                              .check(gpu::wait_for(job))
                              .status();
    return status.ok() ? gpu::decoding_result(job, frame.parts[rank]) : status;
  });
}

Status gather_to_rank(const RankPart& mine, ncclComm* communicator, const PartedFrame& frame,
                      std::uint32_t root, void* to, std::uint64_t room) {
  const auto group = group_of(communicator);
  if (!group) return group.status();
  if (frame.parts.size() != group->ranks || root >= group->ranks)
    return invalid("the frame is not one of this communicator's ranks");
  const bool is_root = group->rank == root;
  if (is_root && room < frame.frame_bytes)
    return {ErrorCode::output_too_small, 0, "the output buffer cannot hold the frame"};
  const gpu::CurrentDevice current(mine.part.device);
  const cudaStream_t stream = mine.part.stream;
  const FramePart& own = frame.parts[group->rank];
  const auto* const from = static_cast<const std::uint8_t*>(mine.part.frame) + own.memory_offset;
  auto* const out = static_cast<std::uint8_t*>(to);

  CudaCalls steps;  // all are made in any case, so that no other rank waits for one of them
  steps.check(to_status(ncclGroupStart()));
  if (!is_root)
    steps.check(
        to_status(ncclSend(from, own.bytes, ncclUint8, static_cast<int>(root), communicator, stream)));
  for (std::uint32_t i = 0; is_root && i < group->ranks; ++i) {
    const FramePart& part = frame.parts[i];
    if (i != root)
      steps.check(to_status(ncclRecv(out + part.frame_offset, part.bytes, ncclUint8, static_cast<int>(i),
                                     communicator, stream)));
  }
  steps.check(to_status(ncclGroupEnd()));
  if (is_root) {
    const std::uint64_t footer_offset = frame.frame_bytes - frame.footer.size();
    steps.check(cudaMemcpyAsync(out + own.frame_offset, from, own.bytes, cudaMemcpyDeviceToDevice, stream))
        .check(cudaMemcpyAsync(out, frame.header.data(), frame.header.size(), cudaMemcpyHostToDevice, stream))
        .check(cudaMemcpyAsync(out + footer_offset, frame.footer.data(), frame.footer.size(),
                               cudaMemcpyHostToDevice, stream));
  }
  return steps.check(cudaStreamSynchronize(stream)).status();
}

}  // namespace floe::cuda
