// The arithmetic of layers for any machine.
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

const LayerLoops baseline_layers = {&game, &permute, &halve};

}  // namespace yoddd
