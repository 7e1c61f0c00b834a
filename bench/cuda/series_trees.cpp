// Speed of decoding trees of encodings in the memory of a device. Prints CSV, one line per tree, data and
// length of segments, with the copy rate of the same run: rates are those of the words, which a copy both
// reads and writes.
//
//   series_trees [--bytes N] [--runs N] [--only TREE|DATA] [--segments WORDS]
#include <algorithm>
#include <cstdio>
#include <cstring>
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

void write(const DeviceBuffer& to, const void* from, std::uint64_t count, std::uint64_t offset = 0) {
  check(cudaMemcpy(to.data + offset, from, count, cudaMemcpyHostToDevice));
}

/// Decodes copies of the encoded segments, up to the wanted number of bytes.
void run_case(const SeriesCase& what, std::uint32_t segment_words, const Arguments& settings,
              double copy_rate) {
  const std::uint64_t width = floe::size_of(what.type), words = settings.bytes / width;
  const floe::trees::ColumnView all{what.type, what.words.data(), what.words.size() / width};
  floe::trees::Scratch scratch;
  floe::test::ColumnEncoder encoder(
      what.tree.empty()
          ? plan_windows(windows_of(all, floe::trees::planning_window_words, floe::trees::planning_windows),
                         std::min<std::uint64_t>(all.count, segment_words), floe::gpu::encode_objective(), 5,
                         scratch)
          : floe::trees::plan_from_text(what.tree, what.type).value());
  std::vector<std::uint8_t> encoded;
  std::vector<floe::cuda::SegmentEntry> some;
  for (std::uint64_t first = 0; first + segment_words <= all.count; first += segment_words) {
    const auto bytes = encoder.encode({what.type, what.words.data() + first * width, segment_words});
    some.push_back({encoded.size(), static_cast<std::uint32_t>(bytes.size()), segment_words});
    encoded.insert(encoded.end(), bytes.begin(), bytes.end());
    encoded.resize((encoded.size() + 15) / 16 * 16);
  }
  const std::span first_segment(encoded.data(), some.front().bytes);
  const floe::trees::Plan plan =
      floe::trees::parts_of(first_segment, what.type, segment_words).value().front().plan;
  const std::uint64_t segment_count = std::max<std::uint64_t>(1, words / segment_words),
                      copies = (segment_count + some.size() - 1) / some.size();
  const DeviceBuffer data(copies * encoded.size() + 16), out(segment_count * segment_words * width),
      directory(segment_count * sizeof(floe::cuda::SegmentEntry));
  for (std::uint64_t copy = 0; copy < copies; ++copy)
    write(data, encoded.data(), encoded.size(), copy * encoded.size());
  std::vector<floe::cuda::SegmentEntry> segments(segment_count);
  std::uint64_t stored = 0;
  for (std::uint64_t i = 0; i < segment_count; ++i) {
    segments[i] = some[i % some.size()];
    segments[i].offset += i / some.size() * encoded.size();
    stored += segments[i].bytes;
  }
  write(directory, segments.data(), directory.bytes);
  const DeviceBuffer workspace(
      floe::cuda::decode_workspace_size(segment_words, static_cast<std::uint32_t>(width), segment_count)
          .value());
  const DeviceBuffer result(sizeof(floe::cuda::ItemResult));
  floe::cuda::ColumnDecode call;
  call.column = {data.data,
                 data.bytes,
                 reinterpret_cast<const floe::cuda::SegmentEntry*>(directory.data),
                 segment_count * segment_words,
                 segment_words,
                 what.type};
  call.out = out.data;
  call.out_bytes = out.bytes;
  call.result = reinterpret_cast<floe::cuda::ItemResult*>(result.data);
  const Times times = measure(settings.runs, [&] {
    floe::cuda::decode_columns_async({&call, 1}, {workspace.data, workspace.bytes}, nullptr).or_throw();
  });
  floe::cuda::ItemResult outcome;
  check(cudaMemcpy(&outcome, result.data, sizeof outcome, cudaMemcpyDeviceToHost));
  std::vector<std::uint8_t> decoded(some.size() * segment_words * width);
  check(cudaMemcpy(decoded.data(), out.data, std::min<std::uint64_t>(decoded.size(), out.bytes),
                   cudaMemcpyDeviceToHost));
  const bool is_same =
      outcome.code == 0 &&
      std::memcmp(decoded.data(), what.words.data(), std::min<std::uint64_t>(decoded.size(), out.bytes)) == 0;
  const double bytes = static_cast<double>(out.bytes);
  std::printf("\"%s\",\"%s\",%s,%u,%llu,%.4f,decode,%.6f,%.6f,%.1f,%.3f,%s\n", what.data.c_str(),
              text_of(plan).c_str(), std::string(name_of(what.type)).c_str(), segment_words,
              static_cast<unsigned long long>(out.bytes), static_cast<double>(stored) / bytes, times.median,
              times.fastest, bytes / times.median * 1e-9, bytes / times.median / copy_rate,
              is_same ? "same" : "DIFFERENT");
  std::fflush(stdout);
}

void run(const Arguments& settings) {
  const std::vector<SeriesCase> cases = floe::bench::series_cases(std::uint64_t{1} << 20, settings.only);
  const double copy_rate = floe::bench::print_series_header(settings);
  std::vector<std::uint32_t> lengths = {28u << 10, 56u << 10, 1u << 16, 1u << 20};
  if (settings.segments != 0) lengths = {settings.segments};
  for (const SeriesCase& what : cases) {
    for (const std::uint32_t segment_words : lengths) run_case(what, segment_words, settings, copy_rate);
  }
}

}  // namespace

int main(int count, char** words) {
  return floe::bench::run_program(
      count, words, {.bytes = std::uint64_t{256} << 20, .runs = 9},
      {.only = true, .segments = "words of a segment, instead of several lengths"}, run);
}
