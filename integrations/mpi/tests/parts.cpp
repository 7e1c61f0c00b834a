// A program of the tests, run under mpirun: writes an array of which every rank has a part, and reads it
// back.
//
//   floe_mpi_parts PATH TREE_OR_GOAL DIVISION [STRETCH_BYTES [MEMORY_BYTES]]
//
// DIVISION says how many of every thousand elements each rank has, as numbers with commas: 0,1000 for two
// ranks, the last one of which has all. The first rank compares with floe::compress where a tree decides,
// prints what differs, and ends with 1.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "floe/mpi.hpp"

namespace {

using floe::DType;

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}

/// Element number i, the same on every rank and machine.
float element(std::uint64_t i) {
  const auto step = static_cast<std::uint32_t>(i * 2654435761u);
  return static_cast<float>(i % 5000) * 0.25f + static_cast<float>(step % 64) * 0.01f;
}

std::vector<std::uint64_t> division_of(const std::string& text, std::uint64_t count) {
  std::vector<std::uint64_t> ends;
  std::uint64_t thousandths = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    thousandths += std::strtoull(text.c_str() + at, nullptr, 10);
    ends.push_back(thousandths >= 1000 ? count : count * thousandths / 1000);
    at = comma + 1;
  }
  return ends;
}

std::vector<std::byte> read_file(const std::string& path) {
  std::vector<std::byte> bytes;
  if (std::FILE* file = std::fopen(path.c_str(), "rb")) {
    std::fseek(file, 0, SEEK_END);
    bytes.resize(static_cast<std::size_t>(std::ftell(file)));
    std::rewind(file);
    if (std::fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) bytes.clear();
    std::fclose(file);
  }
  return bytes;
}

bool is_goal(const std::string& how, floe::Goal& goal) {
  const char* const names[] = {"speed", "balance", "ratio", "max"};
  for (std::uint8_t i = 0; i < 4; ++i) {
    if (how != names[i]) continue;
    goal = static_cast<floe::Goal>(i);
    return true;
  }
  return false;
}

/// Every rank reads slices that lie in parts of others, too.
void read_slices(const floe::Reader& reader, std::uint64_t count, int rank) {
  expect(reader.info().element_count == count, "the number of elements");
  for (std::uint64_t i = 0; i < 8; ++i) {
    const std::uint64_t first = count * ((static_cast<std::uint64_t>(rank) * 3 + i * 5) % 17) / 17;
    const std::uint64_t length = std::min<std::uint64_t>(count - first, 1 + i * 3001);
    std::vector<float> values(length);
    const auto status = reader.decompress_slice(std::as_writable_bytes(std::span(values)), {first, length});
    expect(status.ok(), status.detail);
    for (std::uint64_t j = 0; j < length; ++j) {
      if (values[j] == element(first + j)) continue;
      expect(false, "an element");
      break;
    }
  }
}

void run(int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string path = argv[1], how = argv[2];
  const floe::Extent extent{{61, 7, 1501}, 3};
  const std::uint64_t count = *extent.element_count();
  const auto ends = division_of(argv[3], count);
  expect(ends.size() == static_cast<std::size_t>(ranks) && ends.back() == count, "the division of the test");
  const std::uint64_t begin = rank == 0 ? 0 : ends[static_cast<std::size_t>(rank) - 1],
                      end = ends[static_cast<std::size_t>(rank)];
  std::vector<float> part;
  for (std::uint64_t i = begin; i < end; ++i) part.push_back(element(i));

  floe::mpi::WriteOptions options;
  floe::Goal goal{};
  const bool is_planned = is_goal(how, goal);
  if (is_planned)
    options.compression.goal = goal;
  else
    options.compression.tree = how;
  options.compression.segment_bytes = 65536;
  options.compression.threads = 1;
  if (argc > 4) options.stretch_bytes = std::strtoull(argv[4], nullptr, 10);
  if (argc > 5) options.memory_bytes = std::strtoull(argv[5], nullptr, 10);
  const auto written =
      floe::mpi::write(MPI_COMM_WORLD, path, std::as_bytes(std::span(part)), DType::f32, extent, options);
  expect(written.ok(), written.detail);

  auto file = floe::mpi::File::open(MPI_COMM_WORLD, path);
  expect(bool(file), file.status().detail);
  if (file) {
    expect(file->reader().info().extent == extent, "the shape");
    read_slices(file->reader(), count, rank);
    expect(file->close().ok(), "closing");
  }
  if (rank != 0 || is_planned) return;
  std::vector<float> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(element(i));
  const auto frame = floe::compress(std::as_bytes(std::span(all)), DType::f32, extent, options.compression);
  expect(frame && *frame == read_file(path), "the file is not the frame of floe::compress");
}

/// What goes wrong on one rank is told by all, and leaves no file.
void run_failures(const std::string& folder) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool is_last = rank + 1 == ranks;
  const std::vector<std::byte> part(4096);
  const auto whole = floe::Extent::linear(1024 * static_cast<std::uint64_t>(ranks));
  const auto code = [&](const std::string& path, std::size_t bytes, const floe::Extent& extent,
                        const floe::mpi::WriteOptions& options = {}) {
    return floe::mpi::write(MPI_COMM_WORLD, path, std::span(part).first(bytes), DType::f32, extent, options)
        .code;
  };
  using enum floe::ErrorCode;
  const std::string path = folder + "/failed.floe";
  expect(code(folder + "/no/folder.floe", 4096, whole) == io_error, "a folder that is not there");
  expect(code(path, is_last ? 4095 : 4096, whole) == invalid_argument, "a part without whole elements");
  expect(code(path, is_last ? 4092 : 4096, whole) == invalid_argument, "parts that are not all");
  floe::mpi::WriteOptions options;
  options.stretch_bytes = 5;
  expect(code(path, 4096, whole, options) == invalid_argument, "stretches that cut segments");
  options = {};
  if (is_last) options.compression.tree = "no_tree";
  expect(code(path, 4096, whole, options) == invalid_argument, "a tree that is none");
  if (ranks > 1) {
    if (is_last) options.compression.tree = "spspeed";
    expect(code(path, 4096, whole, options) == invalid_argument, "ranks that disagree");
  }
  expect(read_file(path).empty() && read_file(path + ".tmp").empty(), "no file is left");

  expect(floe::mpi::File::open(MPI_COMM_WORLD, path).status().code == io_error, "a file that is not there");
  options = {};
  expect(code(path, 4096, whole) == ok, "a file to damage");
  if (rank == 0) {
    if (std::FILE* file = std::fopen(path.c_str(), "r+b")) {
      std::fseek(file, 5, SEEK_SET);
      std::fputc(0xee, file);
      std::fclose(file);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect(!floe::mpi::File::open(MPI_COMM_WORLD, path).status().ok(), "a damaged header");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc == 3 && std::strcmp(argv[1], "failures") == 0)
    run_failures(argv[2]);
  else if (argc > 3)
    run(argc, argv);
  else
    failures = 2;
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
