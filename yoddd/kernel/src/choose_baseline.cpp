// The loops of selection for any machine.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "choose.hpp"

namespace yoddd {
namespace {
#include "choose_loop.hpp"
}  // namespace

const Chooser baseline_chooser = {&promise, &guide, &best, &gather};

}  // namespace yoddd
