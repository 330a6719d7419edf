// The inner loops for any machine.
#include "loops_compiled.hpp"

const yoddd::Loops yoddd::baseline_loops = compiled_loops("baseline");
