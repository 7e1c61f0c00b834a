#include "gpu/host/portion_encoder.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/host/caller_memory.hpp"
#include "gpu/host/launch_packing.hpp"

namespace floe::gpu {
namespace {

using cuda::ColumnEncode;
using CudaCalls;
using launch;

constexpr Status no_memory{ErrorCode::out_of_memory, 0, "no memory for encoding columns"};

}  // namespace

Status PortionEncoder::allocate(DType type, const PortionLimits& most) {
  type_ = type;
  largest_ = most;
  shared_ = device_memory(zero_bytes() + most.portions * trees_bytes +
                          sizeof(SegmentDivisor) * segments(most.words));
  no_tickets_ = pinned_memory(ticket_bytes);
  if (shared_ == nullptr || no_tickets_ == nullptr) return no_memory;
  // Beyond all tickets, and far from the greatest number.
  std::fill_n(reinterpret_cast<std::uint32_t*>(no_tickets_.get()), ticket_bytes / 4, std::uint32_t{3} << 30);
  CudaCalls calls;
  shape_ = DeviceShape::of_current(calls);
  cudaStream_t beside = nullptr;
  calls.check(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
  beside_.reset(beside);
  gave_up_ = new_event();
  return calls.status();
}

/// Scratch for a tree that needs more than those before: after all that uses the old one.
Status PortionEncoder::make_room(std::uint64_t bytes, cudaStream_t stream) {
  if (bytes <= scratch_room_) return {};
  CudaCalls calls;
  calls.check(cudaStreamSynchronize(stream));
  if (!calls.ok()) return calls.status();
  scratch_.reset();
  scratch_room_ = 0;
  scratch_ = device_memory(bytes);
  if (scratch_ == nullptr) return no_memory;
  scratch_room_ = bytes;
  return {};
}

Status PortionEncoder::begin(const ColumnEncode& column, cudaStream_t stream) const {
  CudaCalls calls;
  EncodeSetUpJob job;
  job.zeros = reinterpret_cast<std::uint64_t*>(shared_.get());
  job.zero_words = zero_bytes() / 8;
  job.column_count = 1;
  job.result[0] = column.result;
  launch(calls, encode_kernels().set_up, {64, 256, 0}, job, stream);
  return calls.status();
}

/// Where blocks find it.
void PortionEncoder::put_tree(CudaCalls& calls, std::uint64_t portion, const trees::Plan& plan,
                              cudaStream_t stream) const {
  EncodeSetUpJob job;
  trees::ByteWriter bytes;
  write_plan(plan, bytes);
  job.trees.count = 1;
  std::copy(bytes.bytes().begin(), bytes.bytes().end(), job.trees.bytes);
  job.trees_to = trees_of(portion);
  launch(calls, encode_kernels().set_up, {1, 256, 0}, job, stream);
}

/// By blocks; if `again` only where some word of a chain failed.
void PortionEncoder::encode_by_blocks(CudaCalls& calls, const ColumnEncode& column, const Portion& portion,
                                     const Blocks& blocks, bool again, cudaStream_t stream) {
  const EncodeKernels kernels = encode_kernels();
  EncodeColumnsJob job;
  job.states = states();
  job.column_count = 1;
  job.first_ticket = static_cast<std::uint32_t>(portion.first / largest_.segment_words);
  job.segment_count = job.first_ticket + static_cast<std::uint32_t>(segments(portion.count));
  job.trees = trees_of(portion.index);
  job.ticket = counter(portion.index, again ? ticket_of_blocks_again : ticket_of_blocks);
  job.scratch = scratch_.get();
  job.scratch_bytes = blocks.scratch;
  EncodeColumn& to = job.column[0];
  take_over(column, to);
  to.segment_words = largest_.segment_words;
  to.end_ticket = static_cast<std::uint32_t>(segments(column.word_count));
  to.tree_count = 1;
  to.type = type_;
  if (again) {
    EncodeSetUpJob reset;
    reset.zeros = job.states + job.first_ticket;
    reset.zero_words = job.segment_count - job.first_ticket;
    reset.column_count = 1;
    reset.result[0] = column.result;
    reset.refused = counter(portion.index, refused);
    reset.wanted = job.wanted = counter(portion.index, has_failed);
    launch(calls, kernels.set_up, {1, 256, 0}, reset, stream);
  }
  launch(calls, kernels.encode, {static_cast<std::uint32_t>(blocks.count), column_threads, kernels.shared_bytes},
         job, stream);
}

void PortionEncoder::pack(CudaCalls& calls, const ColumnEncode& column, const Portion& portion,
                          const PackChain& chain, cudaStream_t stream) {
  const std::uint64_t first_segment = portion.first / largest_.segment_words,
                      first_tile = tiles(portion.first);
  PackJob job;
  job.column_count = 1;
  PackColumn& to = job.column[0];
  to = chain.column;
  take_over(column, to);
  to.states = states();
  to.divisors = divisors();
  to.refused = counter(portion.index, refused);
  to.segment_words = largest_.segment_words;
  to.first_segment = static_cast<std::uint32_t>(first_segment);
  to.end_tile = job.tile_count = static_cast<std::uint32_t>(tiles(portion.count));
  to.end_segment = job.segment_count = static_cast<std::uint32_t>(segments(portion.count));
  job.tiles = tile_memory() + first_tile;
  job.goals = goals() + first_tile;
  job.arrivals = arrivals() + first_segment;
  job.ticket = counter(portion.index, ticket_of_warps);
  job.failed = counter(portion.index, has_failed);
  launch_packing(calls, shape_, job, chain.kind, stream);
}

Status PortionEncoder::encode(const ColumnEncode& column, const Portion& portion, const trees::Plan& plan,
                              cudaStream_t stream) {
  const EncodePlan device_plan = encode_plan_of(plan);
  const auto chain =
      tiles(largest_.words) <= max_pack_tiles ? pack_chain_of(device_plan, type_) : std::nullopt;
  const bool needs_blocks = !chain || can_fail(chain->kind);
  Blocks blocks;
  if (needs_blocks) {
    blocks.scratch = encode_scratch_bytes(device_plan, type_,
                                         std::min<std::uint64_t>(largest_.segment_words, column.word_count));
    blocks.count = std::min(useful_encode_blocks(segments(portion.count), blocks.scratch),
                           std::uint64_t{2} * shape_.multiprocessors);
    if (const Status status = make_room(blocks.count * blocks.scratch, stream); !status.ok()) return status;
  }
  CudaCalls calls;
  if (needs_blocks) put_tree(calls, portion.index, plan, stream);
  if (chain) pack(calls, column, portion, *chain, stream);
  if (needs_blocks) encode_by_blocks(calls, column, portion, blocks, chain.has_value(), stream);
  return calls.status();
}

/// Whoever asks for a ticket finds none, and has done all that others wait for: they wait for lower tickets
/// only. A copy needs no room among the kernels that are at work.
Status PortionEncoder::give_up(cudaStream_t stream) {
  CudaCalls calls;
  calls.check(cudaMemcpyAsync(counter(0, ticket_of_blocks), no_tickets_.get(), ticket_bytes,
                              cudaMemcpyHostToDevice, beside_.get()));
  calls.check(cudaEventRecord(gave_up_.get(), beside_.get()));
  calls.check(cudaStreamWaitEvent(stream, gave_up_.get(), 0));
  return calls.status();
}

}  // namespace floe::gpu
