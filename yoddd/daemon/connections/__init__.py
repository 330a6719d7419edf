"""What is behind a transport: a protocol session or an attached engine, and the search pool."""
