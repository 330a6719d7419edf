"""The handlers of the commands, a module for each group of the table."""
