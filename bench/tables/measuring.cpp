#include "measuring.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "chunks/leaf_decoder.hpp"
#include "research/edge_stat_planner.hpp"
#include "tests/support/streams_by_cpu.hpp"

namespace floe::bench {
namespace {

using pipeline::StreamCoder;
using rows::Words;
using trees::Preset;

constexpr std::size_t group_bytes = std::size_t{64} << 20, max_group_segments = 8;

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

trees::ColumnView view_of(const Words& words) { return {words.type(), words.data(), words.count()}; }

/// Encodes streams in one thread, group by group.
class Encoder {
 public:
  void encode(std::vector<pipeline::StreamJob>& jobs) {
    for (std::size_t begin = 0, end = 0; begin < jobs.size(); begin = end) {
      std::uint64_t bytes = 0;
      while (end < jobs.size() && end - begin < max_group_segments && bytes < group_bytes)
        bytes += jobs[end++].words.bytes();
      encoder_.encode(std::span(jobs).subspan(begin, end - begin)).or_throw();
    }
  }

 private:
  core::Workers this_thread_{1, nullptr};
  Options options_;
  pipeline::GroupEncoder encoder_{this_thread_, options_};
};

/// The trees of the parts of a stream.
std::vector<trees::StreamPart> parts_of(const trees::ColumnView& words,
                                        const std::vector<std::uint8_t>& encoded) {
  if (const auto leaf = chunks::leaf_of_front(encoded, size_of(words.type)))
    return {{words.count, {{{trees::EncodingId::codec, {leaf->codec->id, leaf->dimensionality}}}}}};
  return trees::parts_of(encoded, words.type, words.count).value();
}

/// Jobs that encode a column again with the trees that were chosen: what is left of encoding without
/// planning.
class Replay {
 public:
  void add(const trees::ColumnView& pack, const std::vector<std::uint8_t>& encoded) {
    const auto* words = static_cast<const std::uint8_t*>(pack.values);
    for (const trees::StreamPart& part : parts_of(pack, encoded)) {
      coders_.push_back(std::make_unique<StreamCoder>(part.plan));
      jobs_.push_back({.coder = coders_.back().get(), .words = {pack.type, words, part.count}});
      words += part.count * size_of(pack.type);
    }
  }
  std::vector<pipeline::StreamJob>& jobs() { return jobs_; }

 private:
  std::vector<std::unique_ptr<StreamCoder>> coders_;
  std::vector<pipeline::StreamJob> jobs_;
};

void check_decoding(const Packs& packs, const Encoded& encoded) {
  for (std::size_t i = 0; i < packs.size(); ++i) {
    Words again(packs[i].type(), packs[i].count());
    decode(encoded.packs[i], again);
    if (std::ranges::equal(again.bytes(), packs[i].bytes())) continue;
    std::fprintf(stderr, "a pack does not come back\n");
    std::exit(1);
  }
}

void print_ratio(const char* table, const std::string& row, const char* planner, const Packs& packs,
                 StreamCoder&& coder) {
  const Encoded encoded = encode(packs, coder);
  check_decoding(packs, encoded);
  print(table, row, planner, encoded.ratio());
}

StreamCoder coder_of(Preset preset) { return StreamCoder(trees::objective_of(preset)); }

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

Encoded encode(const Packs& packs, StreamCoder& coder) {
  std::vector<pipeline::StreamJob> jobs;
  for (const Words& pack : packs) jobs.push_back({.coder = &coder, .words = view_of(pack)});
  Encoder().encode(jobs);
  Encoded result;
  for (pipeline::StreamJob& job : jobs) {
    result.in_bytes += job.words.bytes();
    result.out_bytes += job.bytes.size();
    result.packs.push_back(std::move(job.bytes));
  }
  return result;
}

void decode(const std::vector<std::uint8_t>& encoded, Words& to) {
  const StreamToDecode stream{
      .bytes = std::as_bytes(std::span(encoded)), .type = to.type(), .count = to.count(), .words = to.data()};
  const bool is_codec = chunks::leaf_of_front(encoded, size_of(to.type())).has_value();
  if (is_codec ? test::decode_by_cpu(stream)
               : trees::decode_stream(encoded, to.type(), to.count(), to.data()).ok())
    return;
  std::fprintf(stderr, "a pack cannot be decoded\n");
  std::exit(1);
}

double ratio_of_search_for_each_pack(const Packs& packs) {
  std::uint64_t in_bytes = 0, out_bytes = 0;
  for (const Words& pack : packs) {
    StreamCoder coder = coder_of(Preset::ratio);
    std::vector<pipeline::StreamJob> job = {{.coder = &coder, .words = view_of(pack)}};
    Encoder().encode(job);
    in_bytes += job[0].words.bytes();
    out_bytes += job[0].bytes.size();
  }
  return static_cast<double>(in_bytes) / static_cast<double>(out_bytes);
}

void print_planning(const std::string& row, const std::vector<const Packs*>& columns, int rounds) {
  constexpr int runs = 9;
  double planned_seconds = 0, replayed_seconds = 0, bytes = 0;
  for (const Packs* packs : columns) {
    std::vector<pipeline::StreamJob> jobs;
    for (int round = 0; round < rounds; ++round) {
      for (const Words& pack : *packs) jobs.push_back({.words = view_of(pack)});
    }
    double planned = 1e9, replayed = 1e9;
    std::optional<Replay> replay;
    Encoder encoder;                        // of both, so that neither waits for memory
    for (int run = 0; run < runs; ++run) {  // in turns, so that what disturbs meets both
      StreamCoder coder = coder_of(Preset::balanced);
      for (pipeline::StreamJob& job : jobs) job.coder = &coder;
      planned = std::min(planned, seconds_of([&] { encoder.encode(jobs); }));
      if (!replay) {
        replay.emplace();
        for (const pipeline::StreamJob& job : jobs) replay->add(job.words, job.bytes);
      }
      replayed = std::min(replayed, seconds_of([&] { encoder.encode(replay->jobs()); }));
    }
    planned_seconds += planned;
    replayed_seconds += replayed;
    for (const pipeline::StreamJob& job : jobs) bytes += static_cast<double>(job.words.bytes());
  }
  const std::string label =
      row + "; " + std::to_string(columns[0]->size() * static_cast<std::size_t>(rounds)) + " segments";
  print("planning", label, "GB/s", bytes / replayed_seconds / 1e9);
  print("planning", label, "percent", 100 * (planned_seconds / replayed_seconds - 1));
}

void print_ratios(const char* table, const std::string& row, const Packs& packs) {
  print_ratio(table, row, "thesis's planner", packs, StreamCoder(std::make_unique<trees::EdgeStatPlanner>()));
  print_ratio(table, row, "balanced", packs, coder_of(Preset::balanced));
  print_ratio(table, row, "ratio", packs, coder_of(Preset::ratio));
}

}  // namespace floe::bench
