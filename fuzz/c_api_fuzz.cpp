// Is any sequence of calls of the C ABI safe, in any order and with any numbers? Pointers are valid or NULL.
#include "floe/floe.h"

#include "fuzz/support.hpp"

namespace floe::fuzz {
namespace {

constexpr std::size_t max_bytes = 1 << 20;

/// A sink that collects, and refuses now and then.
struct Collector {
  Bytes bytes;
  unsigned calls_until_refusal = 0;  ///< 0: never refuses.

  static int take(void* user, const void* part, size_t count) {
    auto& self = *static_cast<Collector*>(user);
    if (self.calls_until_refusal != 0 && --self.calls_until_refusal == 0) return 1;
    if (self.bytes.size() + count > max_bytes) return 1;
    const auto* const first = static_cast<const std::uint8_t*>(part);
    self.bytes.insert(self.bytes.end(), first, first + count);
    return 0;
  }
};

class Session {
 public:
  explicit Session(Input input) : input_(input) {}
  ~Session() {
    floe_compressor_destroy(compressor_);
    floe_decompressor_destroy(decompressor_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void run() {
    for (unsigned step = 0; step < 60 && !input_.is_empty(); ++step) call(input_.take<std::uint8_t>() % 14);
  }

 private:
  void call(unsigned function) {
    switch (function) {
      case 0:
        return compress();
      case 1:
        return create_compressor();
      case 2:
        check(floe_compressor_write(compressor_, null_or(content_.data()), content_.size()));
        return;
      case 3:
        check(floe_compressor_finish(compressor_));
        frame_ = compressed_.bytes;
        return;
      case 4:
        return create_decompressor();
      case 5: {
        const std::size_t half = frame_.size() / 2;
        check(floe_decompressor_write(decompressor_, frame_.data(), half));
        check(floe_decompressor_write(decompressor_, null_or(frame_.data() + half), frame_.size() - half));
        return;
      }
      case 6:
        check(floe_decompressor_finish(decompressor_));
        return;
      case 7:
        return inspect();
      case 8:
        return decompress();
      case 9:
        return damage();
      case 10:
        return change_options();
      case 11:
        content_.assign(input_.take<std::uint16_t>() % 40'000, input_.take<std::uint8_t>());
        return;
      case 12:
        content_ = frame_;
        return;
      default: {
        const auto bytes = static_cast<std::size_t>(input_.take<std::uint8_t>());
        Bytes out(bytes);
        check(floe_prefix(out.data(), out.size(), frame_.data(), frame_.size()));
        return;
      }
    }
  }

  void check(const floe_status& status) {
    require(status.detail != nullptr && floe_error_name(status.code) != nullptr);
    require(status.code <= FLOE_IO_ERROR);
  }

  floe_dtype dtype() { return static_cast<floe_dtype>(input_.take<std::uint8_t>() % 16); }

  floe_extent extent() {
    floe_extent extent{};
    extent.rank = input_.take<std::uint8_t>() % 10;
    for (std::uint32_t d = 0; d < extent.rank && d < FLOE_MAX_RANK; ++d)
      extent.size[d] = input_.take<std::uint8_t>();
    if (input_.take<std::uint8_t>() % 2 == 0) extent = {{content_.size()}, 1};
    return extent;
  }

  template <class Pointer>
  Pointer* null_or(Pointer* pointer) {
    return input_.take<std::uint8_t>() % 16 == 0 ? nullptr : pointer;
  }

  void compress() {
    const floe_extent shape = extent();
    const floe_dtype type = dtype();
    std::uint64_t bound = 0;
    const floe_status status = floe_max_compressed_size(&bound, type, &shape, null_or(&options_));
    check(status);
    const std::size_t room =
        status.code == FLOE_OK && bound <= max_bytes ? bound : input_.take<std::uint16_t>();
    Bytes out(room);
    size_t bytes = out.size();
    const floe_status result = floe_compress(null_or(out.data()), &bytes, null_or(content_.data()),
                                             content_.size(), type, null_or(&shape), &options_);
    check(result);
    require(bytes <= out.size());
    if (result.code != FLOE_OK) return;
    out.resize(bytes);
    Bytes restored(content_.size());
    require(floe_decompress(restored.data(), restored.size(), out.data(), out.size(), nullptr).code ==
            FLOE_OK);
    require(restored == content_);
    frame_ = out;
  }

  void create_compressor() {
    floe_compressor_destroy(compressor_);
    compressed_ = {{}, input_.take<std::uint8_t>() % 8u};
    const floe_extent inner = extent();
    check(floe_compressor_create(
        &compressor_, input_.take<std::uint8_t>() % 16 == 0 ? nullptr : Collector::take, &compressed_,
        dtype(), null_or(inner.size), inner.rank % FLOE_MAX_RANK, &options_));
  }

  void create_decompressor() {
    floe_decompressor_destroy(decompressor_);
    decompressed_ = {{}, input_.take<std::uint8_t>() % 8u};
    const floe_decode_options options = decode_options();
    check(floe_decompressor_create(&decompressor_, Collector::take, &decompressed_, &options));
  }

  floe_decode_options decode_options() {
    floe_decode_options options;
    floe_decode_options_default(&options);
    options.threads = 1;
    options.memory_limit_bytes = std::uint64_t{1} << (input_.take<std::uint8_t>() % 25);
    if (input_.take<std::uint8_t>() % 16 == 0) options.struct_size = input_.take<std::uint8_t>();
    return options;
  }

  void inspect() {
    floe_frame_info info;
    info.struct_size =
        input_.take<std::uint8_t>() % 4 == 0 ? input_.take<std::uint8_t>() % sizeof info : sizeof info;
    check(floe_inspect(&info, null_or(frame_.data()), frame_.size()));
  }

  void decompress() {
    floe_frame_info info;
    info.struct_size = sizeof info;
    const floe_status status = floe_inspect(&info, frame_.data(), frame_.size());
    check(status);
    if (status.code != FLOE_OK || info.element_count > max_bytes) return;
    const floe_decode_options options = decode_options();
    const std::uint64_t first = input_.take<std::uint16_t>(), count = input_.take<std::uint16_t>();
    Bytes out(count * floe_dtype_size(info.dtype));
    check(floe_decompress_slice(null_or(out.data()), out.size(), frame_.data(), frame_.size(), first, count,
                                &options));
  }

  void damage() {
    if (frame_.empty()) return;
    const std::size_t at = input_.take<std::uint16_t>() % frame_.size();
    switch (input_.take<std::uint8_t>() % 3) {
      case 0:
        frame_.resize(at);
        break;
      case 1:
        frame_.push_back(input_.take<std::uint8_t>());
        break;
      default:
        frame_[at] = input_.take<std::uint8_t>();
        break;
    }
  }

  void change_options() {
    static constexpr const char* names[] = {nullptr, "spspeed", "spratio", "dpspeed", "dpratio",
                                            "gfc",   "speed8",  "speed16", "",        "other"};
    floe_options_default(&options_);
    options_.threads = 1;
    options_.codec = names[input_.take<std::uint8_t>() % std::size(names)];
    options_.goal = input_.take<std::uint8_t>() % 4;
    options_.checksum = input_.take<std::uint8_t>() % 2;
    options_.dimensionality = input_.take<std::uint8_t>() % 40;
    options_.segment_bytes = std::uint64_t{16384} * (input_.take<std::uint8_t>() % 8) +
                             (input_.take<std::uint8_t>() % 16 == 0 ? 1 : 0);
    prefix_.assign(input_.take<std::uint8_t>(), 1);
    options_.prefix = null_or(prefix_.data());
    options_.prefix_bytes = prefix_.size();
    options_.format_version = input_.take<std::uint8_t>() % 16 == 0 ? 2 : 0;
    if (input_.take<std::uint8_t>() % 16 == 0) options_.struct_size = input_.take<std::uint8_t>();
  }

  Input input_;
  Bytes content_ = Bytes(1000, 1), frame_, prefix_;
  floe_options options_ = [] {
    floe_options options;
    floe_options_default(&options);
    options.threads = 1;
    return options;
  }();
  Collector compressed_, decompressed_;
  floe_compressor* compressor_ = nullptr;
  floe_decompressor* decompressor_ = nullptr;
};

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::Session({data, size}).run();
  return 0;
}
