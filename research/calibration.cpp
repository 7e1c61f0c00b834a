#include "research/calibration.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <functional>
#include <vector>

#include "core/splitmix.hpp"
#include "tree/plan.hpp"
#include "tree/tree_decoder.hpp"

namespace floe::trees {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t words = 1 << 17;
constexpr auto time_for_each = std::chrono::milliseconds(60);
constexpr int min_runs = 5;

/// The words that a tree of one encoding over raw children is measured with.
struct Probe {
  const char* tree;
  DType type;
  std::uint64_t (*word)(std::uint64_t i);
};

std::uint64_t random_below(std::uint64_t i, std::uint64_t limit) { return core::splitmix(i) % limit; }
std::uint64_t any_number(std::uint64_t i) { return 10 + random_below(i, 9990); }
std::uint64_t mostly_seven(std::uint64_t i) { return random_below(i, 20) == 0 ? any_number(i) : 7; }
std::uint64_t hundredths(std::uint64_t i) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(any_number(i)) / 100);
}

std::uint64_t sixty_fourths(std::uint64_t i) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(any_number(i)) / 64);
}

constexpr std::array<Probe, encoding_count> probes = {{
    {"raw", DType::i32, any_number},
    {"constant", DType::i32, [](std::uint64_t) -> std::uint64_t { return 7; }},
    {"bitpack", DType::i32, any_number},
    {"delta,raw", DType::i32, any_number},
    {"rle,raw,raw", DType::i32,
     [](std::uint64_t i) { return any_number(i / 64 + random_below(i, 64) / 63); }},
    {"int_mult,raw", DType::i32, [](std::uint64_t i) { return 60 * any_number(i); }},
    {"decimal(2,4),raw,raw,raw", DType::f64, hundredths},
    {"sortable,raw", DType::f64, hundredths},
    {"split,raw,raw,raw", DType::i32,
     [](std::uint64_t i) { return random_below(i, 8) == 0 ? any_number(i) << 12 : any_number(i); }},
    {"sparse,raw,raw", DType::i32, mostly_seven},
    {"stride_split(2),raw,raw", DType::i32, any_number},
    {"dict,raw,raw,raw", DType::i32, any_number},
    {"spspeed", DType::i32, any_number},
    {"entropy", DType::i32, any_number},
    {"divide(25),raw,raw", DType::i32, [](std::uint64_t i) { return 25 * any_number(i) + 3; }},
    {"unique,raw,raw", DType::i32, any_number},
    {"grid,raw,raw,raw,raw", DType::f64, sixty_fourths},
    {"linear,raw", DType::i32, any_number},
    {"affine,raw,raw,raw,raw,raw", DType::f64, sixty_fourths},
    {"match,raw,raw,raw,raw", DType::i32,
     [](std::uint64_t i) { return any_number(64 * random_below(i / 64, 128) + i % 64); }},
    {"multi_entropy", DType::i32,
     [](std::uint64_t i) -> std::uint64_t { return any_number(i) & (i / 256 % 2 == 0 ? 15U : 8191U); }},
    {"narrow(2,1),raw,raw,raw", DType::f64, hundredths},
    {"context(64),raw", DType::i32, any_number},
}};
static_assert(probes.back().tree != nullptr, "every encoding has a probe");

/// Of one run, the shortest of several.
double picoseconds_of(const std::function<void()>& work) {
  using Picoseconds = std::chrono::duration<double, std::pico>;
  Picoseconds best = std::chrono::hours(1);
  const auto begin = Clock::now();
  for (int run = 0; run < min_runs || Clock::now() - begin < time_for_each; ++run) {
    const auto start = Clock::now();
    work();
    best = std::min<Picoseconds>(best, Clock::now() - start);
  }
  return best.count();
}

/// Of words as they are.
double picoseconds_to_copy(const ColumnView& stream, Scratch& scratch) {
  if (stream.count == 0) return 0;
  const Plan plan{{{EncodingId::raw, {}}}};
  const Block decoded = scratch.take(stream.bytes());
  const std::span<const std::uint8_t> bytes(static_cast<const std::uint8_t*>(stream.values),
                                            static_cast<std::size_t>(stream.bytes()));
  return picoseconds_of([&] { decode_tree(plan, bytes, stream.type, stream.count, decoded.data()); });
}

std::uint32_t per_word(double picoseconds) {
  return static_cast<std::uint32_t>(std::clamp(picoseconds / static_cast<double>(words), 1.0, 1e6));
}

EncodingTime measure(const Probe& probe, Scratch& scratch) {
  Stream stream(probe.type, words, scratch);
  with_word(size_of(probe.type), [&]<class W>(W) {
    for (std::uint64_t i = 0; i < words; ++i)
      stream.words<W>()[static_cast<std::size_t>(i)] = static_cast<W>(probe.word(i));
  });
  const Plan plan = plan_from_text(probe.tree, probe.type).value();
  const PlanNode& root = plan.nodes[0];
  std::vector<Stream> children;
  ByteWriter body;
  const double to_encode = picoseconds_of([&] {
    children.clear();
    body.cut(0);
    Encoded encoded{body, children, scratch};
    encoding_of(root.encoding).encode(stream.view(), root.parameters, encoded);
  });
  double of_children = 0;
  for (const Stream& child : children) {
    body.put_bytes({static_cast<const std::uint8_t*>(child.view().values),
                    static_cast<std::size_t>(child.view().bytes())});
    of_children += picoseconds_to_copy(child.view(), scratch);
  }
  const Block decoded = scratch.take(stream.view().bytes());
  const double to_decode =
      picoseconds_of([&] { decode_tree(plan, body.bytes(), probe.type, words, decoded.data()); });
  return {per_word(to_encode), per_word(to_decode - of_children)};
}

}  // namespace

EncodingTimes measure_encoding_times() {
  Scratch scratch;
  EncodingTimes times;
  std::transform(probes.begin(), probes.end(), times.begin(),
                 [&](const Probe& probe) { return measure(probe, scratch); });
  return times;
}

}  // namespace floe::trees
