// Very many changed streams of trees, decoded on a device by several threads at once: nothing but the words
// asked for is written, and what is decoded is what the CPU decodes.
#include <atomic>
#include <thread>

#include "tests/cuda/device_memory.hpp"
#include "tests/series/columns.hpp"
#include "tests/series_cuda/trees.hpp"

namespace floe::test {
namespace {

/// A stream of the CPU, and how many words it has.
struct Seed {
  DType type{};
  std::uint32_t words = 0;
  bool has_runs = false;
  Bytes bytes;
};

/// Random trees, and leaves of entropy, on random contents of up to some thousand words.
std::vector<Seed> make_seeds(std::size_t count) {
  constexpr const char* trees[] = {"entropy",
                                   "delta,entropy",
                                   "delta(1,3),entropy",
                                   "sortable,delta,entropy",
                                   "decimal(2,4),delta,entropy,raw,raw",
                                   "rle,entropy,entropy",
                                   "dict,raw,entropy,raw",
                                   "split,entropy,entropy,entropy",
                                   "divide,delta,entropy,raw",
                                   "divide(3,2),delta,entropy,bitpack",
                                   "dict(1),raw,delta(2),entropy,raw",
                                   "dict(2),entropy,bitpack,raw",
                                   "rle,bitpack,delta,entropy",
                                   "sparse,entropy,bitpack",
                                   "multi_entropy(3)",
                                   "delta(1,100),multi_entropy",
                                   "grid,delta,entropy,raw,bitpack,raw",
                                   "affine(2,4),delta,entropy,entropy,raw,bitpack,raw",
                                   "unique,delta,bitpack,entropy"};
  std::vector<Seed> seeds;
  for (std::uint64_t i = 0; seeds.size() < count; ++i) {
    const DType type = word_types[core::splitmix(i) % std::size(word_types)];
    const std::uint64_t words = 1 + core::splitmix(i + 1) % (i % 16 == 0 ? 20'000 : 1500);
    const auto named = trees::plan_from_text(trees[i / 3 % std::size(trees)], type);
    const trees::Plan plan =
        i % 3 == 0 && named ? *named : random_plan(core::splitmix(i + 3), type, Drawn::decoded_by_devices);
    auto columns = difficult_columns(type, words);
    const Column& column = columns[core::splitmix(i + 2) % columns.size()].second;
    seeds.push_back({type, static_cast<std::uint32_t>(words), text_of(plan).find("rle") != std::string::npos,
                     ColumnEncoder(plan).encode(column.view())});
    if (seeds.back().bytes.empty()) seeds.pop_back();
  }
  return seeds;
}

/// One to three bytes set or one bit flipped, near the front as often as not; cut off; or another stream's
/// end.
Bytes mutated(const Seed& seed, const Seed& other, Random& random) {
  Bytes bytes = seed.bytes;
  const std::size_t range = random.below(2) == 0 ? std::min<std::size_t>(bytes.size(), 64) : bytes.size();
  switch (random.below(8)) {
    case 0:
      bytes.resize(1 + random.below(bytes.size()));
      break;
    case 1: {
      const std::size_t at = random.below(bytes.size());
      for (std::size_t i = at; i < std::min(bytes.size(), other.bytes.size()); ++i) bytes[i] = other.bytes[i];
      break;
    }
    case 2:
    case 3:
      bytes[random.below(range)] ^= static_cast<std::uint8_t>(1u << random.below(8));
      break;
    case 4:
      bytes[random.below(range)] += static_cast<std::uint8_t>(random.below(2) == 0 ? 1 : 255);
      break;
    default:
      for (std::uint64_t i = 1 + random.below(3); i > 0; --i)
        bytes[random.below(range)] = static_cast<std::uint8_t>(random.next());
  }
  return bytes;
}

/// Memory of a device that one call needs, in one piece whose other bytes are canaries: streams, a directory,
/// words, results. Written and read at once.
class Arena {
 public:
  explicit Arena(std::size_t bytes) : host_(bytes), expected_(bytes), device_(bytes) {
    cudaStreamCreate(&stream_);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { cudaStreamDestroy(stream_); }

  void begin() {
    std::fill(host_.begin(), host_.end(), canary);
    end_ = 0;
  }
  /// Room for bytes, at a multiple of `alignment`, with a gap of canaries on both sides.
  std::size_t place(std::size_t bytes, std::size_t alignment) {
    const std::size_t at = (end_ + gap + alignment - 1) / alignment * alignment;
    end_ = at + bytes;
    EXPECT_LE(end_ + gap, host_.size());
    return at;
  }
  std::size_t put(const void* content, std::size_t bytes, std::size_t alignment) {
    const std::size_t at = place(bytes, alignment);
    std::memcpy(host_.data() + at, content, bytes);
    return at;
  }
  [[nodiscard]] std::uint8_t* on_device(std::size_t at) const { return device_.data() + at; }
  [[nodiscard]] std::uint8_t* here(std::size_t at) { return host_.data() + at; }
  void write() {
    expected_ = host_;
    expect_cuda(cudaMemcpyAsync(device_.data(), host_.data(), used(), cudaMemcpyHostToDevice, stream_));
  }
  void read() {
    expect_cuda(cudaMemcpyAsync(host_.data(), device_.data(), used(), cudaMemcpyDeviceToHost, stream_));
    expect_cuda(cudaStreamSynchronize(stream_));
  }
  /// These bytes may change.
  void allow(std::size_t at, std::size_t bytes) {
    std::copy_n(host_.begin() + static_cast<std::ptrdiff_t>(at), bytes,
                expected_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  [[nodiscard]] bool is_intact() const {
    return std::equal(host_.begin(), host_.begin() + static_cast<std::ptrdiff_t>(used()), expected_.begin());
  }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }

 private:
  static constexpr std::uint8_t canary = 0xA5;
  static constexpr std::size_t gap = 256;
  [[nodiscard]] std::size_t used() const { return end_ + gap; }

  Bytes host_, expected_;
  DeviceMemory device_;
  cudaStream_t stream_ = nullptr;
  std::size_t end_ = 0;
};

/// A changed stream in an arena.
struct Mutant {
  const Seed* seed = nullptr;
  Bytes bytes;
  bool has_true_entry = true;  ///< Of the directory.
  std::size_t out = 0, result = 0;

  [[nodiscard]] std::size_t out_bytes() const { return seed->words * size_of(seed->type); }
};

cuda::ColumnDecode place(Mutant& mutant, Arena& arena, Random& random) {
  const std::size_t data = arena.put(mutant.bytes.data(), mutant.bytes.size(), 16);
  cuda::SegmentEntry entry{0, static_cast<std::uint32_t>(mutant.bytes.size()), mutant.seed->words};
  if (random.below(50) == 0) {
    mutant.has_true_entry = false;
    const std::uint64_t number = random.below(2) == 0 ? random.next() : 16;
    if (random.below(2) == 0) entry.offset = number;
    if (random.below(2) == 0) entry.bytes = static_cast<std::uint32_t>(number);
    if (random.below(2) == 0) entry.words = static_cast<std::uint32_t>(number);
  }
  const std::size_t directory = arena.put(&entry, sizeof entry, 16);
  mutant.out = arena.place(mutant.out_bytes(), 16);
  mutant.result = arena.place(sizeof(cuda::ItemResult), 16);
  cuda::ColumnDecode call;
  call.column = {arena.on_device(data),
                 mutant.bytes.size(),
                 reinterpret_cast<const cuda::SegmentEntry*>(arena.on_device(directory)),
                 mutant.seed->words,
                 mutant.seed->words,
                 mutant.seed->type};
  call.out = arena.on_device(mutant.out);
  call.out_bytes = mutant.out_bytes();
  call.result = reinterpret_cast<cuda::ItemResult*>(arena.on_device(mutant.result));
  return call;
}

/// What the device says is what the CPU says; damaged segments are zeros. Whether it was accepted.
bool agrees(const Mutant& mutant, Arena& arena, bool& accepted) {
  cuda::ItemResult result;
  std::memcpy(&result, arena.here(mutant.result), sizeof result);
  const auto code = static_cast<ErrorCode>(result.code);
  accepted = code == ErrorCode::ok;
  const std::span out(arena.here(mutant.out), mutant.out_bytes());
  if (!accepted) {
    return (code == ErrorCode::corrupt_frame || code == ErrorCode::unsupported_codec ||
            code == ErrorCode::out_of_memory) &&
           std::all_of(out.begin(), out.end(), [](std::uint8_t byte) { return byte == 0; });
  }
  if (!mutant.has_true_entry) return true;
  Column there(mutant.seed->type, mutant.seed->words);
  // Devices add lengths of runs up to the end, also behind the last word.
  if (!decode(mutant.bytes, there).ok()) return mutant.seed->has_runs;
  return std::ranges::equal(out, there.bytes);
}

struct Tally {
  std::atomic<std::uint64_t> begun{0}, accepted{0}, refused{0};
  std::atomic<bool> failed{false};
};

void decode_mutants(const std::vector<Seed>& seeds, std::uint64_t all, std::uint64_t number, Tally& tally) {
  Random random(2027 + number);
  Arena arena(16u << 20);
  const DeviceMemory workspace(cuda::decode_workspace_size(20'000, 8, cuda::max_columns).value());
  while (tally.begun.fetch_add(cuda::max_columns) < all && !tally.failed) {
    std::vector<Mutant> mutants(cuda::max_columns);
    std::vector<cuda::ColumnDecode> calls;
    arena.begin();
    for (Mutant& mutant : mutants) {
      mutant.seed = &seeds[random.below(seeds.size())];
      mutant.bytes = mutated(*mutant.seed, seeds[random.below(seeds.size())], random);
      calls.push_back(place(mutant, arena, random));
    }
    arena.write();
    const Status status = cuda::decode_columns_async(calls, workspace_of(workspace), arena.stream());
    arena.read();
    bool holds = status.ok();
    for (const Mutant& mutant : mutants) {
      bool accepted = false;
      holds = holds && agrees(mutant, arena, accepted);
      ++(accepted ? tally.accepted : tally.refused);
      arena.allow(mutant.out, mutant.out_bytes());
      arena.allow(mutant.result, sizeof(cuda::ItemResult));
    }
    if (!holds || !arena.is_intact()) tally.failed = true;
    EXPECT_TRUE(holds) << "thread " << number << " after " << tally.begun;
    EXPECT_TRUE(arena.is_intact()) << "thread " << number << " after " << tally.begun;
  }
  EXPECT_TRUE(workspace.is_intact());
}

TEST(MutatedStreams, TouchNothingElse) {
  FLOE_NEEDS_DEVICE();
  const std::vector<Seed> seeds = make_seeds(1500);
  Tally tally;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { decode_mutants(seeds, mutations(20'000), i, tally); });
  for (std::thread& thread : threads) thread.join();
  RecordProperty("accepted", std::to_string(tally.accepted));
  RecordProperty("refused", std::to_string(tally.refused));
  std::printf("%llu streams accepted, %llu refused\n", static_cast<unsigned long long>(tally.accepted),
              static_cast<unsigned long long>(tally.refused));
  EXPECT_GT(tally.accepted, 0u);
  EXPECT_GT(tally.refused, 0u);
}

}  // namespace
}  // namespace floe::test
