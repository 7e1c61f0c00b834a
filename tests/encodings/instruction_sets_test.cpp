// Do vectors and portable code make the same streams of random trees, and read the same of damaged ones? Each
// instruction set has a process of its own, since one never uses two. FLOE_TREES=N tries N trees.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "chunks/cpu/isa.hpp"
#include "core/splitmix.hpp"
#include "tests/series/columns.hpp"
#include "tests/series_cuda/trees.hpp"

namespace floe::test {
namespace {

constexpr const char* print_variable = "FLOE_PRINT_TREES";
constexpr unsigned changes_of_a_stream = 6;

std::uint64_t tree_count() {
  const char* wanted = std::getenv("FLOE_TREES");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : sanitized ? 100 : 1500;
}

DType type_of(std::uint64_t seed) { return word_types[core::splitmix(seed) % std::size(word_types)]; }

trees::Plan plan_of(std::uint64_t seed) {
  return random_plan(core::splitmix(seed + 3), type_of(seed), Drawn::every);
}

void add(std::uint64_t& hash, std::span<const std::uint8_t> bytes) {
  hash = core::splitmix(hash + bytes.size());
  for (const std::uint8_t byte : bytes) hash = core::splitmix(hash + byte);
}

/// What a stream holds, or which error it is.
void add_decoded(std::uint64_t& hash, std::span<const std::uint8_t> stream, Column& out) {
  const Status status = decode(stream, out);
  hash = core::splitmix(hash + static_cast<std::uint64_t>(status.code));
  if (status.ok()) add(hash, out.bytes);
}

/// Of a stream that the tree makes of a column, and of all that this and changes of it hold.
std::uint64_t hash_of(std::uint64_t seed) {
  static constexpr std::uint64_t counts[] = {1, 17, 300, 1024, 2500, 5000};
  const DType type = type_of(seed);
  auto columns = difficult_columns(type, counts[core::splitmix(seed + 1) % std::size(counts)]);
  const Column& column = columns[core::splitmix(seed + 2) % columns.size()].second;
  const std::vector<std::uint8_t> stream = ColumnEncoder(plan_of(seed)).encode(column.view());
  std::uint64_t hash = 0;
  add(hash, stream);
  Column out(type, column.count());
  add_decoded(hash, stream, out);
  EXPECT_EQ(out.bytes, column.bytes) << trees::text_of(plan_of(seed));
  for (std::uint64_t change = 0; change < changes_of_a_stream; ++change) {
    std::vector<std::uint8_t> damaged = stream;
    const std::uint64_t random = core::splitmix(change * 977 + seed);
    const std::size_t range = change % 2 == 0 ? std::min<std::size_t>(damaged.size(), 40) : damaged.size();
    damaged[random % range] = static_cast<std::uint8_t>(random >> 32);
    if (change == 0) damaged.resize(1 + random / 7 % damaged.size());
    add_decoded(hash, damaged, out);
  }
  return hash;
}

struct Close {
  void operator()(FILE* file) const { pclose(file); }
};

/// This program again, with another instruction set.
std::unique_ptr<FILE, Close> begin(cpu::Isa isa) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command = std::string(print_variable) + "=1 FLOE_ISA=" + std::string(cpu::name_of(isa)) +
                              " '" + program + "' --gtest_filter=InstructionSets.AgreeOnRandomTrees";
  return std::unique_ptr<FILE, Close>(popen(command.c_str(), "r"));
}

std::map<std::uint64_t, std::uint64_t> hashes_from(FILE* output) {
  std::map<std::uint64_t, std::uint64_t> hashes;
  char line[256];
  while (std::fgets(line, sizeof line, output) != nullptr) {
    unsigned long long seed = 0, hash = 0;
    if (std::sscanf(line, "tree %llu %llu", &seed, &hash) == 2) hashes[seed] = hash;
  }
  return hashes;
}

TEST(InstructionSets, AgreeOnRandomTrees) {
  if (std::getenv(print_variable) != nullptr) {
    for (std::uint64_t seed = 0; seed < tree_count(); ++seed)
      std::printf("tree %llu %llu\n", static_cast<unsigned long long>(seed),
                  static_cast<unsigned long long>(hash_of(seed)));
    return;
  }
  std::vector<std::pair<cpu::Isa, std::unique_ptr<FILE, Close>>> others;
  for (const cpu::Isa isa : cpu::available_isas())
    if (isa != cpu::active_isa()) others.emplace_back(isa, begin(isa));
  std::map<std::uint64_t, std::uint64_t> expected;
  for (std::uint64_t seed = 0; seed < tree_count(); ++seed) expected[seed] = hash_of(seed);
  for (const auto& [isa, output] : others) {
    const auto hashes = hashes_from(output.get());
    ASSERT_EQ(hashes.size(), expected.size()) << cpu::name_of(isa);
    for (const auto& [seed, hash] : hashes)
      ASSERT_EQ(hash, expected[seed])
          << cpu::name_of(isa) << ", tree " << seed << ": " << trees::text_of(plan_of(seed));
  }
  RecordProperty("cases", std::to_string(expected.size() * (1 + changes_of_a_stream) * others.size()));
}

}  // namespace
}  // namespace floe::test
