// Are any bytes safe to take for a frame of an array or a table, and do all ways of reading agree on them?
#include <numeric>

#include "fuzz/frames.hpp"
#include "tests/support/reseal.hpp"

namespace floe::fuzz {
namespace {

/// What a way of reading gives.
struct Outcome {
  bool is_ok = false;
  Bytes content;
};

Outcome restore(const Reader& reader) {
  Outcome outcome;
  outcome.is_ok = reader.restore(sink_to(outcome.content), decode_options).ok();
  return outcome;
}

Outcome stream(const Bytes& frame, std::size_t piece_bytes) {
  Outcome outcome;
  StreamReader reader(sink_to(outcome.content), decode_options);
  for (std::size_t at = 0; at < frame.size(); at += piece_bytes) {
    if (!reader.write(view_of(frame).subspan(at, std::min(piece_bytes, frame.size() - at))).ok())
      return outcome;
  }
  outcome.is_ok = reader.finish().ok();
  return outcome;
}

/// The array at once, and a slice of it, which is the same or of something that does not decode as a whole.
void check_array(const Reader& reader, const Outcome& restored, std::uint64_t choice) {
  const FrameInfo& info = reader.info();
  if (info.array_bytes() > max_content_bytes) return;
  Bytes array(info.array_bytes());
  const bool is_ok = reader.decompress(room_of(array), decode_options).ok();
  // Who restores a frame also compares its digest.
  require(is_ok || !restored.is_ok);
  require(!restored.is_ok || array == restored.content);
  if (info.element_count == 0) return;
  const std::size_t element_bytes = size_of(info.dtype);
  const std::uint64_t first = (choice >> 16) % info.element_count,
                      count = choice % (info.element_count - first + 1);
  Bytes part(count * element_bytes);
  const bool has_part = reader.decompress_slice(room_of(part), {first, count}, decode_options).ok();
  if (is_ok)
    require(has_part && std::equal(part.begin(), part.end(),
                                   array.begin() + static_cast<std::ptrdiff_t>(first * element_bytes)));
}

void check_table(const Reader& reader, std::uint64_t choice) {
  const FrameInfo& info = reader.info();
  if (info.columns.empty() || info.columns.size() > 100) return;
  std::vector<std::size_t> columns(info.columns.size());
  std::iota(columns.begin(), columns.end(), 0);
  const std::uint64_t first = choice % (info.element_count + 1);
  const Slice rows{first, std::min<std::uint64_t>(info.element_count - first, 1000)};
  Bytes printed, records;
  static_cast<void>(reader.print_rows(columns, rows, sink_to(printed), decode_options));
  std::erase_if(columns, [&](std::size_t column) { return info.columns[column].type == DType::text; });
  if (columns.empty()) return;
  MissingValue missing{~std::size_t{0}, ~std::uint64_t{0}};
  const Status status = reader.write_records(columns, rows, sink_to(records), decode_options, &missing);
  if (status.code == ErrorCode::invalid_argument)
    require(missing.row < info.element_count && missing.column < info.columns.size());
}

void check(const Bytes& frame) {
  // Sizes of pieces and positions of slices follow from the frame, so that any frame is a seed.
  const std::uint64_t choice = core::crc32c(frame);
  const Outcome streamed = stream(frame, 1 + choice % 5000);
  const Result<Reader> memory = Reader::open(view_of(frame)),
                       file = Reader::open(reader_of(frame), frame.size());
  require(static_cast<bool>(memory) == static_cast<bool>(file));
  if (!memory) {
    require(!streamed.is_ok);
    return;
  }
  const Outcome restored = restore(*memory);
  require(restored.is_ok == streamed.is_ok && (!restored.is_ok || restored.content == streamed.content));
  const Outcome from_file = restore(*file);
  require(restored.is_ok == from_file.is_ok && restored.content == from_file.content);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(memory->info().segment_count, 20); ++i)
    static_cast<void>(memory->segment(i));
  if (memory->info().content == Content::array) {
    check_array(*memory, restored, choice);
  } else {
    check_table(*file, choice);
  }
}

/// Reads a frame in one of the ways, which has to end.
void read_somehow(const Bytes& frame, std::uint64_t choice) {
  count_decoded();
  if (choice % 4 == 0) return static_cast<void>(stream(frame, 1 + (choice >> 8) % 700));
  const Result<Reader> reader =
      choice % 4 == 1 ? Reader::open(reader_of(frame), frame.size()) : Reader::open(view_of(frame));
  if (!reader) return;
  const Outcome restored = restore(*reader);
  if (reader->info().content == Content::array) {
    check_array(*reader, restored, choice >> 8);
  } else {
    check_table(*reader, choice >> 8);
  }
}

/// All ways for the frame and for what it is with right checksums; one way for changes that lie behind those.
void run_frame(Bytes frame) {
  check(frame);
  count_decoded();
  test::reseal(frame);
  check(frame);
  if (frame.size() > 4096) return count_decoded();
  Chance chance(frame);
  with_changes(frame, 24, [&](const Bytes& changed) {
    Bytes sealed = changed;
    test::reseal(sealed);
    read_somehow(sealed, chance.next());
  });
}

/// A small valid frame: what the fuzzer starts from, again and again.
Bytes fresh_frame(std::uint64_t seed) {
  std::array<std::uint8_t, 8> bytes{};
  std::memcpy(bytes.data(), &seed, bytes.size());
  Input input(bytes.data(), bytes.size());
  const Choice choice = take_choice(input);
  Options options = choice.options;
  options.tree = choice.tree;
  options.threads = 1;
  const auto rest = input.take<std::uint32_t>();
  if (rest % 4 == 0) {
    std::string text = "a;b;c\n";
    for (unsigned i = 0; i < rest / 4 % 40; ++i)
      text += std::to_string(i * rest % 997) + ";" + std::to_string(rest % 100) + "." + std::to_string(i) +
              (i % 5 == 0 ? ";open\n" : ";NA\n");
    TableOptions table;
    if (rest / 8192 % 2 == 0) table.segment_rows = 1 + rest / 256 % 30;  // else it may be a compact frame
    options.tree = {};
    options.segment_bytes = 0;
    return table_frame({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, table, options);
  }
  const std::size_t word = size_of(choice.dtype),
                    elements = (rest % 5 == 0 ? 40'000 : rest / 8 % 1200) / word;
  Bytes array(elements * word);
  for (std::size_t i = 0; i < elements; ++i)
    array[i * word] = static_cast<std::uint8_t>((i % 64) * (rest >> 24));
  const auto frame = compress(view_of(array), choice.dtype, Extent::linear(elements), options);
  require(static_cast<bool>(frame));
  const auto* const first = reinterpret_cast<const std::uint8_t*>(frame->data());
  return {first, first + frame->size()};
}

}  // namespace
}  // namespace floe::fuzz

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Begins anew now and then: mutations alone would hardly find a frame.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (size < 32 || seed % 100 == 0) {
    const floe::fuzz::Bytes frame = floe::fuzz::fresh_frame(seed * 0x9E3779B97F4A7C15u);
    if (frame.size() <= max_size) size = frame.size(), std::copy(frame.begin(), frame.end(), data);
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_frame({data, data + size});
  return 0;
}
