#include "input/array_description.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/failure.hpp"
#include "base/text.hpp"
#include "input/npy_header.hpp"

namespace floe::cli {
namespace {

/// Nothing if it does not fit 64 bits.
std::optional<std::uint64_t> product(std::span<const std::uint64_t> factors, std::uint64_t start) {
  if (std::find(factors.begin(), factors.end(), 0u) != factors.end()) return 0;
  std::uint64_t result = start;
  for (const std::uint64_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) return std::nullopt;
  }
  return result;
}

std::string_view without_folder(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Brings any shape to one that a frame can have: floe counts dimensions from the outermost, which must be
/// the only unknown one.
void make_storable(std::vector<std::uint64_t>& shape) {
  if (shape.empty()) shape = {1};  // a scalar
  while (shape.size() > max_rank) {
    shape[1] *= shape[0];
    shape.erase(shape.begin());
  }
  if (std::find(shape.begin() + 1, shape.end(), 0u) != shape.end()) shape = {0};
}

constexpr const char* as_bytes_advice = "; --as bytes stores it as plain bytes";

/// The array of an .npy file, or bytes if floe cannot have it.
ArrayDescription describe_npy(const ArrayArguments& options, const std::string& file,
                              std::span<const std::byte> begin, std::optional<std::uint64_t> size_bytes) {
  const NpyHeader header = parse_npy_header(begin);
  ArrayDescription description{header.dtype, header.shape, header.header_bytes, header.is_big_endian, {}};
  const auto elements = product(header.shape, 1);
  const auto bytes = product(header.shape, size_of(header.dtype));
  std::string problem = header.problem;
  if (problem.empty() && (!elements || !bytes || *bytes > UINT64_MAX - header.header_bytes))
    problem = "the shape in the .npy header is too large";
  if (problem.empty() && size_bytes && *bytes + header.header_bytes != *size_bytes)
    problem = fmt::format("the .npy header describes a file of {} bytes, but it has {}",
                          *bytes + header.header_bytes, *size_bytes);
  if (!problem.empty()) {
    ArrayDescription plain;
    plain.note = problem + ": stored as plain bytes";
    return plain;
  }
  if (!options.shape.empty()) {
    if (product(options.shape, 1) != elements) {
      throw Failure(ExitCode::error, file,
                    fmt::format("--shape {} does not match the .npy header's {}", shape_text(options.shape),
                                shape_text(header.shape)));
    }
    description.shape = options.shape;
  }
  return description;
}

/// The longest tail of `numbers` that makes `size_bytes`; empty if none does.
std::vector<std::uint64_t> matching_tail(const std::vector<std::uint64_t>& numbers, DType dtype,
                                         std::uint64_t size_bytes) {
  for (std::size_t first = 0; first < numbers.size(); ++first) {
    const auto tail = std::span(numbers).subspan(first);
    if (tail.size() <= max_rank && product(tail, size_of(dtype)) == size_bytes)
      return {tail.begin(), tail.end()};
  }
  return {};
}

ArrayDescription describe_by_name(const std::optional<DType>& wanted, const std::string& file,
                                  std::uint64_t size_bytes) {
  const NameHint hint = hint_of_name(file);
  ArrayDescription description;
  if (!wanted && !hint.dtype) return description;
  description.dtype = wanted ? *wanted : *hint.dtype;
  const std::size_t word_bytes = size_of(description.dtype);
  if (!wanted && size_bytes % word_bytes != 0) {
    description.note =
        fmt::format("the name says {}, but {} bytes are no whole number of it: stored as plain bytes",
                    name_of(*hint.dtype), size_bytes);
    description.dtype = DType::u8;
    return description;
  }
  description.shape = matching_tail(hint.numbers, description.dtype, size_bytes);
  if (description.shape.empty() && !hint.numbers.empty()) {
    description.note =
        fmt::format("the shape {} in the name does not match {} elements of {}: stored as one dimension",
                    shape_text(hint.numbers), size_bytes / word_bytes, name_of(description.dtype));
  }
  return description;
}

/// Columns of tables have types besides, which names of files do not mean.
std::optional<DType> element_type_of(std::string_view name) {
  const auto dtype = dtype_from_name(name);
  return dtype && is_element_type(*dtype) ? dtype : std::nullopt;
}

std::vector<std::uint64_t> trailing_numbers(std::span<const std::string_view> tokens) {
  std::vector<std::uint64_t> numbers;
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
    const auto number = parse_number(*token);
    if (!number) break;
    numbers.insert(numbers.begin(), *number);
  }
  return numbers;
}

}  // namespace

std::span<const std::uint64_t> ArrayDescription::inner_extent() const {
  return shape.empty() ? std::span<const std::uint64_t>{} : std::span(shape).subspan(1);
}

Extent ArrayDescription::extent(std::uint64_t elements) const {
  if (shape.empty()) return Extent::linear(elements);
  Extent extent;
  extent.rank = static_cast<std::uint32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), extent.size.begin());
  return extent;
}

std::optional<std::uint64_t> ArrayDescription::expected_bytes() const {
  if (shape.empty()) return std::nullopt;
  const auto bytes = product(shape, size_of(dtype));
  return bytes ? std::optional(*bytes + prefix_bytes) : std::nullopt;
}

NameHint hint_of_name(std::string_view path) {
  const std::string_view name = without_folder(path);
  const std::size_t dot = name.rfind('.');
  const std::string_view suffix = dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1);
  const std::vector<std::string_view> tokens = split(name.substr(0, dot), '_');
  if (const auto dtype = element_type_of(suffix)) {
    const auto shape = parse_shape(tokens.back());
    return {dtype, shape && shape->size() > 1 ? *shape : trailing_numbers(tokens)};
  }
  static constexpr std::array raw_suffixes = {"bin", "raw", "dat", "data", ""};
  if (std::find(raw_suffixes.begin(), raw_suffixes.end(), suffix) == raw_suffixes.end()) return {};
  // x_f32.bin, x_f32_26x1800x3600.bin, x_f32_26_1800_3600.bin: the type, then nothing but the shape
  for (std::size_t i = tokens.size(); i-- > 0;) {
    const auto dtype = element_type_of(tokens[i]);
    if (!dtype) continue;
    const auto rest = std::span(tokens).subspan(i + 1);
    const auto shape = rest.size() == 1 ? parse_shape(rest[0]) : std::nullopt;
    const auto numbers = shape ? *shape : trailing_numbers(rest);
    if (shape || numbers.size() == rest.size()) return {dtype, numbers};
  }
  return {std::nullopt, trailing_numbers(tokens)};
}

ArrayDescription describe_array(const ArrayArguments& options, const std::string& file,
                                std::span<const std::byte> begin, std::optional<std::uint64_t> size_bytes) {
  ArrayDescription description;
  if (!options.dtype && begins_as_npy(begin)) {
    description = describe_npy(options, file, begin, size_bytes);
  } else if (!options.shape.empty()) {
    const NameHint hint = hint_of_name(file);
    description.dtype = options.dtype ? *options.dtype : hint.dtype.value_or(DType::u8);
    description.shape = options.shape;
    if (!product(description.shape, size_of(description.dtype))) {
      throw Failure(ExitCode::error, file,
                    fmt::format("--shape {} is too large", shape_text(description.shape)));
    }
  } else if (size_bytes) {
    description = describe_by_name(options.dtype, file, *size_bytes);
  } else {
    description.dtype = options.dtype.value_or(DType::u8);
  }
  if (description.prefix_bytes != 0 || !description.shape.empty()) make_storable(description.shape);
  if (size_bytes) check_size(description, file, *size_bytes);
  return description;
}

void check_size(const ArrayDescription& description, const std::string& file, std::uint64_t size_bytes) {
  const std::size_t word_bytes = size_of(description.dtype);
  const auto expected = description.expected_bytes();
  if (expected && *expected != size_bytes) {
    throw Failure(
        ExitCode::error, file,
        description.prefix_bytes != 0
            ? fmt::format("the .npy header describes a file of {} bytes, but it has {}{}", *expected,
                          size_bytes, as_bytes_advice)
            : fmt::format("the shape {} of {} needs {} bytes, but the file has {}",
                          shape_text(description.shape), name_of(description.dtype), *expected, size_bytes));
  }
  if (!expected && (size_bytes - description.prefix_bytes) % word_bytes != 0) {
    throw Failure(ExitCode::error, file,
                  fmt::format("{} bytes are no whole number of {} elements of {} bytes", size_bytes,
                              name_of(description.dtype), word_bytes));
  }
}

}  // namespace floe::cli
