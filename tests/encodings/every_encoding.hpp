// Trees with every encoding in them: of 32-bit integers, and of double-precision numbers.
#pragma once

#include <string>
#include <vector>

namespace floe::test {

inline constexpr const char* trees_of_integers[] = {"raw",
                                                    "constant",
                                                    "bitpack",
                                                    "entropy",
                                                    "spspeed",
                                                    "rle,bitpack,delta,bitpack",
                                                    "delta(2,3),rle,bitpack,bitpack",
                                                    "int_mult,entropy",
                                                    "split,rle,entropy,bitpack,raw,bitpack",
                                                    "sparse,entropy,dict(1,3),bitpack,entropy,bitpack",
                                                    "stride_split(3),bitpack,entropy,delta,bitpack",
                                                    "stride_split(67),delta,entropy",
                                                    "delta,stride_split(164),bitpack",
                                                    "divide(25,2),delta,entropy,rle,entropy,bitpack",
                                                    "delta(1,100),delta(2,70),bitpack",
                                                    "linear(3),entropy",
                                                    "linear(4,30),entropy",
                                                    "context(30),entropy",
                                                    "delta,context(12,3),split,bitpack,multi_entropy,bitpack",
                                                    "match,bitpack,bitpack,bitpack,bitpack",
                                                    "match(0,9),entropy,rle,bitpack,bitpack,entropy,entropy",
                                                    "multi_entropy",
                                                    "unique,delta,bitpack,delta,unique,bitpack,entropy"};
inline constexpr const char* trees_of_floats[] = {
    "decimal(1,4),entropy,bitpack,raw",
    "decimal(1,8),delta,bitpack,bitpack,dict,raw,entropy,raw",
    "sortable,delta,entropy",
    "dict,sortable,bitpack,entropy,raw",
    "gfc",
    "stride_split(66),sortable,delta(2),stride_split(71),entropy",
    "split(2),entropy,raw,dpspeed",
    "divide(1,29),delta,entropy,sparse,bitpack,entropy",
    "dict(2),divide(7),raw,bitpack,entropy,raw",
    "narrow,entropy,bitpack,raw",
    "narrow(1,1),sortable,delta,bitpack,bitpack,raw",
    "narrow(5,2),raw,bitpack,raw",
    "grid,bitpack,raw,bitpack,raw",
    "affine,bitpack,bitpack,raw,bitpack,raw",
    "affine(1,8),bitpack,bitpack,raw,bitpack,raw",
    "affine(3),delta,entropy,entropy,sortable,bitpack,bitpack,raw",
    "grid,delta,linear,entropy,bitpack,entropy,entropy",
    "match(2,1),raw,raw,entropy,bitpack",
    "unique,sortable,delta,bitpack,rle,bitpack,unique,raw,bitpack"};

/// A split into columns, each with the same tree.
inline std::string columns_tree(unsigned columns, const std::string& tree) {
  std::string text = "stride_split(" + std::to_string(columns) + ")";
  for (unsigned i = 0; i < columns; ++i) text += "," + tree;
  return text;
}

/// As many columns and nodes as a tree may have, or nearly: the first two take doubles, the others integers.
inline std::vector<std::string> wide_trees() {
  return {columns_tree(63, "narrow(2,1),raw,raw,raw"),
          columns_tree(21, "narrow,sortable,delta,entropy,raw,raw"), columns_tree(64, "bitpack"),
          columns_tree(2, columns_tree(63, "delta,bitpack")),
          columns_tree(31, "sparse,bitpack,rle,raw,delta,raw")};
}

}  // namespace floe::test
