#include "gpu/host/slots/cuda_slot.hpp"

#include <algorithm>
#include <cstring>

#include "core/guard.hpp"
#include "gpu/host/launch.hpp"
#include "gpu/host/slots/leaf_frame.hpp"

namespace floe::gpu {
namespace {

constexpr std::uint64_t max_workspace_bytes = std::uint64_t{512} << 20;  ///< Of columns.
static_assert(cuda::encoded_column_bound(1, 1, 8) + stream_lead_bytes <= 8 + max_stream_overhead);

/// The most bytes that a tree takes among those of a call.
std::uint64_t tree_bytes(std::string_view tree) {
  return 4 * (static_cast<std::uint64_t>(std::count(tree.begin(), tree.end(), ',')) + 1);
}

template <class T>
T load(const std::uint8_t* at) {
  T value;
  std::memcpy(static_cast<void*>(&value), at, sizeof value);
  return value;
}

}  // namespace

Result<std::shared_ptr<Gpu>> Gpu::open(int device) {
  auto gpu = std::make_shared<Gpu>(device);
  const CurrentDevice current(device);
  if (const Status status = gpu->mark_.reserve(1); !status.ok()) return status;
  for (Stream* const stream : {&gpu->in_, &gpu->kernels_, &gpu->out_}) {
    if (const Status status = stream->create(); !status.ok()) return status;
  }
  return gpu;
}

Gpu::~Gpu() {
  const CurrentDevice current(device_);
  for (Stream* const stream : {&in_, &kernels_, &out_}) {
    if (was_reset()) stream->forget();
  }
}

Result<std::unique_ptr<Slot>> CudaSlot::open(std::shared_ptr<Gpu> gpu) {
  auto slot = std::make_unique<CudaSlot>(std::move(gpu));
  const CurrentDevice current(slot->gpu_->device());
  for (Event* const event : {&slot->copied_, &slot->done_, &slot->fetched_}) {
    if (const Status status = event->create(); !status.ok()) return status;
  }
  return std::unique_ptr<Slot>(std::move(slot));
}

CudaSlot::~CudaSlot() {
  settle();
  const CurrentDevice current(gpu_->device());
  for (Event* const event : {&copied_, &done_, &fetched_}) {
    if (gpu_->was_reset()) event->forget();
  }
}

bool CudaSlot::supports(DType type, std::uint64_t count, const std::string& tree) const {
  if (is_codec(tree)) {
    Options options;
    options.tree = tree;
    return cuda::supports(leaf_type(type), options);
  }
  if (count > max_stream_words || tree_bytes(tree) > cuda::max_tree_bytes) return false;
  cuda::ColumnEncode column;
  column.word_count = count;
  column.segment_words = static_cast<std::uint32_t>(count);
  column.type = type;
  const std::string_view trees[] = {tree};
  const auto needed = cuda::min_encode_workspace_size({&column, 1}, trees);
  return needed && *needed <= max_workspace_bytes;
}

Result<std::uint8_t*> CudaSlot::reserved(Memory<MemoryKind::host>& memory, std::uint64_t bytes) const {
  const CurrentDevice current(gpu_->device());
  CudaCalls calls;
  if (calls.check(gpu_->check()).ok()) calls.check(memory.reserve(bytes));
  if (!calls.ok()) return calls.status();
  return memory.data();
}

std::uint64_t CudaSlot::stored_offset() const { return task_.frames.size() * sizeof(cuda::BatchItem); }
std::uint64_t CudaSlot::streams_offset() const {
  return (task_.frames.size() + task_.columns.size()) * sizeof(cuda::ItemResult);
}
std::uint64_t CudaSlot::results_bytes() const {
  return streams_offset() +
         core::align_up(
             column_streams_ * (task_.encodes ? sizeof(cuda::SegmentEntry) : sizeof(std::uint32_t)), 8);
}

/// Memory for the task.
Status CudaSlot::reserve() {
  const std::uint64_t tables_bytes = stored_offset() + task_.stored.size() * sizeof(cuda::SegmentEntry);
  const bool is_new = out_.size() < task_.out_bytes;
  CudaCalls calls;
  calls.check(in_.reserve(task_.in_bytes))
      .check(out_.reserve(task_.out_bytes))
      .check(host_tables_.reserve(tables_bytes))
      .check(tables_.reserve(tables_bytes))
      .check(results_.reserve(results_bytes()))
      .check(published_.reserve(results_bytes()));
  if (calls.ok() && is_new)
    calls.check(cudaMemsetAsync(out_.data(), 0, out_.size(), gpu_->kernels()));  // gaps may be copied, too
  return calls.ok() ? reserve_workspace() : calls.status();
}

/// Frames and the calls for columns use it one after the other.
Status CudaSlot::reserve_workspace() {
  std::uint64_t bytes = 0;
  if (!task_.frames.empty()) {
    const std::uint64_t content_bytes = frame_contents_bytes();
    const auto needed =
        task_.encodes ? cuda::compress_workspace_size(content_bytes, task_.frames.size(), task_.frame_type,
                                                      task_.frame_options)
                      : cuda::decompress_workspace_size(content_bytes, task_.frames.size(), frame_kind());
    if (!needed) return needed.status();
    bytes = *needed;
  }
  for (const Call& call : calls_of_columns()) {
    if (task_.encodes) {
      const auto wanted = cuda::encode_workspace_size(call.encode, call.trees),
                 min = cuda::min_encode_workspace_size(call.encode, call.trees);
      if (!wanted || !min) return (wanted ? min : wanted).status();
      bytes = std::max({bytes, *min, std::min(*wanted, max_workspace_bytes)});
      continue;
    }
    for (const cuda::ColumnDecode& column : call.decode) {
      const auto words = column.column.segment_words;
      const auto width = static_cast<std::uint32_t>(size_of(column.column.type));
      const auto wanted = cuda::decode_workspace_size(words, width, column_streams_),
                 min = cuda::decode_workspace_size(words, width, 1);
      if (!wanted || !min) return (wanted ? min : wanted).status();
      bytes = std::max({bytes, *min, std::min(*wanted, max_workspace_bytes)});
    }
  }
  return workspace_.reserve(bytes);
}

std::uint64_t CudaSlot::frame_contents_bytes() const {
  std::uint64_t bytes = 0;
  for (const FrameTask& frame : task_.frames) bytes += (task_.encodes ? frame.in : frame.out).bytes;
  return bytes;
}

cuda::FrameKind CudaSlot::frame_kind() const {
  cuda::FrameKind kind;
  kind.dtype = task_.frame_type;
  kind.tree = task_.frame_options.tree;
  return kind;
}

Status CudaSlot::start(const Task& task, std::span<const CopyIn> copies) {
  const CurrentDevice current(gpu_->device());
  if (const Status status = gpu_->check(); !status.ok()) return status;
  task_ = task;
  column_streams_ = 0;
  for (const ColumnTask& column : task_.columns) column_streams_ += column.streams;
  if (const Status status = reserve(); !status.ok()) return status;
  CudaCalls calls;
  for (const CopyIn& copy : copies) {
    calls.check(cudaMemcpyAsync(in_.data() + copy.to.offset, copy.from, copy.to.bytes, cudaMemcpyHostToDevice,
                                gpu_->in()));
  }
  calls.check(copy_tables())
      .check(cudaEventRecord(copied_.get(), gpu_->in()))
      .check(cudaStreamWaitEvent(gpu_->kernels(), copied_.get(), 0));
  if (calls.ok()) calls.check(enqueue_frames());
  if (calls.ok()) calls.check(enqueue_columns());
  if (calls.ok()) calls.check(publish(results_.data(), published_.data(), results_bytes(), gpu_->kernels()));
  return calls.check(cudaEventRecord(done_.get(), gpu_->kernels())).status();
}

/// What kernels must find in the device's memory of the task itself.
Status CudaSlot::copy_tables() {
  auto* const items = reinterpret_cast<cuda::BatchItem*>(host_tables_.data());
  for (std::size_t i = 0; i < task_.frames.size(); ++i) items[i] = item_of(task_.frames[i]);
  auto* entry = reinterpret_cast<cuda::SegmentEntry*>(host_tables_.data() + stored_offset());
  auto stored = task_.stored.begin();
  for (const ColumnTask& column : task_.columns) {
    for (std::size_t i = 0; !task_.encodes && i < column.streams; ++i, ++stored)
      *entry++ = {stored->offset, static_cast<std::uint32_t>(stored->bytes),
                  static_cast<std::uint32_t>(column.words)};
  }
  const auto bytes = static_cast<std::uint64_t>(reinterpret_cast<std::uint8_t*>(entry) - host_tables_.data());
  if (bytes == sizeof(cuda::BatchItem) && task_.stored.empty()) return {};  // one frame needs none
  return to_status(
      cudaMemcpyAsync(tables_.data(), host_tables_.data(), bytes, cudaMemcpyHostToDevice, gpu_->in()));
}

cuda::BatchItem CudaSlot::item_of(const FrameTask& frame) const {
  return {in_.data() + frame.in.offset, frame.in.bytes, out_.data() + frame.out.offset, frame.out.bytes};
}

Status CudaSlot::enqueue_frames() {
  const std::size_t count = task_.frames.size();
  if (count == 0) return {};
  const cuda::Workspace workspace{workspace_.data(), workspace_.size()};
  const auto* const items = reinterpret_cast<const cuda::BatchItem*>(tables_.data());
  auto* const results = reinterpret_cast<cuda::ItemResult*>(results_.data());
  const std::uint64_t content_bytes = frame_contents_bytes();
  if (task_.encodes) {
    const Extent extent = Extent::linear(task_.frames[0].in.bytes / size_of(task_.frame_type));
    return count == 1 ? cuda::compress_async(item_of(task_.frames[0]), task_.frame_type, extent,
                                             task_.frame_options, results, workspace, gpu_->kernels())
                      : cuda::compress_batch_async(items, count, content_bytes, task_.frame_type,
                                                   task_.frame_options, results, workspace, gpu_->kernels());
  }
  return count == 1 ? cuda::decompress_async(item_of(task_.frames[0]), frame_kind(), results, workspace,
                                             gpu_->kernels())
                    : cuda::decompress_batch_async(items, count, content_bytes, frame_kind(), results,
                                                   workspace, gpu_->kernels());
}

/// As many columns per call as it takes.
std::vector<CudaSlot::Call> CudaSlot::calls_of_columns() const {
  std::vector<Call> calls;
  std::uint64_t trees_bytes = 0;
  std::size_t stream = 0;
  auto* const results = reinterpret_cast<cuda::ItemResult*>(results_.data()) + task_.frames.size();
  for (std::size_t i = 0; i < task_.columns.size(); ++i) {
    const ColumnTask& column = task_.columns[i];
    trees_bytes += tree_bytes(column.tree);
    const bool is_full =
        !calls.empty() && calls.back().encode.size() + calls.back().decode.size() == cuda::max_columns;
    if (calls.empty() || is_full || trees_bytes > cuda::max_tree_bytes) {
      calls.emplace_back();
      trees_bytes = tree_bytes(column.tree);
    }
    Call& call = calls.back();
    if (task_.encodes) {
      cuda::ColumnEncode& encode = call.encode.emplace_back();
      encode.words = in_.data() + column.in.offset;
      encode.word_count = column.streams * column.words;
      encode.segment_words = static_cast<std::uint32_t>(column.words);
      encode.type = column.type;
      encode.tree = static_cast<std::uint32_t>(call.trees.size());
      encode.out = out_.data() + column.out.offset;
      encode.lead_bytes = stream_lead_bytes;
      encode.out_bytes = column.out.bytes;
      encode.segments = reinterpret_cast<cuda::SegmentEntry*>(results_.data() + streams_offset()) + stream;
      encode.result = results + i;
      call.trees.emplace_back(column.tree);
    } else {
      cuda::ColumnDecode& decode = call.decode.emplace_back();
      decode.column.data = in_.data();
      decode.column.data_bytes = task_.in_bytes;
      decode.column.segments =
          reinterpret_cast<const cuda::SegmentEntry*>(tables_.data() + stored_offset()) + stream;
      decode.column.word_count = column.streams * column.words;
      decode.column.segment_words = static_cast<std::uint32_t>(column.words);
      decode.column.type = column.type;
      decode.out = out_.data() + column.out.offset;
      decode.out_bytes = column.out.bytes;
      decode.result = results + i;
      decode.codes = reinterpret_cast<std::uint32_t*>(results_.data() + streams_offset()) + stream;
    }
    stream += column.streams;
  }
  return calls;
}

Status CudaSlot::enqueue_columns() {
  const cuda::Workspace workspace{workspace_.data(), workspace_.size()};
  for (const Call& call : calls_of_columns()) {
    const Status status =
        task_.encodes ? cuda::encode_columns_async(call.encode, call.trees, workspace, gpu_->kernels())
                      : cuda::decode_columns_async(call.decode, workspace, gpu_->kernels());
    if (!status.ok()) return status;
  }
  return {};
}

Result<std::span<const Range>> CudaSlot::wait_for_results() {
  const CurrentDevice current(gpu_->device());
  CudaCalls calls;
  if (calls.check(gpu_->check()).ok()) calls.check(cudaEventSynchronize(done_.get()));
  if (!calls.ok()) return calls.status();
  results_of_task_.clear();
  const std::uint8_t* at = published_.data();
  for (const FrameTask& frame : task_.frames) {
    const auto result = load<cuda::ItemResult>(at);
    results_of_task_.push_back({frame.out.offset, result.code == 0 ? result.bytes : 0});
    at += sizeof result;
  }
  const std::uint8_t* stream = published_.data() + streams_offset();
  for (const ColumnTask& column : task_.columns) {
    const std::uint64_t room = std::min(load<cuda::ItemResult>(at).bytes, column.out.bytes);
    at += sizeof(cuda::ItemResult);
    for (std::size_t i = 0; i < column.streams; ++i) {
      if (task_.encodes) {
        const auto entry = load<cuda::SegmentEntry>(stream);
        const bool is_encoded = entry.words == column.words && entry.offset + entry.bytes <= room;
        results_of_task_.push_back({column.out.offset + entry.offset, is_encoded ? entry.bytes : 0});
        stream += sizeof entry;
      } else {
        const std::uint64_t bytes = column.words * size_of(column.type);
        const bool is_decoded = load<std::uint32_t>(stream) == 0;
        results_of_task_.push_back({column.out.offset + i * bytes, is_decoded ? bytes : 0});
        stream += sizeof(std::uint32_t);
      }
    }
  }
  return std::span<const Range>(results_of_task_);
}

Status CudaSlot::fetch(std::span<const CopyOut> copies) {
  const CurrentDevice current(gpu_->device());
  CudaCalls calls;
  if (!calls.check(gpu_->check()).ok()) return calls.status();
  calls.check(cudaStreamWaitEvent(gpu_->out(), done_.get(), 0));
  for (const CopyOut& copy : copies)
    calls.check(cudaMemcpyAsync(copy.to, out_.data() + copy.from.offset, copy.from.bytes,
                                cudaMemcpyDeviceToHost, gpu_->out()));
  return calls.check(cudaEventRecord(fetched_.get(), gpu_->out())).status();
}

Status CudaSlot::wait_for_fetch() {
  const CurrentDevice current(gpu_->device());
  const Status status = gpu_->check();
  return status.ok() ? to_status(cudaEventSynchronize(fetched_.get())) : status;
}

void CudaSlot::settle() noexcept {
  const CurrentDevice current(gpu_->device());
  if (gpu_->was_reset()) return;
  for (cudaStream_t stream : {gpu_->in(), gpu_->kernels(), gpu_->out()})
    (void)to_status(cudaStreamSynchronize(stream));
}

}  // namespace floe::gpu
