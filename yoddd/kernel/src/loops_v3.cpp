// The inner loops for x86-64-v3: AVX2, BMI and so on. Compiled with those options, so that nothing
// here may run, or be kept by the linker, before the machine was asked.
#include "loops_compiled.hpp"

const yoddd::Loops yoddd::v3_loops = compiled_loops("x86-64-v3");
