#include "program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

namespace floe::bench {

int run_program(int count, char** words, Arguments arguments, Takes takes,
                const std::function<void(const Arguments&)>& body) {
  CLI::App app;
  app.add_option("--bytes", arguments.bytes, "size of arrays and columns")->capture_default_str();
  app.add_option("--runs", arguments.runs, "timed runs, of which the median counts")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  if (takes.sweep) app.add_flag("--sweep", arguments.sweep, "many sizes instead of one");
  if (takes.only) app.add_option("--only", arguments.only, "the only codec or tree to measure");
  if (takes.segments != nullptr)
    app.add_option("--segments", arguments.segments, takes.segments)->check(CLI::PositiveNumber);
  if (takes.files)
    app.add_option("FILES", arguments.files,
                   "raw little-endian arrays whose names say the type: x_f32_721x1440.bin")
        ->required();
  CLI11_PARSE(app, count, words);
  try {
    body(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", words[0], error.what());
    return 1;
  }
  return 0;
}

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

std::vector<std::byte> read_joined(const std::vector<std::string>& files, const std::string& type) {
  std::vector<std::byte> all;
  for (const std::string& file : files) {
    if (file.find(type) == std::string::npos) continue;
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + file);
    const std::vector<char> content{std::istreambuf_iterator<char>(in), {}};
    const auto view = std::as_bytes(std::span(content));
    all.insert(all.end(), view.begin(), view.end());
  }
  if (all.empty()) throw std::runtime_error("no file has " + type + " in its name");
  return all;
}

std::vector<std::byte> read_repeated(const std::vector<std::string>& files, const std::string& type,
                                     std::uint64_t bytes) {
  std::vector<std::byte> all = read_joined(files, type);
  const std::size_t once = all.size();
  all.resize(bytes);
  for (std::size_t i = once; i < all.size(); ++i) all[i] = all[i - once];
  return all;
}

double median_seconds(int runs, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int run = -1; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    if (run >= 0)
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace floe::bench
