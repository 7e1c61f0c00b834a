#include "gpu/host/columns/batch_encoder.hpp"

#include <algorithm>

namespace floe::gpu {

using cuda::ColumnEncode;

BatchEncoder::~BatchEncoder() {
  if (!shared_.is_gone()) return;
  beside_.forget();
  begun_.forget();
  gave_up_.forget();
  ready_.forget();
  for (Stream& stream : streams_) stream.forget();
  for (Event& done : done_) done.forget();
}

Status BatchEncoder::allocate(DType type, const BatchLimits& limits) {
  type_ = type;
  limits_ = limits;
  CudaCalls calls;
  const std::uint64_t count = segments(limits.words);
  shape_ = DeviceShape::of_current(calls);
  layout_ = {4 * (counters * limits.batches + scratch_parts(encode_kernel())),
             count,
             count,
             tiles(limits.words),
             count,
             limits.batches};
  calls.check(shared_.reserve(layout_.scratch))
      .check(no_tickets_.reserve(ticket_bytes))
      .check(beside_.create())
      .check(begun_.create())
      .check(gave_up_.create())
      .check(ready_.create());
  for (Stream& stream : streams_) calls.check(stream.create());
  for (Event& done : done_) calls.check(done.create());
  if (!calls.ok()) return calls.status();
  // Beyond all tickets, and far from the greatest number.
  std::fill_n(reinterpret_cast<std::uint32_t*>(no_tickets_.data()), ticket_bytes / 4, std::uint32_t{3} << 30);
  return {};
}

/// Scratch for a tree that needs more than those before: after all that uses the old one.
Status BatchEncoder::reserve_scratch(std::uint64_t bytes, cudaStream_t stream) {
  if (bytes <= scratch_.size()) return {};
  CudaCalls calls;
  calls.check(cudaStreamSynchronize(stream));
  for (unsigned i = 0; i < stream_count; ++i) {
    if (parked_.uses[i]) calls.check(cudaStreamSynchronize(streams_[i].get()));
  }
  return calls.ok() ? scratch_.reserve(bytes) : calls.status();
}

Status BatchEncoder::begin(const ColumnEncode& column, cudaStream_t stream) {
  CudaCalls calls;
  wait_for_parked(calls, stream);
  parked_ = {};
  EncodeSetUpJob job;
  job.zeros = at<std::uint64_t>(0);
  job.zero_words = layout_.zero_bytes / 8;
  job.column_count = 1;
  job.result[0] = column.result;
  launch(calls, set_up_kernel(), {64, 256, 0}, job, stream);
  calls.check(cudaEventRecord(begun_.get(), stream));
  return calls.status();
}

Status BatchEncoder::begin_again(const ColumnEncode& column, cudaStream_t stream) {
  CudaCalls calls;
  calls.check(begin(column, stream));
  if (facts_ != nullptr)
    calls.check(cudaMemsetAsync(facts_, 0, sizeof(StreamFacts) * segments(column.word_count), stream));
  return calls.status();
}

/// Where blocks find it.
void BatchEncoder::put_tree(CudaCalls& calls, std::uint64_t batch, const trees::Plan& plan,
                            cudaStream_t stream) const {
  EncodeSetUpJob job;
  trees::ByteWriter bytes;
  write_plan(plan, bytes);
  job.trees.count = 1;
  std::copy(bytes.bytes().begin(), bytes.bytes().end(), job.trees.bytes);
  job.trees_to = at<EncodeTrees>(layout_.trees) + batch;
  launch(calls, set_up_kernel(), {1, 256, 0}, job, stream);
}

BatchEncoder::Blocks BatchEncoder::blocks_for(const EncodeNeeds& needs, std::uint64_t segments) const {
  const EncodeKernel kernel = needs.kernel(facts_ != nullptr);
  return {std::min(needs.useful_blocks(segments),
                   std::uint64_t{kernel.blocks_per_multiprocessor} * shape_.multiprocessors),
          needs};
}

EncodeColumnsJob BatchEncoder::job_for(const ColumnEncode& column, const Batch& batch) const {
  EncodeColumnsJob job;
  job.states = at<std::uint64_t>(layout_.states);
  job.column_count = 1;
  job.first_ticket = static_cast<std::uint32_t>(batch.first / limits_.segment_words);
  job.segment_count = job.first_ticket + static_cast<std::uint32_t>(segments(batch.count));
  job.trees = at<EncodeTrees>(layout_.trees) + batch.index;
  EncodeColumn& to = job.column[0];
  take_over(column, to);
  to.segment_words = limits_.segment_words;
  to.end_ticket = static_cast<std::uint32_t>(segments(column.word_count));
  to.tree_count = 1;
  to.type = type_;
  to.facts = facts_;
  to.checksums = checksums_;
  return job;
}

/// By blocks; if `again` only where some word of a chain failed.
void BatchEncoder::encode_by_blocks(CudaCalls& calls, const ColumnEncode& column, const Batch& batch,
                                    const Blocks& blocks, bool again, cudaStream_t stream) {
  EncodeColumnsJob job = job_for(column, batch);
  job.ticket = counter(batch.index, again ? ticket_of_blocks_again : ticket_of_blocks);
  job.scratch = scratch_.data();
  job.scratch_bytes = blocks.needs.scratch_bytes;
  job.has_two_parts = blocks.needs.has_two_parts;
  if (blocks.needs.can_fail) job.failed = counter(batch.index, has_failed);
  if (again) {
    EncodeSetUpJob reset;
    reset.zeros = job.states + job.first_ticket;
    reset.zero_words = job.segment_count - job.first_ticket;
    reset.column_count = 1;
    reset.result[0] = column.result;
    reset.refused = counter(batch.index, refused);
    reset.wanted = job.wanted = counter(batch.index, has_failed);
    launch(calls, set_up_kernel(), {1, 256, 0}, reset, stream);
  }
  const EncodeKernel kernel = blocks.needs.kernel(facts_ != nullptr);
  launch_encoding(calls, shape_, kernel, blocks.count, job, stream);
}

std::uint64_t BatchEncoder::parked_bytes() const {
  const auto word_bytes = static_cast<std::uint32_t>(size_of(type_));
  return core::align_up(parked_header_bytes + cuda::encoded_column_bound(limits_.segment_words,
                                                                         limits_.segment_words, word_bytes),
                        256);
}

/// Whether there is memory to park a batch. It is that for all segments, as far as that is allowed.
bool BatchEncoder::reserve_parking(const Blocks& blocks, std::uint64_t segment_count, cudaStream_t stream) {
  const std::uint64_t room = std::min(segments(limits_.words), limits_.parked_bytes / parked_bytes()),
                      scratch = scratch_parts(encode_kernel()) * (blocks.needs.scratch_bytes / 2);
  return segment_count <= room && scratch <= max_encode_scratch_bytes &&
         parking_.reserve(room * parked_bytes()).ok() && reserve_scratch(scratch, stream).ok();
}

/// Encodes a batch beside others.
Status BatchEncoder::park(const ColumnEncode& column, const Batch& batch, const trees::Plan& plan,
                          const Blocks& blocks, cudaStream_t stream) {
  const unsigned which = parked_.next_stream++ % stream_count;
  const cudaStream_t beside = streams_[which].get();
  const EncodeKernel kernel = encode_kernel();
  EncodeColumnsJob job = job_for(column, batch);
  if (parked_.first == parked_.end) parked_.first = job.first_ticket;
  job.ticket = counter(batch.index, ticket_of_blocks);
  job.parking = parking_.data() + (job.first_ticket - parked_.first) * parked_bytes();
  job.parked_bytes = parked_bytes();
  job.scratch = scratch_.data();
  job.scratch_locks = scratch_locks();
  job.scratch_parts = static_cast<std::uint32_t>(scratch_parts(kernel));
  // The same for all trees: parts that are in use at the same time do not overlap.
  job.scratch_bytes = scratch_.size() / job.scratch_parts / 256 * 256;
  parked_.end = job.segment_count;
  parked_.uses[which] = true;
  CudaCalls calls;
  calls.check(cudaEventRecord(ready_.get(), stream)).check(cudaStreamWaitEvent(beside, ready_.get(), 0));
  put_tree(calls, batch.index, plan, beside);
  launch_encoding(calls, shape_, kernel, blocks.count, job, beside);
  calls.check(cudaEventRecord(done_[which].get(), beside));
  return calls.status();
}

void BatchEncoder::wait_for_parked(CudaCalls& calls, cudaStream_t stream) {
  for (unsigned i = 0; i < stream_count; ++i) {
    if (parked_.uses[i]) calls.check(cudaStreamWaitEvent(stream, done_[i].get(), 0));
  }
}

Status BatchEncoder::finish(const ColumnEncode& column, cudaStream_t stream) {
  if (parked_.first == parked_.end) return {};
  CudaCalls calls;
  wait_for_parked(calls, stream);
  EncodeColumnsJob job = job_for(column, {});
  job.first_ticket = parked_.first;
  job.segment_count = parked_.end;
  job.parking = parking_.data();
  job.parked_bytes = parked_bytes();
  launch_encoding(calls, shape_, place_parked_kernel(), parked_.end - parked_.first, job, stream);
  parked_ = {};
  return calls.status();
}

void BatchEncoder::pack(CudaCalls& calls, const ColumnEncode& column, const Batch& batch,
                        const PackChain& chain, cudaStream_t stream) {
  const std::uint64_t first_segment = batch.first / limits_.segment_words, first_tile = tiles(batch.first);
  PackJob job;
  job.column_count = 1;
  PackColumn& to = job.column[0];
  to = chain.column;
  take_over(column, to);
  to.states = at<std::uint64_t>(layout_.states);
  to.divisors = at<SegmentDivisor>(layout_.divisors);
  to.refused = counter(batch.index, refused);
  to.segment_words = limits_.segment_words;
  to.first_segment = static_cast<std::uint32_t>(first_segment);
  to.end_tile = job.tile_count = static_cast<std::uint32_t>(tiles(batch.count));
  to.end_segment = job.segment_count = static_cast<std::uint32_t>(segments(batch.count));
  job.tiles = at<PackTile>(layout_.tiles) + first_tile;
  job.goals = at<std::uint64_t>(layout_.goals) + first_tile;
  job.arrivals = at<std::uint32_t>(layout_.arrivals) + first_segment;
  job.ticket = counter(batch.index, ticket_of_warps);
  job.failed = counter(batch.index, has_failed);
  launch_packing(calls, shape_, job, chain.kind, stream);
}

Status BatchEncoder::encode(const ColumnEncode& column, const Batch& batch, const trees::Plan& plan,
                            cudaStream_t stream) {
  const EncodePlan device_plan = encode_plan_of(plan);
  const auto chain =
      tiles(limits_.words) <= max_pack_tiles ? pack_chain_of(device_plan, type_) : std::nullopt;
  const std::uint64_t words = std::min<std::uint64_t>(limits_.segment_words, column.word_count),
                      count = segments(batch.count);
  Blocks first, again;
  if (!chain) first = blocks_for(encode_needs(device_plan, type_, words), count);
  if (chain ? can_fail(chain->kind) : first.needs.can_fail)
    again = blocks_for(encode_needs(device_plan, type_, words, true).again(), count);
  if (first.needs.has_two_parts && reserve_parking(first, count, stream)) {
    const std::uint64_t room = parking_.size() / parked_bytes();
    const bool is_full = parked_.end - parked_.first + count > room;
    if (const Status status = is_full ? finish(column, stream) : Status{}; !status.ok()) return status;
    return park(column, batch, plan, first, stream);
  }
  if (const Status status = finish(column, stream); !status.ok()) return status;
  const std::uint64_t scratch_bytes =
      std::max(first.count * first.needs.scratch_bytes, again.count * again.needs.scratch_bytes);
  if (const Status status = reserve_scratch(scratch_bytes, stream); !status.ok()) return status;
  CudaCalls calls;
  if (first.count + again.count > 0) put_tree(calls, batch.index, plan, stream);
  if (chain) pack(calls, column, batch, *chain, stream);
  if (first.count > 0) encode_by_blocks(calls, column, batch, first, false, stream);
  if (again.count > 0) encode_by_blocks(calls, column, batch, again, true, stream);
  return calls.status();
}

/// Whoever asks for a ticket finds none, and has done all that others wait for: they wait for lower tickets
/// only. The last batches first: a batch begins when the one before has ended, and must find no ticket then.
/// All of them after begin() has reset the tickets, which may be late where processes share a device: were
/// only some reset afterwards, a batch would wait for ever for one that gave up. A copy needs no room among
/// the kernels that are at work.
Status BatchEncoder::give_up(std::uint64_t batches, cudaStream_t stream) {
  CudaCalls calls;
  calls.check(cudaStreamWaitEvent(beside_.get(), begun_.get(), 0));
  for (std::uint64_t index = batches; index-- > 0;) {
    calls.check(cudaMemcpyAsync(counter(index, ticket_of_blocks), no_tickets_.data(), ticket_bytes,
                                cudaMemcpyHostToDevice, beside_.get()));
  }
  calls.check(cudaEventRecord(gave_up_.get(), beside_.get()));
  calls.check(cudaStreamWaitEvent(stream, gave_up_.get(), 0));
  wait_for_parked(calls, stream);
  parked_ = {};
  return calls.status();
}

}  // namespace floe::gpu
