// The loops of selection for x86-64-v3; see playout_v3.cpp.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "choose.hpp"

namespace yoddd {
namespace {
#include "choose_loop.hpp"
}  // namespace

const Chooser v3_chooser = {&promise, &guide, &best, &gather};

}  // namespace yoddd
