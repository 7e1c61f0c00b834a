// Columns of which nothing is known: windows to the host, plans, and encoding, portion by portion.
#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "cuda/launch.hpp"
#include "floe/floe.hpp"
#include "series/planner/sampled_planner.hpp"
#include "series_cuda/caller_memory.hpp"
#include "series_cuda/column_types.hpp"
#include "series_cuda/encode_job.hpp"
#include "series_cuda/gather_windows.hpp"
#include "series_cuda/pack_limits.hpp"

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

/// Threads beside the caller's. A search has not more to do at once than most; with few, what might turn out not to be needed is too much.
std::uint32_t helpers_for_searches() {
  constexpr std::uint32_t least = 3, most = 11;
  const std::uint32_t others = available_threads() - 1;
  return others < least ? 0 : std::min(others, most);
}

/// Segments that are encoded with one tree.
struct Portion {
  std::uint64_t index = 0, first = 0, count = 0;  ///< Its first word, and how many.
  std::uint64_t teams = 0, team_scratch = 0;      ///< If teams encode it.
};

}  // namespace

struct PlannedEncoder::State {
  series::Type type{};
  std::uint64_t words = 0, portion_words = 0;
  std::uint32_t segment_words = 0;
  series::SearchThreads search_threads{helpers_for_searches()};
  series::SampledPlanner planner = new_planner();
  series::Scratch planner_scratch;
  std::vector<std::string> trees;
  /// `shared`: what is zero when a column begins, counters per portion, states of segments, goals of tiles, arrivals at segments, tiles;
  /// then trees per portion.
  DeviceMemory windows, shared, scratch;
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
  /// Tickets of teams, of teams again and of warps; whether some word failed, and how many segments were refused.
  enum Counter : std::uint8_t { ticket_of_teams, ticket_of_teams_again, ticket_of_warps, has_failed, refused, counters = 8 };
  [[nodiscard]] std::uint64_t tiles(std::uint64_t count) const { return series_cuda::pack_tiles_of(count, segment_words); }
  [[nodiscard]] std::uint32_t* counter(std::uint64_t portion, Counter which) const {
    return reinterpret_cast<std::uint32_t*>(shared.get()) + portion * counters + which;
  }
  [[nodiscard]] std::uint64_t* states() const { return reinterpret_cast<std::uint64_t*>(shared.get() + 4 * counters * portions(words)); }
  [[nodiscard]] std::uint64_t* goals() const { return states() + segments(words); }
  [[nodiscard]] std::uint32_t* arrivals() const { return reinterpret_cast<std::uint32_t*>(goals() + tiles(words)); }
  [[nodiscard]] std::uint64_t tiles_place() const {
    return core::align_up(4 * counters * portions(words) + 12 * segments(words) + 8 * tiles(words), 16);
  }
  [[nodiscard]] series_cuda::PackTile* tile_memory() const {
    return reinterpret_cast<series_cuda::PackTile*>(shared.get() + tiles_place());
  }
  [[nodiscard]] std::uint64_t zero_bytes() const { return tiles_place() + sizeof(series_cuda::PackTile) * tiles(words); }
  static constexpr std::uint64_t trees_bytes = core::align_up(sizeof(EncodeTrees), 16);
  [[nodiscard]] EncodeTrees* trees_of(std::uint64_t portion) const {
    return reinterpret_cast<EncodeTrees*>(shared.get() + zero_bytes() + portion * trees_bytes);
  }
  [[nodiscard]] std::uint64_t shared_bytes() const { return zero_bytes() + portions(words) * trees_bytes; }

  series::SampledPlanner new_planner() { return series::SampledPlanner(series_cuda::encode_objective(), &search_threads); }
  Status allocate();
  Status make_room(std::uint64_t bytes, cudaStream_t stream);
  Status fetch_windows(const ColumnEncode& column, cudaStream_t stream);
  void set_up(CudaCalls& calls, const ColumnEncode& column, std::uint64_t portion, const series::Plan& plan, cudaStream_t stream);
  void encode_by_teams(CudaCalls& calls, const ColumnEncode& column, const Portion& portion, bool again, cudaStream_t stream);
  void pack(CudaCalls& calls, const ColumnEncode& column, const Portion& portion, const series_cuda::PackChain& chain, cudaStream_t stream);
  Status encode_portion(const ColumnEncode& column, std::uint64_t index, cudaStream_t stream);
};

Status PlannedEncoder::State::allocate() {
  CudaCalls calls;
  shape = DeviceShape::of_current(calls);
  const std::uint64_t window_bytes = portions(words) * windows_job({}).stride();
  windows = device_memory(window_bytes);
  shared = device_memory(shared_bytes());
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

/// Resets results and everything that is shared, and puts the tree of the first portion where teams find it.
void PlannedEncoder::State::set_up(CudaCalls& calls, const ColumnEncode& column, std::uint64_t portion, const series::Plan& plan,
                                   cudaStream_t stream) {
  EncodeSetUpJob job;
  series::ByteWriter bytes;
  write_plan(plan, bytes);
  job.trees.count = 1;
  std::copy(bytes.bytes().begin(), bytes.bytes().end(), job.trees.bytes);
  job.trees_to = trees_of(portion);
  if (portion == 0) {
    job.zeros = reinterpret_cast<std::uint64_t*>(shared.get());
    job.zero_words = zero_bytes() / 8;
    job.column_count = 1;
    job.result[0] = column.result;
  }
  launch(calls, series_cuda::encode_kernels().set_up, {portion == 0 ? 64u : 1u, 256, 0}, job, stream);
}

/// By teams; if `again` only where some word of a chain failed.
void PlannedEncoder::State::encode_by_teams(CudaCalls& calls, const ColumnEncode& column, const Portion& portion, bool again,
                                            cudaStream_t stream) {
  const series_cuda::EncodeKernels kernels = series_cuda::encode_kernels();
  EncodeColumnsJob job;
  job.states = states();
  job.column_count = 1;
  job.first_ticket = static_cast<std::uint32_t>(portion.first / segment_words);
  job.segment_count = job.first_ticket + static_cast<std::uint32_t>(segments(portion.count));
  job.trees = trees_of(portion.index);
  job.ticket = counter(portion.index, again ? ticket_of_teams_again : ticket_of_teams);
  job.scratch = scratch.get();
  job.scratch_bytes = portion.team_scratch;
  series_cuda::EncodeColumn& to = job.column[0];
  series_cuda::take_over(column, to);
  to.segment_words = segment_words;
  to.end_ticket = static_cast<std::uint32_t>(segments(column.word_count));
  to.tree_count = 1;
  to.type = type;
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
  launch(calls, kernels.encode, {static_cast<std::uint32_t>(portion.teams), series_cuda::team_threads, kernels.shared_bytes}, job, stream);
}

void PlannedEncoder::State::pack(CudaCalls& calls, const ColumnEncode& column, const Portion& portion, const series_cuda::PackChain& chain,
                                 cudaStream_t stream) {
  const std::uint64_t first_segment = portion.first / segment_words, first_tile = tiles(portion.first);
  series_cuda::PackJob job;
  job.column_count = 1;
  series_cuda::PackColumn& to = job.column[0];
  to = chain.column;
  series_cuda::take_over(column, to);
  to.states = states();
  to.refused = counter(portion.index, refused);
  to.segment_words = segment_words;
  to.first_segment = static_cast<std::uint32_t>(first_segment);
  to.end_tile = job.tile_count = static_cast<std::uint32_t>(tiles(portion.count));
  to.end_segment = job.segment_count = static_cast<std::uint32_t>(segments(portion.count));
  job.tiles = tile_memory() + first_tile;
  job.goals = goals() + first_tile;
  job.arrivals = arrivals() + first_segment;
  job.ticket = counter(portion.index, ticket_of_warps);
  job.failed = counter(portion.index, has_failed);
  const series_cuda::PackShape blocks = plan_packing(job, chain.kind, shape.multiprocessors, shape.has_clusters);
  launch(calls, blocks.kernel.kernel, {blocks.blocks, blocks.threads, blocks.kernel.shared_bytes, false, blocks.cluster_blocks}, job,
         stream);
}

Status PlannedEncoder::State::encode_portion(const ColumnEncode& column, std::uint64_t index, cudaStream_t stream) {
  Portion portion{index, index * portion_words};
  portion.count = std::min(portion_words, column.word_count - portion.first);
  const series::Plan& plan =
      planner.plan_for({type, portion.count, host_windows.get() + index * windows_job(column).stride()}, planner_scratch);
  trees.push_back(text_of(plan));
  const series_cuda::EncodePlan device_plan = series_cuda::encode_plan_of(plan);
  const auto chain = tiles(words) <= series_cuda::most_pack_tiles ? pack_chain_of(device_plan, type) : std::nullopt;
  const bool needs_teams = !chain || can_fail(chain->kind);
  if (needs_teams) {
    portion.team_scratch = series_cuda::encode_scratch_bytes(device_plan, type, std::min<std::uint64_t>(segment_words, column.word_count));
    portion.teams =
        std::min(series_cuda::useful_encode_teams(segments(portion.count), portion.team_scratch), std::uint64_t{2} * shape.multiprocessors);
    if (const Status status = make_room(portion.teams * portion.team_scratch, stream); !status.ok()) return status;
  }
  CudaCalls calls;
  if (needs_teams || index == 0) set_up(calls, column, index, plan, stream);
  if (chain) pack(calls, column, portion, *chain, stream);
  if (needs_teams) encode_by_teams(calls, column, portion, chain.has_value(), stream);
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
  // Of the first column nothing is known: threads wake up while windows are on their way.
  series::Awake awake(state_->planner.report().segments == 0 ? &state_->search_threads : nullptr);
  if (const Status status = state_->fetch_windows(column, stream); !status.ok()) return status;
  for (std::uint64_t portion = 0; portion < state_->portions(column.word_count); ++portion) {
    CudaCalls calls;
    if (portion < 2) calls.check(cudaEventSynchronize(portion == 0 ? state_->first_copied.get() : state_->all_copied.get()));
    if (!calls.ok()) return calls.status();
    if (const Status status = state_->encode_portion(column, portion, stream); !status.ok()) return status;
    awake.rest();
  }
  return {};
} catch (const std::bad_alloc&) {
  return no_memory;
}

std::span<const std::string> PlannedEncoder::trees() const { return state_->trees; }
void PlannedEncoder::forget() { state_->planner = state_->new_planner(); }

}  // namespace floe::cuda
