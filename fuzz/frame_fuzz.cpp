// Are any bytes safe to take for a frame, and do all ways of decoding agree on them?
#include "floe/floe.hpp"
#include "fuzz/support.hpp"
#include "tests/support/reseal.hpp"

namespace floe::fuzz {
namespace {

constexpr std::uint64_t largest_array_bytes = 4 << 20;
constexpr DecodeOptions options{.threads = 1, .memory_limit_bytes = 64 << 20};

/// Empty if the frame is refused.
Bytes decode_view(const FrameView& view) {
  Bytes array(view.info().array_bytes());
  return view.decompress(std::as_writable_bytes(std::span(array)), options).ok() ? array : Bytes{};
}

Bytes decode_reader(const Bytes& frame) {
  const auto read_at = [&](std::uint64_t offset, std::span<std::byte> bytes) {
    require(offset <= frame.size() && bytes.size() <= frame.size() - offset);
    std::memcpy(bytes.data(), frame.data() + offset, bytes.size());
    return Status{};
  };
  auto reader = FrameReader::open(read_at, frame.size());
  require(static_cast<bool>(reader));
  Bytes array(reader->info().array_bytes());
  return reader->decompress_slice(std::as_writable_bytes(std::span(array)), {0, reader->info().element_count},
                                  options)
                 .ok()
             ? array
             : Bytes{};
}

Bytes decode_stream(const Bytes& frame, std::size_t piece_bytes) {
  Bytes array;
  Decompressor stream(
      [&](std::span<const std::byte> bytes) {
        const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
        array.insert(array.end(), first, first + bytes.size());
        return array.size() <= largest_array_bytes ? Status{} : Status{ErrorCode::io_error, 0, "enough"};
      },
      options);
  for (std::size_t at = 0; at < frame.size(); at += piece_bytes) {
    if (!stream.write(std::as_bytes(std::span(frame)).subspan(at, std::min(piece_bytes, frame.size() - at)))
             .ok())
      return {};
  }
  return stream.finish().ok() ? array : Bytes{};
}

/// A slice of what decodes as a whole decodes to the same; of what does not, to anything or an error.
void check_slice(const FrameView& view, const Bytes& array, Slice slice) {
  const std::size_t element_bytes = size_of(view.info().dtype);
  if (view.info().element_count == 0) return;
  slice.first %= view.info().element_count;
  slice.count %= view.info().element_count - slice.first + 1;
  Bytes part(slice.count * element_bytes);
  const bool is_ok = view.decompress_slice(std::as_writable_bytes(std::span(part)), slice, options).ok();
  if (!array.empty())
    require(is_ok && std::equal(part.begin(), part.end(),
                                array.begin() + static_cast<std::ptrdiff_t>(slice.first * element_bytes)));
}

void check(const Bytes& frame) {
  // Sizes of pieces and places of slices follow from the frame, so that any frame is a seed.
  const std::uint64_t choice = core::crc32c(frame);
  const Bytes streamed = decode_stream(frame, 1 + choice % 5000);
  const Result<FrameView> view = FrameView::parse(std::as_bytes(std::span(frame)));
  if (!view) {
    require(streamed.empty());
    return;
  }
  static_cast<void>(view->count_chunks());
  if (view->info().array_bytes() > largest_array_bytes) return;
  const Bytes array = decode_view(*view);
  require(array == streamed);
  require(array == decode_reader(frame));
  check_slice(*view, array, {choice >> 16, choice});
}

void run(Bytes frame) {
  check(frame);
  test::reseal(frame);  // so that what lies behind the checksums is reached
  check(frame);
}

/// A small valid frame: what the fuzzer starts from, again and again.
Bytes fresh_frame(std::uint64_t choice) {
  const CodecInfo& codec = codecs()[choice % codecs().size()];
  Options choices;
  choices.codec = codec.name;
  choices.threads = 1;
  choices.segment_bytes = 16384;
  choices.checksum = (choice >> 8) % 4 != 0;
  if (codec.name == "gfc") choices.dimensionality = 1 + (choice >> 10) % 32;
  const DType dtype = codec.word_bits == 64   ? DType::f64
                      : codec.word_bits == 32 ? DType::f32
                      : codec.word_bits == 16 ? DType::u16
                                              : DType::u8;
  const std::size_t word = size_of(dtype),
                    elements = ((choice >> 16) % 5 == 0 ? 40'000 : (choice >> 20) % 1200) / word;
  Bytes array(elements * word);
  for (std::size_t i = 0; i < elements; ++i)
    array[i * word] = static_cast<std::uint8_t>((i % 64) * (choice >> 24));
  const auto frame = compress(std::as_bytes(std::span(array)), dtype, Extent::linear(elements), choices);
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
  floe::fuzz::run({data, data + size});
  return 0;
}
