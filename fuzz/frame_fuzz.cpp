// Are any bytes safe to take for a frame, and do all ways of decoding agree on them?
#include "core/word.hpp"
#include "floe/floe.hpp"
#include "format/crc32c.hpp"
#include "format/layout.hpp"
#include "fuzz/support.hpp"

namespace floe::fuzz {
namespace {

constexpr std::uint64_t largest_array_bytes = 4 << 20;
constexpr DecodeOptions options{.threads = 1, .memory_limit_bytes = 16 << 20};

void repair_crc(Bytes& frame, std::uint64_t begin, std::uint64_t bytes, std::uint64_t crc_from_end) {
  if (begin > frame.size() || bytes > frame.size() - begin || bytes < crc_from_end) return;
  std::uint8_t* const crc = frame.data() + begin + bytes - crc_from_end;
  core::store(crc, format::crc32c({frame.data() + begin, crc}));
}

/// Makes the CRCs of header, segment heads and footer fit, so that what lies behind them is reached.
void repair(Bytes& frame) {
  if (frame.size() < format::smallest_header_bytes + format::fixed_footer_bytes) return;
  const auto header_bytes = core::load<std::uint32_t>(frame.data() + 20);
  repair_crc(frame, 0, header_bytes, 4);
  const auto footer_bytes = core::load<std::uint64_t>(frame.data() + frame.size() - format::footer_end_bytes);
  if (header_bytes < 4 || header_bytes > frame.size() || footer_bytes > frame.size()) return;
  const auto header_crc = core::load<std::uint32_t>(frame.data() + header_bytes - 4);

  // Segments begin at their magic numbers.
  for (std::uint64_t at = header_bytes; at + format::fixed_segment_head_bytes <= frame.size(); at += format::alignment) {
    if (core::load<std::uint32_t>(frame.data() + at) != format::segment_magic) continue;
    core::store(frame.data() + at + 40, header_crc);
    repair_crc(frame, at, core::load<std::uint32_t>(frame.data() + at + 4), 4);
  }
  repair_crc(frame, frame.size() - footer_bytes, footer_bytes, 8);
}

/// Empty if the frame is refused.
Bytes decode_view(const FrameView& view) {
  Bytes array(view.info().array_bytes());
  return view.decompress(std::as_writable_bytes(std::span(array)), options).ok() ? array : Bytes{};
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
    if (!stream.write(std::as_bytes(std::span(frame)).subspan(at, std::min(piece_bytes, frame.size() - at))).ok()) return {};
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
    require(is_ok && std::equal(part.begin(), part.end(), array.begin() + static_cast<std::ptrdiff_t>(slice.first * element_bytes)));
}

void check(const Bytes& frame) {
  // Sizes of pieces and places of slices follow from the frame, so that any frame is a seed.
  const std::uint64_t choice = format::crc32c(frame);
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
  check_slice(*view, array, {choice >> 16, choice});
}

void run(Bytes frame) {
  check(frame);
  repair(frame);
  check(frame);
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run({data, data + size});
  return 0;
}
