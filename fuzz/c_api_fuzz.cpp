// Is any sequence of calls of the C ABI safe, in any order and with any numbers? Pointers are valid or NULL.
#include "floe/floe.h"

#include <array>

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
    floe_writer_close(writer_);
    floe_stream_reader_close(stream_);
    floe_reader_close(reader_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void run() {
    for (unsigned step = 0; step < 60 && !input_.is_empty(); ++step) call(input_.take<std::uint8_t>() % 18);
  }

 private:
  void call(unsigned function) {
    switch (function) {
      case 0:
        return compress();
      case 1:
        return create_array();
      case 2:
        return create_table();
      case 3:
        check(floe_writer_write(writer_, null_or(content_.data()), content_.size()));
        return;
      case 4:
        return write_columns();
      case 5:
        check(floe_writer_finish(writer_));
        frame_ = written_.bytes;
        return;
      case 6:
        return create_stream();
      case 7: {
        const std::size_t half = frame_.size() / 2;
        check(floe_stream_reader_write(stream_, frame_.data(), half));
        check(floe_stream_reader_write(stream_, null_or(frame_.data() + half), frame_.size() - half));
        return;
      }
      case 8:
        check(floe_stream_reader_finish(stream_));
        return;
      case 9:
        return open();
      case 10:
        return inspect();
      case 11:
        return read_array();
      case 12:
        return read_table();
      case 13:
        return damage();
      case 14:
        return change_options();
      case 15:
        content_.assign(input_.take<std::uint16_t>() % 40'000, input_.take<std::uint8_t>());
        return;
      case 16:
        content_ = frame_;
        return;
      default:
        for (unsigned i = 0; i < 20; ++i)
          content_.push_back(static_cast<std::uint8_t>("12,3.5\n\"x"[input_.take<std::uint8_t>() % 9]));
        return;
    }
  }

  void check(const floe_status& status) {
    require(status.detail != nullptr && floe_error_name(status.code) != nullptr);
    require(status.code <= FLOE_IO_ERROR);
  }

  floe_dtype dtype() { return static_cast<floe_dtype>(input_.take<std::uint8_t>() % 17); }

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
  floe_sink sink() { return input_.take<std::uint8_t>() % 16 == 0 ? nullptr : Collector::take; }

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

  void create_array() {
    floe_writer_close(writer_);
    writer_ = nullptr;
    written_ = {{}, input_.take<std::uint8_t>() % 8u};
    const floe_extent inner = extent();
    check(floe_writer_create_array(&writer_, sink(), &written_, dtype(), null_or(inner.size),
                                   inner.rank % FLOE_MAX_RANK, &options_));
  }

  void create_table() {
    floe_writer_close(writer_);
    writer_ = nullptr;
    written_ = {{}, input_.take<std::uint8_t>() % 8u};
    floe_table_options table;
    floe_table_options_default(&table);
    const auto number = [this] { return std::uint32_t{input_.take<std::uint8_t>()}; };
    table.source = static_cast<floe_table_source>(number() % 4);
    const std::array columns = {floe_column{null_or("a"), dtype(), number()},
                                floe_column{"b", dtype(), number() % 41}};
    if (number() % 2 == 0) table.columns = columns.data(), table.column_count = number() % 3;
    table.name_row = number() % 4;
    table.keep_text = number() % 2;
    table.separator = number() % 2 == 0 ? 0 : number();
    table.padding_bytes = number() % 4;
    table.segment_rows = number() * number();
    const floe_given_tree tree{null_or("a"), number() % 3, "delta,bitpack"};
    if (number() % 4 == 0) table.trees = &tree, table.tree_count = 1;
    if (number() % 16 == 0) table.struct_size = number();
    floe_options options = options_;
    if (number() % 2 == 0) options.tree = nullptr, options.segment_bytes = 0, options.prefix_bytes = 0;
    check(floe_writer_create_table(&writer_, sink(), &written_, null_or(&table), &options));
  }

  void write_columns() {
    const std::uint64_t rows = content_.size() / 8;
    const std::array<const void*, 2> values = {null_or(content_.data()), content_.data()};
    check(floe_writer_write_columns(writer_, null_or(values.data()), input_.take<std::uint8_t>() % 3, rows));
  }

  void create_stream() {
    floe_stream_reader_close(stream_);
    stream_ = nullptr;
    streamed_ = {{}, input_.take<std::uint8_t>() % 8u};
    const floe_decode_options options = decode_options();
    check(floe_stream_reader_create(&stream_, sink(), &streamed_, &options));
  }

  floe_decode_options decode_options() {
    floe_decode_options options;
    floe_decode_options_default(&options);
    options.threads = 1;
    options.memory_limit_bytes = std::uint64_t{1} << (input_.take<std::uint8_t>() % 25);
    if (input_.take<std::uint8_t>() % 16 == 0) options.struct_size = input_.take<std::uint8_t>();
    return options;
  }

  void open() {
    floe_reader_close(reader_);
    reader_ = nullptr;
    opened_ = frame_;
    check(floe_reader_open(&reader_, null_or(opened_.data()), opened_.size()));
  }

  void inspect() {
    floe_frame_info info{};
    const bool is_short = input_.take<std::uint8_t>() % 4 == 0;
    info.struct_size =
        static_cast<std::uint32_t>(is_short ? input_.take<std::uint8_t>() % sizeof info : sizeof info);
    check(floe_reader_info(reader_, null_or(&info)));
    floe_column column{};
    check(floe_reader_column(reader_, input_.take<std::uint8_t>() % 8, null_or(&column)));
    Bytes prefix(input_.take<std::uint8_t>());
    check(floe_reader_prefix(reader_, prefix.data(), prefix.size()));
  }

  void read_array() {
    const floe_decode_options options = decode_options();
    const std::uint64_t first = input_.take<std::uint16_t>(), count = input_.take<std::uint16_t>();
    Bytes out(count * floe_dtype_size(dtype()));
    check(floe_decompress_slice(null_or(out.data()), out.size(), frame_.data(), frame_.size(), first, count,
                                &options));
    check(floe_reader_slice(reader_, out.data(), out.size(), first, count, null_or(&options)));
    Collector collector;
    check(floe_reader_restore(reader_, sink(), &collector, &options));
  }

  void read_table() {
    const floe_decode_options options = decode_options();
    const std::uint64_t first = input_.take<std::uint8_t>() % 16, count = input_.take<std::uint16_t>() % 2000;
    const std::array<std::uint32_t, 2> columns = {input_.take<std::uint8_t>() % 4u, 0};
    Bytes out(count * floe_dtype_size(dtype())), valid(count);
    check(floe_reader_values(reader_, columns[0], first, count, null_or(out.data()), out.size(),
                             null_or(valid.data()), &options));
    Collector printed, records;
    check(floe_reader_print(reader_, null_or(columns.data()), columns.size(), first, count, sink(), &printed,
                            &options));
    check(floe_reader_records(reader_, columns.data(), columns.size(), first, count, sink(), &records,
                              null_or(&options)));
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
    static constexpr const char* trees[] = {nullptr,
                                            "spspeed",
                                            "spratio",
                                            "dpspeed",
                                            "dpratio",
                                            "gfc(3)",
                                            "speed8",
                                            "speed16",
                                            "",
                                            "delta,bitpack",
                                            "rle,bitpack,entropy",
                                            "other",
                                            "gfc(40)",
                                            "sortable,delta,entropy"};
    floe_options_default(&options_);
    options_.threads = 1;
    options_.tree = trees[input_.take<std::uint8_t>() % std::size(trees)];
    options_.goal = input_.take<std::uint8_t>() % 5;
    options_.profile = input_.take<std::uint8_t>() % 3;
    options_.checksum = input_.take<std::uint8_t>() % 2;
    options_.segment_bytes = std::uint64_t{16384} * (input_.take<std::uint8_t>() % 8) +
                             (input_.take<std::uint8_t>() % 16 == 0 ? 1 : 0);
    prefix_.assign(input_.take<std::uint8_t>(), 1);
    options_.prefix = null_or(prefix_.data());
    options_.prefix_bytes = prefix_.size();
    if (input_.take<std::uint8_t>() % 16 == 0) options_.struct_size = input_.take<std::uint8_t>();
  }

  Input input_;
  Bytes content_ = Bytes(1000, 1), frame_, opened_, prefix_;
  floe_options options_ = [] {
    floe_options options;
    floe_options_default(&options);
    options.threads = 1;
    return options;
  }();
  Collector written_, streamed_;
  floe_writer* writer_ = nullptr;
  floe_stream_reader* stream_ = nullptr;
  floe_reader* reader_ = nullptr;
};

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::Session({data, size}).run();
  return 0;
}
