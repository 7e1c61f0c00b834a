#include "measuring.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "plan/thesis/edge_stat_planner.hpp"

namespace floe::bench {
namespace {

using tables::Words;
using trees::ColumnEncoder;
using trees::ColumnView;
using trees::Preset;

double seconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

ColumnView view_of(const Words& words) { return {words.type(), words.data(), words.count()}; }

void check_decoding(const Packs& packs, const Encoded& encoded) {
  for (std::size_t i = 0; i < packs.size(); ++i) {
    Words again(packs[i].type(), packs[i].count());
    const Status status = trees::decode_column(encoded.packs[i], again.type(), again.count(), again.data());
    if (!status.ok() || !std::ranges::equal(again.bytes(), packs[i].bytes())) {
      std::fprintf(stderr, "a pack does not come back\n");
      std::exit(1);
    }
  }
}

/// Encodes the parts of a pack again with the trees that were chosen for them: what is left of encoding
/// without planning.
void encode_as_planned(const ColumnView& pack, std::span<const std::uint8_t> encoded,
                       trees::Scratch& scratch) {
  const auto parts = trees::parts_of(encoded, pack.type, pack.count);
  const auto* words = static_cast<const std::uint8_t*>(pack.values);
  for (const trees::SegmentPart& part : *parts) {
    (void)ColumnEncoder(part.plan).encode({pack.type, words, part.count}, scratch);
    words += part.count * size_of(pack.type);
  }
}

/// What a column's segments take, each the shortest time of some runs.
class SegmentTimes {
 public:
  explicit SegmentTimes(std::size_t segments) : shortest_(segments, 1e9) {}
  void measure(std::size_t segment, const std::function<void()>& work) {
    shortest_[segment] = std::min(shortest_[segment], seconds_of(work));
  }
  [[nodiscard]] double sum() const { return std::accumulate(shortest_.begin(), shortest_.end(), 0.0); }

 private:
  std::vector<double> shortest_;
};

void print_ratio(const char* table, const std::string& row, const char* planner, const Packs& packs,
                 ColumnEncoder&& encoder) {
  const Encoded encoded = encode(packs, encoder);
  check_decoding(packs, encoded);
  print(table, row, planner, encoded.ratio());
}

}  // namespace

void print(const char* table, const std::string& row, const char* quantity, double value) {
  std::printf("%s,%s,%s,%.6g\n", table, row.c_str(), quantity, value);
  std::fflush(stdout);
}

double best_seconds_of(int runs, const std::function<void()>& work) {
  double best = seconds_of(work);
  for (int run = 1; run < runs; ++run) best = std::min(best, seconds_of(work));
  return best;
}

double best_elapsed_seconds_of(int runs, const std::function<void()>& work) {
  double best = 1e9;
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

Encoded encode(const Packs& packs, ColumnEncoder& encoder) {
  trees::Scratch scratch;
  Encoded result;
  for (const Words& pack : packs) {
    result.packs.push_back(encoder.encode(view_of(pack), scratch));
    result.in_bytes += pack.bytes().size();
    result.out_bytes += result.packs.back().size();
  }
  return result;
}

double ratio_of_search_for_each_pack(const Packs& packs) {
  std::uint64_t in_bytes = 0, out_bytes = 0;
  for (const Words& pack : packs) {
    in_bytes += pack.bytes().size();
    out_bytes += ColumnEncoder(Preset::ratio).encode(view_of(pack)).size();
  }
  return static_cast<double>(in_bytes) / static_cast<double>(out_bytes);
}

void print_planning(const std::string& row, const std::vector<const Packs*>& columns, int rounds) {
  constexpr int runs = 25;
  trees::Scratch scratch;  // of both, so that neither waits for memory
  double planned_seconds = 0, replayed_seconds = 0, bytes = 0;
  for (const Packs* packs : columns) {
    const std::size_t segments = packs->size() * static_cast<std::size_t>(rounds);
    const auto pack = [&](std::size_t segment) { return view_of((*packs)[segment % packs->size()]); };
    SegmentTimes planned(segments), replayed(segments);
    std::vector<std::vector<std::uint8_t>> encoded(segments);
    for (int run = 0; run < runs; ++run) {  // in turns, so that what disturbs meets both
      ColumnEncoder encoder;
      for (std::size_t i = 0; i < segments; ++i)
        planned.measure(i, [&] { encoded[i] = encoder.encode(pack(i), scratch); });
      for (std::size_t i = 0; i < segments; ++i)
        replayed.measure(i, [&] { encode_as_planned(pack(i), encoded[i], scratch); });
    }
    planned_seconds += planned.sum();
    replayed_seconds += replayed.sum();
    for (std::size_t i = 0; i < segments; ++i) bytes += static_cast<double>(pack(i).bytes());
  }
  const std::string label =
      row + "; " + std::to_string(columns[0]->size() * static_cast<std::size_t>(rounds)) + " segments";
  print("planning", label, "GB/s", bytes / replayed_seconds / 1e9);
  print("planning", label, "percent", 100 * (planned_seconds / replayed_seconds - 1));
}

void print_ratios(const char* table, const std::string& row, const Packs& packs) {
  print_ratio(table, row, "thesis's planner", packs,
              ColumnEncoder(std::make_unique<trees::EdgeStatPlanner>()));
  print_ratio(table, row, "balanced", packs, ColumnEncoder(Preset::balanced));
  print_ratio(table, row, "ratio", packs, ColumnEncoder(Preset::ratio));
}

}  // namespace floe::bench
