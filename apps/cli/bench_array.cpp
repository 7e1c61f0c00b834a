#include "bench_array.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "array_description.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "input_file.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

constexpr std::uint64_t room_for_prefix_bytes = std::uint64_t{1} << 20;

}  // namespace

BenchArray load_array(const Arguments& arguments, const std::string& file) {
  BenchArray loaded;
  InputFile source = InputFile::open(file, true);
  const std::uint64_t limit_bytes = arguments.bench_limit_bytes;
  loaded.bytes = source.read_up_to(limit_bytes == 0 ? UINT64_MAX : limit_bytes + room_for_prefix_bytes);
  const std::uint64_t whole_bytes =
      std::max<std::uint64_t>(source.size_bytes().value_or(0), loaded.bytes.size());
  const ArrayDescription array = describe_array(arguments.array, source.label(), loaded.bytes, whole_bytes);
  if (arguments.verbose && !array.note.empty())
    print_note(fmt::format("{}: {}", printable(source.label()), array.note));
  loaded.dtype = array.dtype;
  loaded.elements = std::span(loaded.bytes).subspan(array.prefix_bytes);
  loaded.extent = array.extent(loaded.elements.size() / size_of(array.dtype));
  if (limit_bytes != 0 && loaded.elements.size() > limit_bytes) {
    const std::uint64_t count = limit_bytes / size_of(array.dtype);
    loaded.elements = loaded.elements.first(count * size_of(array.dtype));
    loaded.extent = Extent::linear(count);
  }
  if (loaded.elements.empty())
    throw Failure(ExitCode::error, file, "holds no elements, so there is nothing to measure");
  return loaded;
}

BenchArray repeated(const BenchArray& array, std::uint64_t bytes) {
  const std::uint64_t word_bytes = size_of(array.dtype),
                      count = std::max<std::uint64_t>(bytes / word_bytes, 1);
  const std::uint64_t all = array.elements.size() / word_bytes;
  const auto from = array.elements.subspan(all > count ? (all - count) / 2 * word_bytes : 0);
  BenchArray longer;
  longer.dtype = array.dtype;
  longer.extent = Extent::linear(count);
  longer.bytes.reserve(count * word_bytes);
  while (longer.bytes.size() < count * word_bytes) {
    const auto part =
        from.first(std::min<std::uint64_t>(from.size(), count * word_bytes - longer.bytes.size()));
    longer.bytes.insert(longer.bytes.end(), part.begin(), part.end());
  }
  longer.elements = longer.bytes;
  return longer;
}

}  // namespace floe::cli
