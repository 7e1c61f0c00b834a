// floe FILE: how one source becomes one compressed file.
#include <fmt/format.h>

#include <vector>

#include "array_description.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "engine.hpp"
#include "for_each_file.hpp"
#include "published_streams.hpp"
#include "streaming.hpp"
#include "text.hpp"
#include "transfer.hpp"
#include "verification.hpp"

namespace floe::cli {
namespace {

void refuse_terminal(const Arguments& arguments, const OutputFile& output) {
  if (output.is_terminal() && !arguments.force) {
    throw Failure(ExitCode::error, output.label(),
                  "compressed data are not written to a terminal; use -o FILE, or -f to do it all the same");
  }
}

void print_compressed(const Arguments& arguments, const InputFile& source, const OutputFile& output,
                      std::uint64_t in_bytes, std::string_view codec) {
  if (!wants_summary(arguments, output)) return;
  const auto in = static_cast<double>(in_bytes);
  const auto out = static_cast<double>(output.written_bytes());
  const std::string sizes = fmt::format("{} -> {}", bytes_text(in_bytes), bytes_text(output.written_bytes()));
  print_summary(in_bytes == 0 ? fmt::format("{} : {} ({})", printable(source.label()), sizes, codec)
                              : fmt::format("{} : {:.1f} % ({}, ratio {:.2f}, {})", printable(source.label()),
                                            100 * out / in, sizes, in / out, codec));
}

void compress_to_frame(const Arguments& arguments, Engines& engines, const std::string& file,
                       InputFile& source) {
  std::vector<std::byte> begin(read_bytes);
  begin.resize(source.read(begin));
  const bool is_all = begin.size() < read_bytes;
  const auto size_bytes = is_all ? std::optional<std::uint64_t>(begin.size()) : source.size_bytes();
  const ArrayDescription array = describe_array(arguments.array, source.label(), begin, size_bytes);
  if (arguments.verbose && !array.note.empty())
    print_note(fmt::format("{}: {}", printable(source.label()), array.note));

  Options options = arguments.compress_options();
  options.prefix = std::span(begin).first(array.prefix_bytes);
  const Result<CodecInfo> codec = choose_codec(array.dtype, options);
  if (!codec) throw library_failure(source.label(), codec.status());

  OutputFile output(destination_of(arguments, file), source);
  refuse_terminal(arguments, output);
  check_target(arguments, output);
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  ThrowingSink sink([&output](std::span<const std::byte> bytes) { output.write(bytes); });
  Engine& engine = engines.for_compression(source.label(), array.dtype, options);
  const auto created = engine.compressor(sink.sink(), array.dtype, array.inner_extent(), options);
  if (!created) throw library_failure(source.label(), created.status());
  StreamCompressor& compressor = **created;

  Verification verification(arguments.verify);
  std::uint64_t in_bytes = 0;
  for_each_block(source, begin, [&](std::span<const std::byte> bytes) {
    verification.add_source_bytes(bytes);
    const auto elements = in_bytes == 0 ? bytes.subspan(array.prefix_bytes) : bytes;
    in_bytes += bytes.size();
    sink.check(compressor.write(elements), source.label());
    progress.show(in_bytes, output.written_bytes());
  });
  check_size(array, source.label(), in_bytes);
  sink.check(compressor.finish(), source.label());
  output.finish();
  verification.check(output, arguments.decode_options());
  complete(arguments, file, source, output);
  progress.wipe_out();
  print_compressed(arguments, source, output, in_bytes, codec->name);
}

void compress_to_published_stream(const Arguments& arguments, const std::string& file, InputFile& source) {
  OutputFile output(destination_of(arguments, file), source);
  refuse_terminal(arguments, output);
  check_target(arguments, output);
  const std::vector<std::byte> in = source.read_all(arguments.memory_limit_bytes);
  const std::vector<std::byte> stream = compress_published(arguments, source.label(), in);
  output.write(stream);
  output.finish();
  if (arguments.verify) verify_published(arguments, output, in);
  complete(arguments, file, source, output);
  print_compressed(arguments, source, output, in.size(),
                   arguments.container == Container::gfc ? "gfc" : arguments.codec);
}

}  // namespace

ExitCode run_compress(const Arguments& arguments) {
  Engines engines(arguments);
  return for_each_file(arguments.files, [&](const std::string& file) {
    InputFile source = open_source(arguments, file);
    if (arguments.container == Container::floe) {
      compress_to_frame(arguments, engines, file, source);
    } else {
      compress_to_published_stream(arguments, file, source);
    }
  });
}

}  // namespace floe::cli
