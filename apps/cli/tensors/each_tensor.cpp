#include "tensors/each_tensor.hpp"

#include "input/packed_files.hpp"
#include "tensors/packed_tensors.hpp"
#include "tensors/tensor_frame.hpp"
#include "tensors/tensor_trees.hpp"

namespace floe::cli {

bool are_tensors(const Arguments& arguments, const std::string& file) {
  if (arguments.kind == Kind::safetensors) return true;
  return is_named_tensors(arguments, file) && holds_tensors(InputFile::open(file, false));
}

void for_each_tensor(const Arguments& arguments, const std::string& file, const TakeTensor& work) {
  const InputFile whole = InputFile::open(file, false);
  refuse_table_options(arguments, file);
  const std::string text = tensor_header_in(whole);
  const std::uint64_t data_at = header_length_bytes + text.size();
  const TensorHeader header = parse_tensor_header(file, text, whole.file_bytes() - data_at);
  check_tensor_trees(arguments, file, header.tensors);
  for (const Tensor& tensor : header.tensors) {
    if (tensor.bytes() == 0) continue;
    InputFile source = InputFile::open(file, false);
    source.unpack({Packing::stored, data_at + tensor.begin, tensor.bytes(), {}, file + ": " + tensor.name});
    work(arguments_for(arguments, tensor), source, content_of(tensor));
  }
}

}  // namespace floe::cli
