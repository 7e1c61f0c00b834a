// Speed of encoding columns in the memory of a device. Prints CSV, one line per tree, data and length of
// segments, with the copy rate of the same run: rates are those of the words, which a copy both reads and
// writes. Then the optimizer: samples, plans and encoding of a column of which nothing is known, batch by
// batch.
//
//   series_encode [--bytes N] [--runs N] [--only TREE|DATA|optimizer] [--segments WORDS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "device_work.hpp"
#include "floe/cuda.hpp"
#include "gpu/host/columns/gather_windows.hpp"
#include "plan/search/finalists.hpp"
#include "plan/search/windows.hpp"
#include "series_cases.hpp"
#include "tests/series/columns.hpp"

namespace {

using floe::bench::Arguments;
using floe::bench::check;
using floe::bench::DeviceBuffer;
using floe::bench::measure;
using floe::bench::SeriesCase;
using floe::bench::Times;

/// Times with the clock of the host, of work that waits for the device.
Times measure_waiting(int runs, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int run = -2; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    check(cudaDeviceSynchronize());
    if (run >= 0)
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return floe::bench::times_of(std::move(seconds));
}

/// Copies of the data in device memory, and what is made of them.
struct EncodeCase {
  DeviceBuffer words, out, directory, result;
  floe::cuda::ColumnEncode call;
  std::uint64_t segment_count;

  EncodeCase(const SeriesCase& what, std::uint32_t segment_words, std::uint64_t bytes)
      : words(bytes),
        out(floe::cuda::encoded_column_bound(bytes / floe::size_of(what.type), segment_words,
                                             static_cast<std::uint32_t>(floe::size_of(what.type)))),
        directory((bytes / segment_words + 1) * sizeof(floe::cuda::SegmentEntry)),
        result(sizeof(floe::cuda::ItemResult)) {
    const std::uint64_t width = floe::size_of(what.type), count = bytes / width;
    std::uint64_t there = std::min<std::uint64_t>(what.words.size(), bytes);
    check(cudaMemcpy(words.data, what.words.data(), there, cudaMemcpyHostToDevice));
    for (; there < bytes; there += std::min(there, bytes - there))
      check(cudaMemcpy(words.data + there, words.data, std::min(there, bytes - there),
                       cudaMemcpyDeviceToDevice));
    segment_count = (count + segment_words - 1) / segment_words;
    call.words = words.data;
    call.word_count = count;
    call.segment_words = segment_words;
    call.type = what.type;
    call.out = out.data;
    call.out_bytes = out.bytes;
    call.segments = reinterpret_cast<floe::cuda::SegmentEntry*>(directory.data);
    call.result = reinterpret_cast<floe::cuda::ItemResult*>(result.data);
  }
  [[nodiscard]] floe::cuda::ItemResult outcome() const {
    floe::cuda::ItemResult outcome;
    check(cudaMemcpy(&outcome, result.data, sizeof outcome, cudaMemcpyDeviceToHost));
    return outcome;
  }
};

void print(const SeriesCase& what, const std::string& tree, std::uint32_t segment_words, const char* kind,
           const EncodeCase& made, const Times& times, double copy_rate, const char* verdict) {
  const auto bytes = static_cast<double>(made.words.bytes);
  std::printf("\"%s\",\"%s\",%s,%u,%llu,%.4f,%s,%.6f,%.6f,%.1f,%.3f,%s\n", what.data.c_str(), tree.c_str(),
              std::string(name_of(what.type)).c_str(), segment_words,
              static_cast<unsigned long long>(made.words.bytes),
              static_cast<double>(made.outcome().bytes) / bytes, kind, times.median, times.fastest,
              bytes / times.median * 1e-9, bytes / times.median / copy_rate, verdict);
  std::fflush(stdout);
}

void run_case(const SeriesCase& what, std::uint32_t segment_words, const Arguments& settings,
              double copy_rate) {
  EncodeCase made(what, segment_words, settings.bytes);
  const std::uint64_t width = floe::size_of(what.type);
  floe::trees::Scratch scratch;
  const floe::trees::ColumnView all{what.type, what.words.data(), what.words.size() / width};
  const floe::trees::Plan plan =
      what.tree.empty()
          ? plan_windows(windows_of(all, floe::trees::planning_window_words, floe::trees::planning_windows),
                         std::min<std::uint64_t>(all.count, segment_words), floe::gpu::encode_objective(), 5,
                         scratch)
          : floe::trees::plan_from_text(what.tree, what.type).value();
  const std::string text = text_of(plan);
  const std::string_view tree = text;
  const DeviceBuffer workspace(floe::cuda::encode_workspace_size({&made.call, 1}, {&tree, 1}).value());
  const Times times = measure(settings.runs, [&] {
    floe::cuda::encode_columns_async({&made.call, 1}, {&tree, 1}, {workspace.data, workspace.bytes}, nullptr)
        .or_throw();
  });
  // The first segments as the CPU makes them.
  bool is_same = made.outcome().code == 0;
  std::vector<floe::cuda::SegmentEntry> entries(std::min<std::uint64_t>(made.segment_count, 3));
  check(cudaMemcpy(entries.data(), made.directory.data, entries.size() * sizeof(entries[0]),
                   cudaMemcpyDeviceToHost));
  for (std::size_t i = 0;
       i < entries.size() && is_same && (i + 1) * segment_words * width <= what.words.size(); ++i) {
    const auto bytes = floe::test::ColumnEncoder(plan).encode(
        {what.type, what.words.data() + i * segment_words * width, segment_words});
    std::vector<std::uint8_t> ours(entries[i].bytes);
    check(cudaMemcpy(ours.data(), made.out.data + entries[i].offset, ours.size(), cudaMemcpyDeviceToHost));
    is_same = ours == bytes;
  }
  print(what, text, segment_words, "encode", made, times, copy_rate, is_same ? "same" : "DIFFERENT");
}

/// The optimizer on data of which nothing is known, and on data of a kind that it has seen: windows, plans,
/// encoding. Says what planning adds to the time of known data.
void run_planned(const SeriesCase& what, EncodeCase& made, std::uint64_t batch_bytes, int runs,
                 double copy_rate) {
  auto encoder = floe::cuda::PlannedEncoder::create(what.type, made.call.word_count, made.call.segment_words,
                                                    batch_bytes / floe::size_of(what.type))
                     .value();
  const auto measure_planned = [&](bool forgets) {
    return measure_waiting(runs, [&] {
      if (forgets) encoder.forget();
      encoder.encode(made.call, nullptr).or_throw();
    });
  };
  const Times planned = measure_planned(true), known = measure_planned(false);
  char added[48];
  std::snprintf(added, sizeof added, "planning adds %.1f %%", (planned.median / known.median - 1) * 100);
  const std::string batches = std::to_string(made.words.bytes / batch_bytes), &tree = encoder.trees().back();
  print(what, tree, made.call.segment_words, (batches + " batches planned").c_str(), made, planned, copy_rate,
        added);
  print(what, tree, made.call.segment_words, (batches + " batches of a known kind").c_str(), made, known,
        copy_rate, "");
}

/// In 1, 4 and 16 batches; then a column 16 times as long, if there is memory for it, in 16 batches.
void run_planned(const SeriesCase& what, std::uint32_t segment_words, const Arguments& settings,
                 double copy_rate) {
  {
    EncodeCase made(what, segment_words, settings.bytes);
    for (const std::uint64_t batches : {1, 4, 16})
      run_planned(what, made, settings.bytes / batches, settings.runs, copy_rate);
  }
  constexpr std::uint64_t times_longer = 16;
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all));
  if (free / 5 * 2 < settings.bytes * times_longer)
    return;  // words, encoded words in the worst case, and some for work
  EncodeCase longer(what, segment_words, settings.bytes * times_longer);
  run_planned(what, longer, settings.bytes, settings.runs, copy_rate);
}

void run(const Arguments& settings) {
  const std::vector<SeriesCase> cases = floe::bench::series_cases(std::uint64_t{1} << 20, settings.only);
  const double copy_rate = floe::bench::print_series_header(settings);
  std::vector<std::uint32_t> lengths = {1u << 14, 1u << 16, 1u << 18};
  if (settings.segments != 0) lengths = {settings.segments};
  for (const SeriesCase& what : cases) {
    for (const std::uint32_t segment_words : lengths) run_case(what, segment_words, settings, copy_rate);
    if (what.tree.empty())
      run_planned(what, settings.segments != 0 ? settings.segments : 1u << 16, settings, copy_rate);
  }
}

}  // namespace

int main(int count, char** words) {
  return floe::bench::run_program(
      count, words, {.bytes = std::uint64_t{256} << 20, .runs = 9},
      {.only = true, .segments = "words of a segment, instead of several lengths"}, run);
}
