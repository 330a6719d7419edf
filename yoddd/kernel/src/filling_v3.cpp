// The loops over filled boards for x86-64-v3; see playout_v3.cpp.
#include <cstring>

#include "filling_lane.hpp"

namespace yoddd {
namespace {
constexpr int strip_bytes = 32;
#include "filling_loop.hpp"
}  // namespace

const FillLoops v3_fill_loops = {&find_groups, &count_groups, &find_largest, &add_whites};

}  // namespace yoddd
