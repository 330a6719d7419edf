"""Clock, settings, log, durable writes and the other parts that every daemon package builds on."""
