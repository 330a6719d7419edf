// The arithmetic of layers for x86-64-v3; see playout_v3.cpp.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "layers_record.hpp"
#include "portable.hpp"

namespace yoddd {
namespace {
#include "layers_loop.hpp"
}  // namespace

const LayerLoops v3_layers = {&game, &permute, &halve};

}  // namespace yoddd
