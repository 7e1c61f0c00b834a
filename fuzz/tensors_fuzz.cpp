// Does the program take any bytes for a safetensors file, or for a compressed one, without harm, and does
// every file of tensors come back?
#include <string>

#include "base/failure.hpp"
#include "fuzz/support.hpp"
#include "tensors/tensor_restorer.hpp"

namespace floe::fuzz {
namespace {

constexpr std::size_t max_restored_bytes = std::size_t{1} << 20;  ///< A few bytes may hold many.
constexpr unsigned tensor_changes = 12;

struct TooMuch {};

/// Tensors lie side by side, their names are texts and differ, and the header of a compressed file says the
/// same of them.
void check_header(const std::string& text, const cli::TensorHeader& header) {
  std::uint64_t position = 0;
  std::vector<std::uint64_t> frames;
  for (const cli::Tensor& tensor : header.tensors) {
    require(tensor.begin == position && tensor.end >= position);
    require(tensor.element_shape().size() <= max_rank);
    position = tensor.end;
    frames.push_back(tensor.bytes() % 1000);
  }
  if (position > std::uint64_t{1} << 60) return;
  const std::string longest = cli::packed_header(text, header, nullptr, 0);
  const std::string packed = cli::packed_header(text, header, &frames, longest.size());
  require(packed.size() == longest.size() && packed.size() % 8 == 0);
  const auto again = cli::parse_packed_header("x", packed.substr(cli::header_length_bytes), {});
  require(again.original_text == text && again.tensors.size() == header.tensors.size());
  for (std::size_t i = 0; i < frames.size(); ++i)
    require(again.tensors[i].name == header.tensors[i].name && again.frames[i].bytes() == frames[i]);
}

void take_header(const Bytes& bytes) {
  count_decoded();
  const std::string text(bytes.begin(), bytes.end());
  try {
    check_header(text, cli::parse_tensor_header("x", text, {}));
  } catch (const cli::Failure&) {
  }
}

/// What the bytes of a compressed file are restored to, taken in pieces of several lengths; no more than the
/// limit, and whether that was all of it.
bool restore(const Bytes& packed, Bytes& restored) {
  count_decoded();
  restored.clear();
  DecodeOptions options;
  options.threads = 1;
  options.memory_limit_bytes = std::uint64_t{64} << 20;
  try {
    cli::TensorRestorer tensors("x", packed.size(), options, [&restored](std::span<const std::byte> bytes) {
      const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
      restored.insert(restored.end(), begin, begin + bytes.size());
      if (restored.size() > max_restored_bytes) throw TooMuch();
    });
    std::span<const std::byte> rest = std::as_bytes(std::span(packed));
    for (std::size_t piece = 1; !rest.empty(); piece = 3 * piece + 1) {
      const auto part = rest.first(std::min(piece, rest.size()));
      tensors.write(part);
      rest = rest.subspan(part.size());
    }
    tensors.finish();
    return true;
  } catch (const cli::Failure&) {
  } catch (const TooMuch&) {
  }
  return false;
}

/// A tensor of some type and shape with as many bytes as it takes of the input.
cli::Tensor make_tensor(Input& input, unsigned index, std::uint64_t begin) {
  static constexpr const char* types[] = {"F64", "F32", "BF16", "I16", "BOOL", "U8", "I64", "F8_E4M3"};
  const auto choice = input.take<std::uint8_t>();
  cli::Tensor tensor;
  tensor.name = "t" + std::to_string(index) + (choice & 8 ? "\"\n\x1f" : "") +
                std::string(1, static_cast<char>(97 + choice % 16));
  tensor.dtype = types[choice % 8];
  for (unsigned i = 0; i < (choice >> 4) % 4u; ++i) tensor.shape.push_back(input.take<std::uint8_t>() % 9);
  std::uint64_t bytes = size_of(tensor.element_type());
  for (const std::uint64_t size : tensor.shape) bytes *= size;
  tensor.begin = begin;
  tensor.end = begin + bytes;
  return tensor;
}

std::string quoted(const std::string& name) {
  std::string text;
  for (const char c : name)
    text += c == '"' ? "\\\"" : c == '\n' ? "\\n" : c == '\x1f' ? "\\u001f" : std::string(1, c);
  return '"' + text + '"';
}

std::string entry_of(const cli::Tensor& tensor) {
  std::string shape;
  for (const std::uint64_t size : tensor.shape) shape += (shape.empty() ? "" : ",") + std::to_string(size);
  return quoted(tensor.name) + ":{\"dtype\":\"" + tensor.dtype + "\",\"shape\":[" + shape +
         "],\"data_offsets\":[" + std::to_string(tensor.begin) + ", " + std::to_string(tensor.end) + "]}";
}

Bytes frame_of(const cli::Tensor& tensor, const Bytes& elements) {
  const std::vector<std::uint64_t> shape = tensor.element_shape();
  Extent extent{{}, static_cast<std::uint32_t>(shape.size())};
  std::copy(shape.begin(), shape.end(), extent.size.begin());
  const auto frame = compress(std::as_bytes(std::span(elements)), tensor.element_type(), extent);
  require(frame.status().ok());
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(frame->data());
  return {begin, begin + frame->size()};
}

/// A file of tensors comes back, and a changed one does or is refused.
void pack_tensors(Input input) {
  std::string text = "{\"__metadata__\":{\"format\":\"pt\"}";
  Bytes data, frames;
  std::vector<std::uint64_t> frame_bytes;
  const unsigned count = input.take<std::uint8_t>() % 4;
  for (unsigned i = 0; i < count; ++i) {
    const cli::Tensor tensor = make_tensor(input, i, data.size());
    Bytes elements(tensor.bytes());
    for (std::uint8_t& byte : elements) byte = input.take<std::uint8_t>();
    text += "," + entry_of(tensor);
    const Bytes frame = frame_of(tensor, elements);
    data.insert(data.end(), elements.begin(), elements.end());
    frames.insert(frames.end(), frame.begin(), frame.end());
    frame_bytes.push_back(frame.size());
  }
  text += "} ";
  const std::string header =
      cli::packed_header(text, cli::parse_tensor_header("x", text, data.size()), &frame_bytes, 0);
  Bytes packed(header.begin(), header.end()), original(cli::header_length_bytes, 0), restored;
  packed.insert(packed.end(), frames.begin(), frames.end());
  for (std::size_t i = 0; i < original.size(); ++i)
    original[i] = static_cast<std::uint8_t>(std::uint64_t{text.size()} >> (8 * i));
  original.insert(original.end(), text.begin(), text.end());
  original.insert(original.end(), data.begin(), data.end());
  bool is_changed = false;
  with_changes(packed, tensor_changes, [&](const Bytes& bytes) {
    const bool is_restored = restore(bytes, restored);
    require(is_restored ? restored == original : is_changed);
    is_changed = true;
  });
}

void run_tensors(Input input) {
  Bytes restored;
  switch (input.take<std::uint8_t>() % 3) {
    case 0:
      return with_changes(input.rest(), tensor_changes, take_header);
    case 1:
      return with_changes(input.rest(), tensor_changes,
                          [&restored](const Bytes& bytes) { static_cast<void>(restore(bytes, restored)); });
    default:
      return pack_tensors(input);
  }
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_tensors({data, size});
  return 0;
}
