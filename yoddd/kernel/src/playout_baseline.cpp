// The playout loops for any machine.
#include <cstring>

#include "playout_lane.hpp"
#include "rng.hpp"

namespace yoddd {
namespace {
#include "playout_loop.hpp"
#include "playout_table.hpp"
}  // namespace

const PlayoutLoops baseline_loops = {"baseline", &batch_loop, &single_loop};

}  // namespace yoddd
