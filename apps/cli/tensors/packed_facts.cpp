#include "tensors/packed_facts.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "frames/file_frame.hpp"
#include "report/frame_facts.hpp"
#include "tensors/tensor_restorer.hpp"

namespace floe::cli {
namespace {

/// The trees of the first segment of a tensor's frame.
std::vector<std::string> trees_of(const InputFile& source, const PackedTensors& packed, std::size_t index,
                                  std::uint64_t memory_limit_bytes) {
  const Tensor& stored = packed.frames[index];
  FileFrame frame(source, memory_limit_bytes, source.label() + ": " + stored.name,
                  packed.header_bytes + stored.begin, stored.bytes());
  check_frame(source.label(), packed.tensors[index], frame.info(), true);
  if (frame.info().segment_count == 0) return {};
  return frame.segment(0).columns.front().trees;
}

}  // namespace

Json tensors_as_json(const std::string& file, const PackedTensors& packed) {
  return Json::object({{"file", file},
                       {"content", "safetensors"},
                       {"tensor_count", packed.tensors.size()},
                       {"original_bytes", packed.original_bytes()},
                       {"stored_bytes", packed.stored_bytes()},
                       {"ratio", ratio_of(packed.original_bytes(), packed.stored_bytes())},
                       {"header_bytes", packed.header_bytes}});
}

Json inspected_as_json(const std::string& file, const InputFile& source, const PackedTensors& packed,
                       std::uint64_t memory_limit_bytes) {
  Json tensors = Json::array();
  for (std::size_t i = 0; i < packed.tensors.size(); ++i) {
    const Tensor &tensor = packed.tensors[i], &frame = packed.frames[i];
    tensors.push(Json::object({{"name", tensor.name},
                               {"dtype", tensor.dtype},
                               {"shape", Json::array_of(tensor.shape)},
                               {"original_bytes", tensor.bytes()},
                               {"stored_bytes", frame.bytes()},
                               {"offset", packed.header_bytes + frame.begin},
                               {"trees", Json::array_of(trees_of(source, packed, i, memory_limit_bytes))}}));
  }
  Json facts = tensors_as_json(file, packed);
  facts.set("tensors", std::move(tensors));
  return facts;
}

void print_inspected(const InputFile& source, const PackedTensors& packed, std::uint64_t memory_limit_bytes) {
  constexpr std::size_t widest_name = 60;
  std::size_t width = 4;
  for (const Tensor& tensor : packed.tensors) width = std::max(width, printable(tensor.name).size());
  width = std::min(width, widest_name);
  fmt::print("{}\n  {:<10} {}\n  {:<10} {}, ratio {:.3f}, {} of header\n", printable(source.label()),
             "tensors", packed.description() + ": " + bytes_text(packed.original_bytes()), "stored",
             bytes_text(packed.stored_bytes()), ratio_of(packed.original_bytes(), packed.stored_bytes()),
             bytes_text(packed.header_bytes));
  fmt::print("  {:<{}}  {:<8} {:<16} {:>12} {:>12}  {}\n", "name", width, "type", "shape", "bytes", "stored",
             "tree of the first segment");
  for (std::size_t i = 0; i < packed.tensors.size(); ++i) {
    const Tensor& tensor = packed.tensors[i];
    std::string trees;
    for (const std::string& tree : trees_of(source, packed, i, memory_limit_bytes))
      trees += (trees.empty() ? "" : "  ") + tree;
    fmt::print("  {:<{}}  {:<8} {:<16} {:>12} {:>12}  {}\n", printable(tensor.name), width,
               printable(tensor.dtype), shape_text(tensor.shape), tensor.bytes(), packed.frames[i].bytes(),
               trees);
  }
}

}  // namespace floe::cli
