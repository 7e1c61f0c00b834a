#include "chunk_description.hpp"

namespace floe::hdf5 {
namespace {

constexpr unsigned big_endian_flag = 0x100;

DType integer_type(std::size_t bytes) {
  switch (bytes) {
    case 2:
      return DType::i16;
    case 4:
      return DType::i32;
    case 8:
      return DType::i64;
    default:
      return DType::u8;
  }
}

DType float_type(const Functions& hdf5, Id type, std::size_t bytes) {
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
  switch (bytes) {
    case 2:
      if (hdf5.get_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) < 0)
        return DType::u8;
      return exponent_bits == 8 ? DType::bf16 : DType::f16;
    case 4:
      return DType::f32;
    case 8:
      return DType::f64;
    default:
      return DType::u8;
  }
}

/// The dimensions, and one more of `count` numbers; all in one where there are too many.
void append_dimension(Extent& extent, std::uint64_t count) {
  if (extent.rank == max_rank) extent = Extent::linear(extent.element_count().value_or(0));
  extent.size[extent.rank++] = count;
}

}  // namespace

std::optional<ChunkDescription> ChunkDescription::from_values(std::span<const unsigned> values) {
  ChunkDescription chunk;
  std::span<const unsigned> choice = values, tree;
  if (!values.empty() && values[0] == mark) {
    if (values.size() < fixed_values || values[4] > max_rank || values.size() < fixed_values + values[4])
      return {};
    chunk.dtype = static_cast<DType>(values[1] & 0xFF);
    chunk.is_big_endian = (values[1] & big_endian_flag) != 0;
    if (!is_element_type(chunk.dtype)) return {};
    chunk.extent.rank = values[4];
    for (std::size_t i = 0; i < values[4]; ++i) chunk.extent.size[i] = values[fixed_values + i];
    choice = values.subspan(2, 2);
    tree = values.subspan(fixed_values + values[4]);
  } else if (values.size() > 2) {
    choice = values.first(2);
    tree = values.subspan(2);
  }
  if (!choice.empty()) {
    if (choice[0] > static_cast<unsigned>(Goal::max)) return {};
    chunk.goal = static_cast<Goal>(choice[0]);
  }
  if (choice.size() > 1) chunk.codec = choice[1];
  if (tree.size() * characters_per_parameter > max_tree_bytes) return {};
  chunk.tree = tree_of(tree);
  if (chunk.codec != 0 && !chunk.tree.empty()) return {};
  return chunk;
}

std::vector<unsigned> ChunkDescription::values() const {
  std::vector<unsigned> values = {mark, static_cast<unsigned>(dtype) | (is_big_endian ? big_endian_flag : 0),
                                  static_cast<unsigned>(goal), codec, extent.rank};
  for (std::uint32_t i = 0; i < extent.rank; ++i) values.push_back(static_cast<unsigned>(extent.size[i]));
  append_tree(values, tree);
  return values;
}

void ChunkDescription::describe_elements(const Functions& hdf5, Id type) {
  const std::size_t bytes = hdf5.get_size(type);
  const int kind = hdf5.get_class(type);
  dtype = DType::u8;
  if (kind == class_integer || kind == class_enum) {
    dtype = integer_type(bytes);
  } else if (kind == class_float) {
    dtype = float_type(hdf5, type, bytes);
  } else if (kind == class_compound && hdf5.get_member_count(type) == 2) {
    const Id first = hdf5.get_member(type, 0), second = hdf5.get_member(type, 1);
    const bool is_pair = hdf5.get_class(first) == class_float && hdf5.get_class(second) == class_float &&
                         2 * hdf5.get_size(first) == bytes && 2 * hdf5.get_size(second) == bytes &&
                         hdf5.get_order(first) == hdf5.get_order(second);
    if (is_pair) {
      dtype = float_type(hdf5, first, bytes / 2);
      is_big_endian = size_of(dtype) > 1 && hdf5.get_order(first) == order_big_endian;
    }
    hdf5.close_type(first);
    hdf5.close_type(second);
  }
  if (kind != class_compound) is_big_endian = size_of(dtype) > 1 && hdf5.get_order(type) == order_big_endian;
  if (bytes != size_of(dtype)) append_dimension(extent, bytes / size_of(dtype));
}

std::optional<Options> ChunkDescription::options() const {
  Options options;
  options.goal = goal;
  options.tree = tree;
  if (codec == 0) return options;
  for (const CodecInfo& info : codecs()) {
    if (info.id == codec) {
      options.tree = info.name;
      return options;
    }
  }
  return {};
}

}  // namespace floe::hdf5
