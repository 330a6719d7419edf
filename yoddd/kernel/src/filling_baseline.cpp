// The loops over filled boards for any machine.
#include <cstring>

#include "filling_lane.hpp"

namespace yoddd {
namespace {
constexpr int strip_bytes = 16;
#include "filling_loop.hpp"
}  // namespace

const FillLoops baseline_fill_loops = {&find_groups, &count_groups, &find_largest, &add_whites};

}  // namespace yoddd
