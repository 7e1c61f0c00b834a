#include "tensors/header.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/failure.hpp"
#include "base/text.hpp"
#include "tensors/header_reader.hpp"

namespace floe::cli {
namespace {

constexpr std::pair<std::string_view, DType> types[] = {
    {"F64", DType::f64},      {"F32", DType::f32}, {"F16", DType::f16}, {"BF16", DType::bf16},
    {"BOOL", DType::boolean}, {"I8", DType::i8},   {"I16", DType::i16}, {"I32", DType::i32},
    {"I64", DType::i64},      {"U8", DType::u8},   {"U16", DType::u16}, {"U32", DType::u32},
    {"U64", DType::u64},
};

std::optional<DType> type_named(std::string_view name) {
  const auto* const found = std::find_if(std::begin(types), std::end(types),
                                         [name](const auto& type) { return type.first == name; });
  return found == std::end(types) ? std::nullopt : std::optional(found->second);
}

/// Whether its bytes are as many as its type and shape ask for, where floe knows the type.
bool is_whole(const Tensor& tensor) {
  const auto type = type_named(tensor.dtype);
  if (!type) return true;
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0u) != tensor.shape.end())
    return tensor.bytes() == 0;
  std::uint64_t bytes = size_of(*type);
  for (const std::uint64_t size : tensor.shape)
    if (__builtin_mul_overflow(bytes, size, &bytes)) return false;
  return bytes == tensor.bytes();
}

[[noreturn]] void refuse(const std::string& file, const Tensor& tensor, const std::string& cause) {
  throw Failure(ExitCode::corrupt, file, fmt::format("corrupt: {} (at byte {})", cause, tensor.entry_at));
}

void refuse_doubles(const std::string& file, const std::vector<Tensor>& tensors) {
  std::vector<const Tensor*> sorted;
  for (const Tensor& tensor : tensors) sorted.push_back(&tensor);
  const auto order = [](const Tensor* a, const Tensor* b) {
    return std::pair(std::string_view(a->name), a->entry_at) <
           std::pair(std::string_view(b->name), b->entry_at);
  };
  std::sort(sorted.begin(), sorted.end(), order);
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i]->name == sorted[i - 1]->name)
      refuse(file, *sorted[i], fmt::format("two tensors are called {}", printable(sorted[i]->name)));
}

void check_positions(const std::string& file, const std::vector<Tensor>& tensors) {
  std::uint64_t position = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.begin != position || tensor.end < tensor.begin)
      refuse(file, tensor,
             fmt::format("the bytes {} to {} of tensor {} do not follow those before it, which end at {}",
                         tensor.begin, tensor.end, printable(tensor.name), position));
    if (!is_whole(tensor))
      refuse(file, tensor,
             fmt::format("tensor {}, {} {}, cannot have {}", printable(tensor.name), printable(tensor.dtype),
                         shape_text(tensor.shape), plural(tensor.bytes(), "byte")));
    position = tensor.end;
  }
}

}  // namespace

DType Tensor::element_type() const noexcept { return type_named(dtype).value_or(DType::u8); }

std::vector<std::uint64_t> Tensor::element_shape() const {
  const bool has_empty_rows =
      shape.size() > 1 && std::find(shape.begin() + 1, shape.end(), 0u) != shape.end();
  if (type_named(dtype) && shape.size() <= max_rank && !has_empty_rows) return shape;
  return {bytes() / size_of(element_type())};
}

TensorHeader parse_tensor_header(const std::string& file, std::string_view text,
                                 std::optional<std::uint64_t> data_bytes) {
  TensorHeader header = read_tensor_header(file, text);
  std::vector<Tensor>& tensors = header.tensors;
  refuse_doubles(file, tensors);
  std::stable_sort(tensors.begin(), tensors.end(), [](const Tensor& a, const Tensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  check_positions(file, tensors);
  if (data_bytes && *data_bytes != header.data_bytes()) {
    const std::uint64_t data_at = header_length_bytes + text.size(), needed = header.data_bytes();
    throw Failure(
        ExitCode::corrupt, file,
        needed > *data_bytes
            ? fmt::format("is cut at byte {}: its tensors need {} behind its header, and {} are there",
                          data_at + *data_bytes, plural(needed, "byte"), *data_bytes)
            : fmt::format("corrupt: {} behind the last tensor (at byte {})",
                          plural(*data_bytes - needed, "byte"), data_at + needed));
  }
  return header;
}

}  // namespace floe::cli
