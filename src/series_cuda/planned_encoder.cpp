// Columns of which nothing is known: windows to the host, plans, and encoding, portion by portion.
#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "cuda/launch.hpp"
#include "series/planner/sampled_planner.hpp"
#include "series_cuda/column_types.hpp"
#include "series_cuda/encode_job.hpp"
#include "series_cuda/encode_limits.hpp"
#include "series_cuda/gather_windows.hpp"

namespace floe::cuda {
namespace {

using series_cuda::EncodeColumnsJob;
using series_cuda::EncodeSetUpJob;
using series_cuda::EncodeTrees;

struct FreeDevice {
  void operator()(std::uint8_t* memory) const { (void)cudaFree(memory); }
};
struct FreeHost {
  void operator()(std::uint8_t* memory) const { (void)cudaFreeHost(memory); }
};
struct DestroyEvent {
  void operator()(cudaEvent_t event) const { (void)cudaEventDestroy(event); }
};
using DeviceMemory = std::unique_ptr<std::uint8_t, FreeDevice>;
using PinnedMemory = std::unique_ptr<std::uint8_t, FreeHost>;
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;

/// Null if there is no memory.
DeviceMemory device_memory(std::uint64_t bytes) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, std::max<std::uint64_t>(bytes, 1)) != cudaSuccess) {
    (void)cudaGetLastError();
    return nullptr;
  }
  return DeviceMemory(static_cast<std::uint8_t*>(memory));
}

constexpr Status no_memory{ErrorCode::out_of_memory, 0, "no memory for encoding columns"};
constexpr std::uint64_t most_portions = 4096;

}  // namespace

struct PlannedEncoder::State {
  series::Type type{};
  std::uint64_t words = 0, portion_words = 0;
  std::uint32_t segment_words = 0;
  series::SampledPlanner planner{series_cuda::encode_objective()};
  series::Scratch planner_scratch;
  std::vector<std::string> trees;
  DeviceMemory windows, shared, scratch;  ///< `shared`: a ticket and trees per portion, then the states of segments.
  PinnedMemory host_windows;
  std::uint64_t scratch_room = 0;
  Event first_copied, all_copied;
  DeviceShape shape;

  [[nodiscard]] std::uint64_t portions(std::uint64_t count) const { return core::divide_up(count, portion_words); }
  [[nodiscard]] std::uint64_t segments(std::uint64_t count) const { return core::divide_up(count, segment_words); }
  [[nodiscard]] series_cuda::WindowsJob windows_job(const ColumnEncode& column) const {
    return {static_cast<const std::uint8_t*>(column.words), column.word_count, portion_words,
            static_cast<std::uint32_t>(series::bytes_of(type)), windows.get()};
  }
  static constexpr std::uint64_t portion_bytes = core::align_up(sizeof(EncodeTrees) + 256, 256);
  [[nodiscard]] std::uint8_t* portion_memory(std::uint64_t portion) const { return shared.get() + portion * portion_bytes; }

  Status allocate();
  Status make_room(std::uint64_t bytes, cudaStream_t stream);
  Status fetch_windows(const ColumnEncode& column, cudaStream_t stream);
  Status encode_portion(const ColumnEncode& column, std::uint64_t portion, cudaStream_t stream);
};

Status PlannedEncoder::State::allocate() {
  CudaCalls calls;
  shape = DeviceShape::of_current(calls);
  const std::uint64_t window_bytes = portions(words) * windows_job({}).stride();
  windows = device_memory(window_bytes);
  shared = device_memory(portions(words) * portion_bytes + 8 * segments(words));
  void* host = nullptr;
  const bool has_host = cudaMallocHost(&host, window_bytes) == cudaSuccess;
  host_windows.reset(static_cast<std::uint8_t*>(host));
  if (windows == nullptr || shared == nullptr || !has_host) return no_memory;
  calls.check(cudaMemset(windows.get(), 0, window_bytes));  // those of a short portion leave a gap
  calls.check(cudaStreamSynchronize(nullptr));
  for (Event* event : {&first_copied, &all_copied}) {
    cudaEvent_t made = nullptr;
    calls.check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    event->reset(made);
  }
  return calls.status();
}

/// Scratch for a tree that needs more than those before: after all that uses the old one.
Status PlannedEncoder::State::make_room(std::uint64_t bytes, cudaStream_t stream) {
  if (bytes <= scratch_room) return {};
  CudaCalls calls;
  calls.check(cudaStreamSynchronize(stream));
  if (!calls.ok()) return calls.status();
  scratch.reset();
  scratch_room = 0;
  scratch = device_memory(bytes);
  if (scratch == nullptr) return no_memory;
  scratch_room = bytes;
  return {};
}

/// The windows of the first portion come first, so that planning can begin.
Status PlannedEncoder::State::fetch_windows(const ColumnEncode& column, cudaStream_t stream) {
  CudaCalls calls;
  const series_cuda::WindowsJob job = windows_job(column);
  const std::uint64_t all = portions(column.word_count), first = job.stride();
  calls.check(cudaEventSynchronize(all_copied.get()));  // of the column before
  const auto* const kernel = reinterpret_cast<const void*>(series_cuda::gather_windows_kernel());
  void* arguments[] = {const_cast<series_cuda::WindowsJob*>(&job)};
  if (calls.ok()) calls.check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(all), 12), dim3(256), arguments, 0, stream));
  calls.check(cudaMemcpyAsync(host_windows.get(), windows.get(), first, cudaMemcpyDeviceToHost, stream));
  calls.check(cudaEventRecord(first_copied.get(), stream));
  if (all > 1)
    calls.check(cudaMemcpyAsync(host_windows.get() + first, windows.get() + first, (all - 1) * first, cudaMemcpyDeviceToHost, stream));
  calls.check(cudaEventRecord(all_copied.get(), stream));
  return calls.status();
}

Status PlannedEncoder::State::encode_portion(const ColumnEncode& column, std::uint64_t portion, cudaStream_t stream) {
  const std::uint64_t first = portion * portion_words, count = std::min(portion_words, column.word_count - first);
  const series::Plan& plan = planner.plan_for({type, count, host_windows.get() + portion * windows_job(column).stride()}, planner_scratch);
  trees.push_back(text_of(plan));
  const std::uint64_t team_scratch =
      series_cuda::encode_scratch_bytes(series_cuda::encode_plan_of(plan), type, std::min<std::uint64_t>(segment_words, column.word_count));
  const std::uint64_t most_teams =
      std::min(series_cuda::useful_encode_teams(segments(count), team_scratch), std::uint64_t{2} * shape.multiprocessors);
  if (const Status status = make_room(most_teams * team_scratch, stream); !status.ok()) return status;

  EncodeSetUpJob set_up;
  series::ByteWriter bytes;
  write_plan(plan, bytes);
  set_up.trees.count = 1;
  std::copy(bytes.bytes().begin(), bytes.bytes().end(), set_up.trees.bytes);
  set_up.ticket = reinterpret_cast<std::uint32_t*>(portion_memory(portion));
  set_up.trees_to = reinterpret_cast<EncodeTrees*>(portion_memory(portion) + 256);
  EncodeColumnsJob job;
  job.states = reinterpret_cast<std::uint64_t*>(portion_memory(portions(words)));
  if (portion == 0) {
    set_up.states = job.states;
    set_up.segment_count = static_cast<std::uint32_t>(segments(column.word_count));
    set_up.column_count = 1;
    set_up.result[0] = column.result;
  }
  job.column_count = 1;
  job.first_ticket = static_cast<std::uint32_t>(first / segment_words);
  job.segment_count = job.first_ticket + static_cast<std::uint32_t>(segments(count));
  job.trees = set_up.trees_to;
  job.ticket = set_up.ticket;
  job.scratch = scratch.get();
  job.scratch_bytes = team_scratch;
  series_cuda::EncodeColumn& to = job.column[0];
  to.words = static_cast<const std::uint8_t*>(column.words);
  to.word_count = column.word_count;
  to.out = static_cast<std::uint8_t*>(column.out);
  to.out_bytes = column.out_bytes;
  to.segments = column.segments;
  to.result = column.result;
  to.segment_words = segment_words;
  to.end_ticket = static_cast<std::uint32_t>(segments(column.word_count));
  to.tree_count = 1;
  to.type = type;
  CudaCalls calls;
  const series_cuda::EncodeKernels kernels = series_cuda::encode_kernels();
  launch(calls, kernels.set_up, {portion == 0 ? 16u : 1u, 256, 0}, set_up, stream);
  launch(calls, kernels.encode, {static_cast<std::uint32_t>(most_teams), series_cuda::team_threads, kernels.shared_bytes}, job, stream);
  return calls.status();
}

PlannedEncoder::PlannedEncoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
PlannedEncoder::PlannedEncoder(PlannedEncoder&&) noexcept = default;
PlannedEncoder& PlannedEncoder::operator=(PlannedEncoder&&) noexcept = default;
PlannedEncoder::~PlannedEncoder() = default;

Result<PlannedEncoder> PlannedEncoder::create(tables::ColumnType type, std::uint64_t words, std::uint32_t segment_words,
                                              std::uint64_t portion_words) try {
  const auto device_type = series_cuda::device_type(type);
  if (!device_type) return invalid("a column of text");
  if (segment_words == 0 || segment_words > most_segment_words) return invalid("the length of a column's segments");
  if (portion_words == 0 || portion_words % segment_words != 0) return invalid("portions are whole segments");
  if (words == 0 || core::divide_up(words, segment_words) > (1u << 30)) return invalid("the length of a column");
  auto state = std::make_unique<State>();
  state->type = *device_type;
  state->words = words;
  state->segment_words = segment_words;
  // A portion more than the column's length says nothing, and a limited number of them are enough.
  state->portion_words = std::max(portion_words, core::align_up(core::divide_up(words, most_portions), segment_words));
  if (const Status status = state->allocate(); !status.ok()) return status;
  return PlannedEncoder(std::move(state));
} catch (const std::bad_alloc&) {
  return no_memory;
}

Status PlannedEncoder::encode(const ColumnEncode& column, cudaStream_t stream) try {
  const std::uint64_t width = series::bytes_of(state_->type);
  if (series_cuda::device_type(column.type) != state_->type || column.segment_words != state_->segment_words)
    return invalid("a column differs from what its encoder was made for");
  if (column.word_count == 0 || column.word_count > state_->words)
    return invalid("a column is longer than its encoder was made for, or empty");
  if (column.words == nullptr || reinterpret_cast<std::uintptr_t>(column.words) % width != 0) return invalid("the address of a column");
  if (column.out == nullptr || reinterpret_cast<std::uintptr_t>(column.out) % 16 != 0) return invalid("the address of an encoded column");
  if (column.segments == nullptr || column.result == nullptr) return invalid("a column without a directory or a result");
  state_->trees.clear();
  if (const Status status = state_->fetch_windows(column, stream); !status.ok()) return status;
  for (std::uint64_t portion = 0; portion < state_->portions(column.word_count); ++portion) {
    CudaCalls calls;
    if (portion < 2) calls.check(cudaEventSynchronize(portion == 0 ? state_->first_copied.get() : state_->all_copied.get()));
    if (!calls.ok()) return calls.status();
    if (const Status status = state_->encode_portion(column, portion, stream); !status.ok()) return status;
  }
  return {};
} catch (const std::bad_alloc&) {
  return no_memory;
}

std::span<const std::string> PlannedEncoder::trees() const { return state_->trees; }
void PlannedEncoder::forget() { state_->planner = series::SampledPlanner(series_cuda::encode_objective()); }

}  // namespace floe::cuda
