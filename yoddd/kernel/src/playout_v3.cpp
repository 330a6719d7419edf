// The playout loops for x86-64-v3: AVX2, BMI and so on. Compiled with those options, so that
// nothing here may run, or be kept by the linker, before the machine was asked.
#include <cstring>

#include "playout_lane.hpp"
#include "rng.hpp"

namespace yoddd {
namespace {
#include "playout_loop.hpp"
#include "playout_table.hpp"
}  // namespace

const PlayoutLoops v3_loops = {"x86-64-v3", &batch_loop, &single_loop};

}  // namespace yoddd
