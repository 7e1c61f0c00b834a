// Do arrays and tables of more than 4 GiB, whose frames are larger than 4 GiB, too, go through the library in
// little memory? With FLOE_HUGE_GIB=6 in the environment only: it takes minutes, and that much room in the
// folder of temporary files.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/splitmix.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

std::uint64_t wanted_bytes() {
  const char* const text = std::getenv("FLOE_HUGE_GIB");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10) * gib;
}

/// A file that has no name.
class File {
 public:
  File() : file_(std::tmpfile()) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::fclose(file_); }
  Sink sink() {
    return [this](std::span<const std::byte> part) {
      bytes_ += part.size();
      return std::fwrite(part.data(), 1, part.size(), file_) == part.size() ? Status{} : full;
    };
  }
  ReadAt read_at() {
    return [this](std::uint64_t offset, std::span<std::byte> bytes) -> Status {
      const bool found = fseeko(file_, static_cast<off_t>(offset), SEEK_SET) == 0 &&
                         std::fread(bytes.data(), 1, bytes.size(), file_) == bytes.size();
      return found ? Status{} : Status{ErrorCode::io_error, 0, "cannot read"};
    };
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::FILE* file_;
  std::uint64_t bytes_ = 0;
};

/// 32-bit words, piece by piece: their upper 8 bits hardly change, the others say nothing.
void make_words(std::uint64_t piece, std::vector<std::byte>& bytes) {
  bytes.resize(piece_bytes);
  for (std::size_t i = 0; i < piece_bytes; i += 8) {
    const std::uint64_t word =
        (core::splitmix(piece * piece_bytes + i) & 0x00FFFFFF00FFFFFF) | (piece & 0x7F) * 0x0100000001000000;
    std::memcpy(bytes.data() + i, &word, sizeof word);
  }
}

/// Whole lines of text, about a piece of them, each with 64 digits that say nothing.
void make_lines(std::uint64_t piece, std::vector<std::byte>& bytes) {
  std::string text = piece == 0 ? "row,price,id\n" : "";
  for (std::uint64_t row = piece * 10'000; row < (piece + 1) * 10'000; ++row) {
    char line[128];
    const auto random = [&](std::uint64_t i) {
      return static_cast<unsigned long long>(core::splitmix(4 * row + i));
    };
    std::snprintf(line, sizeof line, "%llu,%llu.%02llu,%016llx%016llx%016llx%016llx\n",
                  static_cast<unsigned long long>(row), 1000 + random(0) % 9, random(0) / 16 % 100, random(0),
                  random(1), random(2), random(3));
    text += line;
  }
  const auto view = std::as_bytes(std::span(text));
  bytes.assign(view.begin(), view.end());
}

using MakePiece = void (*)(std::uint64_t piece, std::vector<std::byte>& bytes);

class HugeContent : public testing::Test {
 protected:
  void SetUp() override {
    if (wanted_bytes() == 0) GTEST_SKIP() << "FLOE_HUGE_GIB is not set";
  }
  void TearDown() override {
    if (IsSkipped()) return;  // what other tests of the process took does not count
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    RecordProperty("peak_mib", static_cast<int>(usage.ru_maxrss / 1024));
    EXPECT_LT(usage.ru_maxrss / 1024, 1024) << "MiB of memory";
  }
  /// The number of pieces written.
  static std::uint64_t write(Result<Writer>& writer, MakePiece make) {
    EXPECT_TRUE(writer);
    std::vector<std::byte> bytes;
    std::uint64_t pieces = 0;
    for (std::uint64_t written = 0; written < wanted_bytes(); written += bytes.size(), ++pieces) {
      make(pieces, bytes);
      const Status status = writer->write(bytes);
      EXPECT_TRUE(status.ok()) << status.message();
    }
    EXPECT_TRUE(writer->finish().ok());
    return pieces;
  }
  /// Takes bytes that shall be those of the pieces.
  static Sink comparison(MakePiece make, std::uint64_t& compared) {
    return [=, &compared, piece = std::uint64_t{0}, expected = std::vector<std::byte>{},
            at = std::size_t{0}](std::span<const std::byte> part) mutable {
      while (!part.empty()) {
        if (at == expected.size()) make(piece++, expected), at = 0;
        const std::size_t both = std::min(part.size(), expected.size() - at);
        if (std::memcmp(part.data(), expected.data() + at, both) != 0)
          return Status{ErrorCode::io_error, 0, "other bytes"};
        at += both, compared += both, part = part.subspan(both);
      }
      return Status{};
    };
  }
  static void expect_stream_restores(File& file, MakePiece make, std::uint64_t content_bytes) {
    std::uint64_t compared = 0;
    StreamReader stream(comparison(make, compared));
    std::vector<std::byte> bytes(piece_bytes);
    const ReadAt read_at = file.read_at();
    for (std::uint64_t at = 0; at < file.bytes(); at += bytes.size()) {
      bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, file.bytes() - at)));
      ASSERT_TRUE(read_at(at, bytes).ok());
      const Status status = stream.write(bytes);
      ASSERT_TRUE(status.ok()) << status.message();
    }
    ASSERT_TRUE(stream.finish().ok());
    EXPECT_EQ(compared, content_bytes);
  }
};

TEST_F(HugeContent, Arrays) {
  for (const char* tree : {"", "spspeed"}) {
    File file;
    Options options;
    options.tree = tree;
    options.goal = Goal::speed;
    auto writer = Writer::create(file.sink(), DType::f32, {}, options);
    const std::uint64_t content_bytes = write(writer, make_words) * piece_bytes;
    EXPECT_GT(file.bytes(), content_bytes / 2);
    expect_stream_restores(file, make_words, content_bytes);
    const auto reader = Reader::open(file.read_at(), file.bytes());
    ASSERT_TRUE(reader);
    ASSERT_EQ(reader->info().array_bytes(), content_bytes);
    std::vector<std::byte> words(piece_bytes), expected;
    for (const std::uint64_t piece :
         {std::uint64_t{0}, 2 * gib / piece_bytes - 1, 2 * gib / piece_bytes, 4 * gib / piece_bytes - 1,
          4 * gib / piece_bytes, content_bytes / piece_bytes - 1}) {
      if (piece >= content_bytes / piece_bytes) continue;
      make_words(piece, expected);
      ASSERT_TRUE(reader->decompress_slice(words, {piece * piece_bytes / 4, piece_bytes / 4}).ok());
      EXPECT_TRUE(words == expected) << piece;
    }
  }
}

TEST_F(HugeContent, Tables) {
  File file;
  auto writer = Writer::create(file.sink(), TableOptions{}, {.goal = Goal::speed});
  const std::uint64_t pieces = write(writer, make_lines);
  std::uint64_t compared = 0;
  const auto reader = Reader::open(file.read_at(), file.bytes());
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->info().element_count, pieces * 10'000);
  const Status status = reader->restore(comparison(make_lines, compared));
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_GE(compared, wanted_bytes());
  expect_stream_restores(file, make_lines, compared);
  std::vector<std::uint64_t> rows(10'000);
  const std::uint64_t first = (pieces - 1) * 10'000;
  ASSERT_TRUE(reader->read_values(0, {first, 10'000}, std::as_writable_bytes(std::span(rows))).ok());
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], first + i);
}

TEST_F(HugeContent, InMemory) {
  // Pages that nobody writes to are one page of zeros.
  const std::size_t size = wanted_bytes();
  void* const pages = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  const std::span content(static_cast<const std::byte*>(pages), size);
  for (const char* tree : {"", "spspeed", "rle,bitpack,bitpack"}) {
    const DType type = *tree == 'r' ? DType::u8 : DType::f32;
    const auto frame =
        compress(content, type, Extent::linear(size / size_of(type)), {.goal = Goal::speed, .tree = tree});
    ASSERT_TRUE(frame) << frame.status().message();
    const auto reader = Reader::open(*frame);
    ASSERT_TRUE(reader);
    std::uint64_t zeros = 0;
    const Status status = reader->restore([&](std::span<const std::byte> part) {
      if (std::memcmp(part.data(), pages, part.size()) == 0) zeros += part.size();
      return Status{};
    });
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(zeros, size);
    std::vector<std::byte> end(1000, std::byte{1});
    ASSERT_TRUE(reader->decompress_slice(end, {(size - 1000) / size_of(type), 1000 / size_of(type)}).ok());
    EXPECT_TRUE(end == std::vector<std::byte>(1000));
  }
  munmap(pages, size);
}

}  // namespace
}  // namespace floe::test
