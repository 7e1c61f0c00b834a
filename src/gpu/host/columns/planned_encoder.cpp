// Columns of which nothing is known: windows to the host, plans, and encoding, batch by batch.
#include <algorithm>
#include <new>
#include <optional>
#include <vector>

#include "core/guard.hpp"
#include "core/type.hpp"
#include "floe/floe.hpp"
#include "gpu/host/columns/batch_encoder.hpp"
#include "gpu/host/columns/encode_launches.hpp"
#include "gpu/host/columns/gather_windows.hpp"
#include "gpu/host/frames/frame_launch.hpp"
#include "gpu/host/pieces/host_pieces.hpp"
#include "plan/search/guess.hpp"
#include "plan/search/sampled_planner.hpp"

namespace floe::cuda {
namespace {

using gpu::CudaCalls;
using gpu::invalid;

constexpr Status no_memory{ErrorCode::out_of_memory, 0, "no memory for encoding columns"};
constexpr Status differs{ErrorCode::invalid_argument, 0,
                         "an array differs from what its encoder was made for"},
    tree_is_given{ErrorCode::invalid_argument, 0, "a tree is given where it is to be chosen"};
constexpr std::uint64_t max_batches = 4096;
/// What a device begins with by a guess: more than it encodes while a tree is searched, as each launch ends
/// with multiprocessors that have nothing to do.
constexpr std::uint64_t guessed_bytes = std::uint64_t{2} << 30;

/// Threads beside the caller's. A search has not more to do at once than most; with few, what might turn out
/// not to be needed is too much.
std::uint32_t helpers_for_searches() {
  constexpr std::uint32_t min_helpers = 3, max_helpers = 11;
  const std::uint32_t others = available_threads() - 1;
  return others < min_helpers ? 0 : std::min(others, max_helpers);
}

bool is_dictionary(const trees::Plan& plan) { return plan.nodes[0].encoding == trees::EncodingId::dict; }

/// Neighbouring batches with the same tree, encoded by one launch.
struct Launch {
  gpu::Batch words;
  std::uint64_t batches = 0;
  trees::Plan plan;
};

/// A tree that may be the right one for the first batches, so that the device does not wait for a search.
struct Guess {
  std::uint64_t batches = 0, launches = 0;
  bool is_begun = false;      ///< There was memory for it. Which tree is chosen does not depend on that.
  std::uint64_t guessed = 1;  ///< Batches, the first ones, for which this is known to be a good guess.
  trees::Plan plan;
};

}  // namespace

struct PlannedEncoder::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (!windows.is_gone()) return;
    first_gathered.forget();
    all_gathered.forget();
  }

  DType type{};
  std::uint64_t words = 0, batch_words = 0;
  std::uint32_t segment_words = 0;
  trees::SearchThreads search_threads{helpers_for_searches()};
  trees::SampledPlanner planner = new_planner();
  trees::Scratch planner_scratch;
  std::vector<std::string> trees;
  gpu::Memory<gpu::MemoryKind::host> windows, before_windows;
  trees::FarStrides strides;  ///< Of the array that is compressed, at which its planner looks.
  gpu::Event first_gathered, all_gathered;
  gpu::BatchEncoder encoder;
  gpu::Memory<gpu::MemoryKind::device> around_segments;  ///< For what frames have besides their streams.
  std::optional<gpu::HostPieces> pieces;                 ///< Of arrays of the host.

  std::vector<trees::Fingerprint> fingerprints;  ///< Of the batches from first_fingerprint on.
  std::uint64_t first_fingerprint = 0;

  /// Whether a device encodes batches sooner than one thread of the host compares them with kinds.
  [[nodiscard]] bool has_many_small_batches(const ColumnEncode& column) const {
    constexpr std::uint64_t many = 4, small_bytes = std::uint64_t{32} << 20;
    return batch_words * size_of(type) <= small_bytes && batches(column.word_count) >= many &&
           search_threads.are_there();
  }
  [[nodiscard]] std::uint64_t batches(std::uint64_t count) const {
    return core::divide_up(count, batch_words);
  }
  [[nodiscard]] gpu::WindowsJob windows_job(const ColumnEncode& column) const {
    return {static_cast<const std::uint8_t*>(column.words),
            column.word_count,
            batch_words,
            static_cast<std::uint32_t>(size_of(type)),
            windows.data(),
            strides,
            before_windows.data()};
  }
  [[nodiscard]] trees::SegmentWindows windows_of_batch(const ColumnEncode& column,
                                                       std::uint64_t index) const {
    return {type,
            std::min(batch_words, column.word_count - index * batch_words),
            windows.data() + index * windows_job(column).stride(),
            segment_words,
            strides,
            before_windows.data() + index * windows_job(column).before_stride()};
  }

  trees::SampledPlanner new_planner() {
    return trees::SampledPlanner(gpu::encode_objective(), &search_threads);
  }
  Status allocate();
  [[nodiscard]] trees::FarStrides strides_of(const Extent& extent) const {
    const std::span<const std::uint64_t> sizes(extent.size.data(), extent.rank);
    return sizes.empty() ? trees::FarStrides()
                         : trees::window_strides(trees::far_strides_of(sizes.subspan(1)), segment_words);
  }
  Status look_at(const Extent& extent);
  Status fetch_windows(const ColumnEncode& column, cudaStream_t stream);
  Status wait_for_windows(std::uint64_t batch) const;
  std::uint64_t find_fingerprints(const ColumnEncode& column, std::uint64_t batch);
  std::optional<trees::Guess> guess_for(const trees::SegmentWindows& segment);
  bool guesses(const trees::SegmentWindows& segment, const trees::Plan& plan);
  Guess begin_with_guess(const ColumnEncode& column, cudaStream_t stream);
  Status take_back(const ColumnEncode& column, const Guess& guess, std::uint64_t right, cudaStream_t stream);
  Status encode_batches(const ColumnEncode& column, trees::Awake& awake, cudaStream_t stream);
  template <class Begin>
  Status encode(const ColumnEncode& column, cudaStream_t stream, const Begin& begin);
};

Status PlannedEncoder::State::allocate() {
  CudaCalls calls;
  return calls.check(windows.reserve(batches(words) * windows_job({}).stride()))
      .check(encoder.allocate(type, {words, batches(words), segment_words}))
      .check(first_gathered.create())
      .check(all_gathered.create())
      .status();
}

/// At rows and planes of an array, too.
Status PlannedEncoder::State::look_at(const Extent& extent) {
  strides = strides_of(extent);
  const std::uint64_t bytes = batches(words) * windows_job({}).before_stride();
  if (bytes <= before_windows.size()) return {};
  CudaCalls calls;
  for (const gpu::Event* event : {&first_gathered, &all_gathered})  // of the column before
    calls.check(cudaEventSynchronize(event->get()));
  if (!calls.check(before_windows.reserve(bytes)).ok()) strides = {};
  return calls.status();
}

/// Of many batches the windows of the first one come first, so that planning can begin. They are stored in
/// the memory of the host as they are gathered: a copy would begin when all are there.
Status PlannedEncoder::State::fetch_windows(const ColumnEncode& column, cudaStream_t stream) {
  CudaCalls calls;
  constexpr std::uint64_t gathered_at_once = 8;                     // which takes hardly longer than one
  for (const gpu::Event* event : {&first_gathered, &all_gathered})  // of the column before
    calls.check(cudaEventSynchronize(event->get()));
  gpu::WindowsJob job = windows_job(column);
  const std::uint64_t first_words = batches(column.word_count) <= gathered_at_once
                                        ? column.word_count
                                        : std::min(batch_words, column.word_count);
  job.count = first_words;
  gather_windows_async(calls, job, stream);
  calls.check(cudaEventRecord(first_gathered.get(), stream));
  job = windows_job(column);
  job.words += first_words * job.word_bytes;
  job.count -= first_words;
  job.windows += job.stride();
  job.before += job.before_stride();
  if (job.count == 0) return calls.status();
  gather_windows_async(calls, job, stream);
  calls.check(cudaEventRecord(all_gathered.get(), stream));
  return calls.status();
}

Status PlannedEncoder::State::wait_for_windows(std::uint64_t batch) const {
  CudaCalls calls;
  if (batch < 2) calls.check(cudaEventSynchronize(batch == 0 ? first_gathered.get() : all_gathered.get()));
  return calls.status();
}

/// Of a batch, and, where that pays, of those behind it. Returns of how many they are there.
std::uint64_t PlannedEncoder::State::find_fingerprints(const ColumnEncode& column, std::uint64_t batch) {
  if (batch - first_fingerprint >= fingerprints.size()) {
    constexpr std::uint64_t at_once = 64;
    first_fingerprint = batch;
    fingerprints.resize(batch > 0 && has_many_small_batches(column)
                            ? std::min(at_once, batches(column.word_count) - batch)
                            : 1);
    search_threads.run(fingerprints.size(), planner_scratch, [&](std::size_t i, trees::Scratch&) {
      fingerprints[i] = trees::SampledPlanner::fingerprint(windows_of_batch(column, batch + i));
    });
  }
  return fingerprints.size() - (batch - first_fingerprint);
}

std::optional<trees::Guess> PlannedEncoder::State::guess_for(const trees::SegmentWindows& segment) {
  return trees::guess_tree(segment, gpu::encode_objective(), search_threads, planner_scratch);
}

bool PlannedEncoder::State::guesses(const trees::SegmentWindows& segment, const trees::Plan& plan) {
  return trees::guesses_tree(plan, segment, gpu::encode_objective(), search_threads, planner_scratch);
}

/// A chain for many batches at once. Runs and dictionaries are seldom right where the stream is different,
/// and all that was begun is encoded anew then: they are for the batches for which they are guessed, too.
/// Runs also for those that are of the first one's kind; a dictionary may suit some of a kind only.
Guess PlannedEncoder::State::begin_with_guess(const ColumnEncode& column, cudaStream_t stream) {
  const auto guess = guess_for(windows_of_batch(column, 0));
  if (!guess) return {};
  const std::uint64_t at_once = std::min(
      std::max<std::uint64_t>(1, guessed_bytes / (batch_words * size_of(type))), batches(column.word_count));
  Guess begun{0, 0, false, 1, guess->plan};
  const auto encode_up_to = [&](std::uint64_t end) {
    const std::uint64_t first_word = begun.batches * batch_words,
                        end_word = std::min(end * batch_words, column.word_count);
    const gpu::Batch batch{begun.launches, first_word, end_word - first_word};
    if (!encoder.encode(column, batch, begun.plan, stream).ok()) return false;
    begun.batches = end;
    ++begun.launches;
    return true;
  };
  std::uint64_t end = guess->is_chain ? at_once : 1, max_launch_batches = 2;
  begun.is_begun = encode_up_to(end);
  if (!begun.is_begun) begun.batches = end;
  const bool has_dictionary = is_dictionary(guess->plan);
  trees::Fingerprint fingerprint{};
  if (!guess->is_chain && !has_dictionary) {
    find_fingerprints(column, 0);
    fingerprint = fingerprints[0];
  }
  const auto is_like_first = [&](std::uint64_t batch) {
    if (!has_dictionary) {
      find_fingerprints(column, batch);
      if (trees::distance(fingerprints[batch - first_fingerprint], fingerprint) <=
          trees::PlanCache::same_kind_distance)
        return true;
    }
    return guesses(windows_of_batch(column, batch), begun.plan);
  };
  while (begun.is_begun && end < at_once && wait_for_windows(end).ok() && is_like_first(end)) {
    if (++end - begun.batches < max_launch_batches && !has_dictionary) continue;
    if (!encode_up_to(end)) return begun;
    if (has_dictionary) begun.guessed = end;
    max_launch_batches *= 2;
  }
  if (begun.is_begun && end > begun.batches) encode_up_to(end);
  return begun;
}

/// Gives up what was begun with a guess that is right for the first batches only: these are encoded once
/// more.
Status PlannedEncoder::State::take_back(const ColumnEncode& column, const Guess& guess, std::uint64_t right,
                                        cudaStream_t stream) {
  if (const Status status = encoder.give_up(guess.launches, stream); !status.ok()) return status;
  if (const Status status = encoder.begin_again(column, stream); !status.ok() || right == 0) return status;
  return encoder.encode(column, {0, 0, right * batch_words}, guess.plan, stream);
}

/// Batches are planned one by one. The first one is encoded at once; the device has work then, and launches
/// may grow. Where a guess says the same of a later batch of another kind, which is begun, too, no tree is
/// searched for it: the device would be done before the host.
Status PlannedEncoder::State::encode_batches(const ColumnEncode& column, trees::Awake& awake,
                                             cudaStream_t stream) {
  fingerprints.clear();
  Launch launch;
  Guess guess;
  std::uint64_t max_launch_batches = 1;  // batches of a launch
  const auto enqueue = [&]() -> Status {
    if (launch.batches == 0) return {};
    max_launch_batches = 2 * launch.batches;
    launch.batches = 0;
    return encoder.encode(column, launch.words, launch.plan, stream);
  };
  for (std::uint64_t index = 0; index < batches(column.word_count); ++index) {
    if (const Status status = wait_for_windows(index); !status.ok()) return status;
    const trees::SegmentWindows segment = windows_of_batch(column, index);
    Status status;
    // Where no kind is known yet, the first fingerprint can wait until the device has work.
    const bool is_first_of_all = index == 0 && planner.search_count() == 0;
    if (is_first_of_all) guess = begin_with_guess(column, stream);
    // Batches with a tree are encoded at once where others get theirs soon.
    max_launch_batches = std::max(max_launch_batches, find_fingerprints(column, index));
    const trees::Fingerprint fingerprint = fingerprints[index - first_fingerprint];
    const auto begin = [&]() -> trees::BegunTree {
      status = enqueue();
      if (index == 0 && !is_first_of_all) guess = begin_with_guess(column, stream);
      return {index < guess.batches ? &guess.plan : nullptr, index};
    };
    const bool is_begun = index > 0 && index < guess.batches;
    const trees::Plan* known = is_begun ? planner.known_plan_for(fingerprint) : nullptr;
    if (known == nullptr && is_begun && (index < guess.guessed || guesses(segment, guess.plan)))
      known = &guess.plan;
    const trees::Plan& plan =
        known != nullptr ? *known : planner.plan_for(segment, fingerprint, planner_scratch, begin);
    // Where batches have begun by a guess, those that follow are compared with it.
    if ((index > 0 || !has_many_small_batches(column)) && index + 1 >= guess.batches) awake.rest();
    trees.push_back(text_of(plan));
    if (status.ok() && launch.batches > 0 && launch.plan != plan) status = enqueue();
    if (status.ok() && index < guess.batches) {
      if (guess.is_begun) max_launch_batches = 2 * guess.batches;
      const bool is_right = guess.plan == plan;
      if (is_right && guess.is_begun) continue;
      if (!is_right && guess.is_begun) status = take_back(column, guess, index, stream);
      if (!is_right) guess.batches = 0;
    }
    if (!status.ok()) return status;
    if (launch.batches == 0) launch = {{index, index * batch_words, 0}, 0, plan};
    launch.words.count += segment.count;
    if (++launch.batches < max_launch_batches) continue;
    if (status = enqueue(); !status.ok()) return status;
  }
  return enqueue();
}

/// begin() enqueues what blocks that encode need, while windows are on their way.
template <class Begin>
Status PlannedEncoder::State::encode(const ColumnEncode& column, cudaStream_t stream, const Begin& begin) {
  trees.clear();
  planner.begin_stream(strides);
  // Of the first column nothing is known: a search will need threads, which take a while to wake up.
  const bool are_needed = planner.search_count() == 0 || has_many_small_batches(column);
  trees::Awake awake(are_needed ? &search_threads : nullptr);
  if (const Status status = fetch_windows(column, stream); !status.ok()) return status;
  if (const Status status = begin(); !status.ok()) return status;
  if (const Status status = encoder.begin(column, stream); !status.ok()) return status;
  const Status encoded = encode_batches(column, awake, stream), finished = encoder.finish(column, stream);
  return encoded.ok() ? finished : encoded;
}

PlannedEncoder::PlannedEncoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
PlannedEncoder::PlannedEncoder(PlannedEncoder&&) noexcept = default;
PlannedEncoder& PlannedEncoder::operator=(PlannedEncoder&&) noexcept = default;
PlannedEncoder::~PlannedEncoder() = default;

Result<PlannedEncoder> PlannedEncoder::create(DType type, std::uint64_t words, std::uint32_t segment_words,
                                              std::uint64_t batch_words) try {
  if (size_of(type) == 0) return invalid("a column of text");
  if (segment_words == 0 || segment_words > max_segment_words)
    return invalid("the length of a column's segments");
  if (batch_words == 0 || batch_words % segment_words != 0) return invalid("batches are whole segments");
  if (words == 0 || core::divide_up(words, segment_words) > (1u << 30))
    return invalid("the length of a column");
  auto state = std::make_unique<State>();
  state->type = word_type(type);
  state->words = words;
  state->segment_words = segment_words;
  // A batch more than the column's length says nothing, and a limited number of them are enough.
  state->batch_words =
      std::max(batch_words, core::align_up(core::divide_up(words, max_batches), segment_words));
  if (const Status status = state->allocate(); !status.ok()) return status;
  return PlannedEncoder(std::move(state));
} catch (const std::bad_alloc&) {
  return no_memory;
}

Status PlannedEncoder::encode(const ColumnEncode& column, cudaStream_t stream) try {
  if (word_type(column.type) != state_->type || column.segment_words != state_->segment_words)
    return invalid("a column differs from what its encoder was made for");
  if (column.word_count == 0 || column.word_count > state_->words)
    return invalid("a column is longer than its encoder was made for, or empty");
  if (const Status status = gpu::check_memory(column); !status.ok()) return status;
  if (state_->windows.is_gone()) return gpu::was_reset;
  return state_->encode(column, stream, [] { return Status{}; });
} catch (const std::bad_alloc&) {
  return no_memory;
}

Status PlannedEncoder::compress(const BatchItem& item, DType dtype, const Extent& extent,
                                const Options& options, ItemResult* result, cudaStream_t stream) {
  return core::guarded([&]() -> Status {
    if (word_type(dtype) != state_->type) return differs;
    if (!options.tree.empty()) return tree_is_given;
    Options with = options;
    with.segment_bytes = std::uint64_t{state_->segment_words} * size_of(dtype);
    const auto plan = gpu::plan_frames(dtype, extent, with);
    if (!plan) return plan.status();
    if (const Status status = gpu::check_item(*plan, extent, item, result); !status.ok()) return status;
    if (item.in_bytes / size_of(dtype) > state_->words)
      return invalid("an array is longer than its encoder was made for");
    if (state_->windows.is_gone()) return gpu::was_reset;
    const auto layout = gpu::tree_frames_layout(*plan, state_->words * size_of(dtype), 1);
    if (!layout) return gpu::too_many_bytes;
    gpu::CompressJob job;
    job.single = item;
    job.results = result;
    gpu::describe_frames(job, *plan, extent);
    CudaCalls calls;
    const auto device = gpu::DeviceShape::of_current(calls);
    calls.check(state_->around_segments.reserve(layout->bytes));
    if (!calls.ok()) return calls.status();
    gpu::point_to_tree_frames(job, *layout, state_->around_segments.data());
    const auto set_up = [&] {
      gpu::set_up_compression(calls, job, device, stream);
      return calls.status();
    };
    state_->trees.clear();
    state_->encoder.ask_for_facts(job.facts, job.rules.checksums);
    if (item.in_bytes > 0) {
      const ColumnEncode column = gpu::column_of(*plan, job);
      calls.check(gpu::check_memory(column)).check(state_->look_at(extent));
      if (calls.ok()) calls.check(state_->encode(column, stream, set_up));
    } else {
      calls.check(set_up());
    }
    state_->strides = {};
    state_->encoder.ask_for_facts(nullptr, true);
    gpu::finish_tree_frames(calls, job, device, stream);
    return calls.status();
  });
}

Result<std::uint64_t> PlannedEncoder::max_compressed_size(DType dtype, const Extent& extent,
                                                          const Options& options) const {
  if (word_type(dtype) != state_->type) return differs;
  if (!options.tree.empty()) return tree_is_given;
  Options with = gpu::with_profile(options);
  with.segment_bytes = std::uint64_t{state_->segment_words} * size_of(dtype);
  return floe::max_compressed_size(dtype, extent, with);
}

Result<std::size_t> PlannedEncoder::compress_into(std::span<std::byte> out, std::span<const std::byte> in,
                                                  DType dtype, const Extent& extent, const Options& options) {
  return core::guarded([&]() -> Result<std::size_t> {
    if (word_type(dtype) != state_->type) return differs;
    if (!options.tree.empty()) return tree_is_given;
    if (state_->windows.is_gone()) return gpu::was_reset;
    state_->trees.clear();
    const trees::FarStrides strides = state_->strides_of(extent);
    state_->planner.begin_stream(strides);
    if (!state_->pieces) state_->pieces.emplace(state_->type, state_->segment_words, state_->batch_words);
    return state_->pieces->compress(
        {in, dtype, extent, options, out, strides},
        {state_->planner, state_->search_threads, state_->planner_scratch, state_->trees});
  });
}

std::span<const std::string> PlannedEncoder::trees() const { return state_->trees; }
void PlannedEncoder::forget() { state_->planner = state_->new_planner(); }

}  // namespace floe::cuda
