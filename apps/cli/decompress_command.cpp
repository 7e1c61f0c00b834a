// floe -d FILE: how one compressed file, or a slice of it, becomes elements again.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "commands.hpp"
#include "console.hpp"
#include "engine.hpp"
#include "for_each_file.hpp"
#include "frame_facts.hpp"
#include "published_streams.hpp"
#include "streaming.hpp"
#include "text.hpp"
#include "transfer.hpp"

namespace floe::cli {
namespace {

void refuse_terminal_for(DType dtype, const Arguments& arguments, const OutputFile& output) {
  // Plain bytes may well be text, numbers are not.
  if (output.is_terminal() && dtype != DType::u8 && !arguments.force) {
    throw Failure(
        ExitCode::error, output.label(),
        fmt::format(
            "binary data ({}) are not written to a terminal; use -o FILE, or -f to do it all the same",
            name_of(dtype)));
  }
}

void print_decompressed(const Arguments& arguments, const InputFile& source, const OutputFile& output,
                        std::uint64_t in_bytes, std::string_view what) {
  if (!wants_summary(arguments, output)) return;
  print_summary(fmt::format("{} : {} -> {} ({})", printable(source.label()), bytes_text(in_bytes),
                            bytes_text(output.written_bytes()), what));
}

void decompress_frame(const Arguments& arguments, Engines& engines, const std::string& file,
                      InputFile& source, OutputFile& output) {
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  const StreamDecompressor* frame = nullptr;
  ThrowingSink sink([&](std::span<const std::byte> bytes) {
    if (output.written_bytes() == 0) refuse_terminal_for(frame->info()->dtype, arguments, output);
    output.write(bytes);
  });
  const auto created = engines.for_decompression().decompressor(sink.sink(), arguments.decode_options());
  if (!created) throw library_failure(source.label(), created.status());
  StreamDecompressor& decompressor = **created;
  frame = &decompressor;
  decompressor.with_prefix(true);
  std::uint64_t in_bytes = 0;
  for_each_block(source, {}, [&](std::span<const std::byte> bytes) {
    in_bytes += bytes.size();
    sink.check(decompressor.write(bytes), source.label());
    progress.show(in_bytes, output.written_bytes());
  });
  sink.check(decompressor.finish(), source.label());
  complete(arguments, file, source, output);
  progress.wipe_out();
  engines.tell_if_replaced(source.label(), decompressor);
  print_decompressed(arguments, source, output, in_bytes, short_description(*decompressor.info()));
}

void decompress_slice(const Arguments& arguments, const std::string& file, const InputFile& source,
                      OutputFile& output) {
  FileFrame frame(source);
  const FrameInfo& info = frame.info();
  const Slice slice = *arguments.slice;
  if (slice.first > info.element_count || slice.count > info.element_count - slice.first) {
    throw Failure(ExitCode::error, source.label(),
                  fmt::format("--slice {}:{} reaches beyond its {} elements", slice.first, slice.count,
                              info.element_count));
  }
  refuse_terminal_for(info.dtype, arguments, output);
  // Goes from segment to segment, so that none is decoded twice and memory stays bounded.
  const std::uint64_t word_bytes = size_of(info.dtype);
  const std::uint64_t segment_elements = std::max<std::uint64_t>(info.segment_bytes / word_bytes, 1);
  std::vector<std::byte> elements;
  for (std::uint64_t at = slice.first; at < slice.first + slice.count;) {
    const std::uint64_t end =
        std::min((at / segment_elements + 1) * segment_elements, slice.first + slice.count);
    elements.resize((end - at) * word_bytes);
    frame.decompress_slice(elements, {at, end - at}, arguments.decode_options());
    output.write(elements);
    at = end;
  }
  complete(arguments, file, source, output);
  print_decompressed(arguments, source, output, source.file_bytes(),
                     fmt::format("{} elements of {}", slice.count, short_description(info)));
}

void decompress_published_stream(const Arguments& arguments, const std::string& file, InputFile& source,
                                 OutputFile& output) {
  refuse_terminal_for(arguments.container == Container::gfc ? DType::f64 : DType::f32, arguments, output);
  const std::vector<std::byte> stream = source.read_all(arguments.memory_limit_bytes);
  output.write(decompress_published(arguments, source.label(), stream));
  complete(arguments, file, source, output);
  print_decompressed(arguments, source, output, stream.size(),
                     arguments.container == Container::gfc ? "gfc" : arguments.codec);
}

}  // namespace

ExitCode run_decompress(const Arguments& arguments) {
  Engines engines(arguments);
  return for_each_file(arguments.files, [&](const std::string& file) {
    const Destination destination = destination_of(arguments, file);
    InputFile source = open_source(arguments, file);
    if (source.is_terminal() && !arguments.force)
      throw Failure(ExitCode::error, source.label(),
                    "compressed data are not read from a terminal; use -f to do it all the same");
    OutputFile output(destination, source);
    check_target(arguments, output);
    if (arguments.container != Container::floe)
      return decompress_published_stream(arguments, file, source, output);
    if (arguments.slice) return decompress_slice(arguments, file, source, output);
    decompress_frame(arguments, engines, file, source, output);
  });
}

}  // namespace floe::cli
