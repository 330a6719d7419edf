// See helpers.h.
#include "helpers.h"

#include "../src/helpers.hpp"

int yoddd_most_helpers(void) { return yoddd::most_helpers; }
void yoddd_help(int helper) { yoddd::help(helper); }
unsigned yoddd_helped(void) { return yoddd::helped(); }
void yoddd_lose(int helper) { yoddd::lose(helper); }
