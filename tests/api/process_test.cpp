// Does the library go on in a child process, in very many contexts at once, and where the system gives no
// more memory?
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

/// What `work` returns in a child process: 0 to 98; 99 if it throws, 100 if it is killed, or takes a minute.
template <class Work>
int in_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    try {
      _exit(work());
    } catch (...) {
      _exit(99);
    }
  }
  int state = 0;
  waitpid(child, &state, 0);
  return WIFEXITED(state) ? WEXITSTATUS(state) : 100;
}

bool comes_back(const ArrayCase& c, const Bytes& content, std::uint32_t threads) {
  Options options = c.options();
  options.threads = threads;
  options.segment_bytes = 65536;
  const auto frame =
      compress(view_of(content), c.dtype, Extent::linear(content.size() / c.word_bytes()), options);
  if (!frame) return false;
  Bytes back(content.size());
  const auto reader = Reader::open(*frame);
  return reader && reader->decompress(room_of(back), {.threads = threads}).ok() && back == content;
}

TEST(Processes, ForkedWhileOthersWork) {
  if (sanitized && !counted)
    GTEST_SKIP() << "the sanitizers' allocators may be locked for ever in a child of a process with threads";
  const ArrayCase c{DType::f64};
  const Bytes content = c.sample(4, 400'000, 1);
  ASSERT_TRUE(comes_back(c, content, 3));
  std::atomic<bool> stop{false};
  std::atomic<unsigned> wrong{0};
  std::vector<std::jthread> others;
  for (const std::uint32_t threads : {1u, 3u})
    others.emplace_back([&, threads] {
      while (!stop) wrong += !comes_back(c, content, threads);
    });
  for (int child = 0; child < 40 && !HasFailure(); ++child)
    EXPECT_EQ(in_child([&] { return comes_back(c, content, 1 + 2 * (child % 2)) ? 0 : 1; }), 0) << child;
  stop = true;
  others.clear();
  EXPECT_EQ(wrong, 0u);
}

TEST(Processes, ReadersAndOpenWritersLiveOnInBoth) {
  const Bytes content = ArrayCase{DType::u32}.sample(2, 600'000, 1);
  const auto half = view_of(content).first(300'000), rest = view_of(content).subspan(300'000);
  Bytes frame;
  Options options{.threads = 1, .segment_bytes = 65536};
  auto writer = Writer::create(sink_to(frame), DType::u32, {}, options);
  ASSERT_TRUE(writer && writer->write(half).ok());
  const Bytes complete = frame_of(content, DType::u32, options);
  const auto reader = Reader::open(view_of(complete));
  ASSERT_TRUE(reader);
  const auto go_on = [&] {
    if (!writer->write(rest).ok() || !writer->finish().ok() || frame != complete) return 1;
    Bytes back(content.size());
    return reader->decompress(room_of(back), {.threads = 2}).ok() && back == content ? 0 : 2;
  };
  EXPECT_EQ(in_child(go_on), 0);
  EXPECT_EQ(go_on(), 0);
}

TEST(Processes, ManyContextsAtOnce) {
  const ArrayCase c{DType::i32, {}, Goal::speed};
  const std::size_t contexts = sanitized ? 50 : 300, piece = 7000;
  std::vector<Bytes> contents, frames(contexts), back(contexts);
  std::vector<Writer> writers;
  std::vector<StreamReader> readers;
  for (std::size_t i = 0; i < contexts; ++i) {
    contents.push_back(c.sample(i % content_names().size(), 28'000, i));
    auto writer = Writer::create(sink_to(frames[i]), c.dtype, {}, c.options());
    ASSERT_TRUE(writer);
    writers.push_back(std::move(*writer));
    readers.emplace_back(sink_to(back[i]), one_thread);
  }
  for (std::size_t at = 0; at < 28'000; at += piece)
    for (std::size_t i = 0; i < contexts; ++i)
      ASSERT_TRUE(writers[i].write(view_of(contents[i]).subspan(at, piece)).ok());
  for (Writer& writer : writers) ASSERT_TRUE(writer.finish().ok());
  for (std::size_t i = 0; i < contexts; ++i)
    ASSERT_TRUE(frames[i] == frame_of(contents[i], c.dtype, c.options()));
  for (std::size_t at = 0, open = 1; open > 0; at += 1000) {
    open = 0;
    for (std::size_t i = 0; i < contexts; ++i) {
      if (at >= frames[i].size()) continue;
      ++open;
      ASSERT_TRUE(
          readers[i]
              .write(view_of(frames[i]).subspan(at, std::min<std::size_t>(1000, frames[i].size() - at)))
              .ok());
    }
  }
  for (std::size_t i = 0; i < contexts; ++i) {
    ASSERT_TRUE(readers[i].finish().ok());
    ASSERT_TRUE(back[i] == contents[i]);
  }
}

/// Bytes of address space that this process has.
std::size_t address_space() {
  std::size_t pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu", &pages) != 1) pages = 0;
  if (file != nullptr) std::fclose(file);
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// More and more address space beyond what the process has, until it is enough for the call.
TEST(Processes, LittleAddressSpaceIsAnErrorOrEnough) {
  if (sanitized) GTEST_SKIP() << "sanitizers need more address space than there is";
  // So that the allocator keeps nothing that the calls could use.
  mallopt(M_MMAP_THRESHOLD, 1 << 14);
  mallopt(M_ARENA_MAX, 1);
  const std::string text = some_csv(20'000);
  const Bytes array = ArrayCase{DType::f64}.sample(4, 8'000'000, 1);
  Options options{.threads = 3};
  const Bytes table_frame = table_of(text, {}, options), array_frame = frame_of(array, DType::f64, options);
  release_memory();
  enum Outcome : int { right, no_memory, wrong_error, wrong_bytes };
  const auto outcome = [](const Status& status, bool same) -> int {
    if (status.ok()) return same ? right : wrong_bytes;
    return status.code == ErrorCode::out_of_memory ? no_memory : wrong_error;
  };
  const std::function<int()> calls[] = {
      [&] {
        const auto frame = compress(view_of(array), DType::f64, Extent::linear(1'000'000), options);
        return outcome(frame.status(), frame && std::ranges::equal(*frame, view_of(array_frame)));
      },
      [&] {
        const auto back = decompress<double>(view_of(array_frame), {.threads = 3});
        return outcome(back.status(),
                       back && std::ranges::equal(std::as_bytes(std::span(*back)), view_of(array)));
      },
      [&] {
        std::size_t bytes = 0;
        auto writer = Writer::create(
            [&](std::span<const std::byte> part) {
              bytes += part.size();
              return Status{};
            },
            TableOptions{}, options);
        if (!writer) return outcome(writer.status(), false);
        Status status = writer->write(std::as_bytes(std::span(text)));
        if (status.ok()) status = writer->finish();
        return outcome(status, bytes == table_frame.size());
      },
      [&] {
        std::size_t bytes = 0;
        const auto reader = Reader::open(view_of(table_frame));
        if (!reader) return outcome(reader.status(), false);
        const Status status = reader->restore(
            [&](std::span<const std::byte> part) {
              bytes += part.size();
              return Status{};
            },
            {.threads = 3});
        return outcome(status, bytes == text.size());
      }};
  for (const auto& call : calls) {
    int refused = 0, served = 0;
    for (std::size_t room = std::size_t{1} << 16; served < 3; room += room / 8) {
      ASSERT_LT(room, std::size_t{1} << 30) << "call " << &call - calls;
      const int found = in_child([&] {
        const rlimit limit{address_space() + room, RLIM_INFINITY};
        setrlimit(RLIMIT_AS, &limit);
        return call();
      });
      ASSERT_LE(found, no_memory) << "call " << &call - calls << " with " << room << " bytes";
      ++(found == right ? served : refused);
    }
    RecordProperty("refused_by_call_" + std::to_string(&call - calls), refused);
  }
}

}  // namespace
}  // namespace floe::test
