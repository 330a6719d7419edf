"""The process: its reactor, services, log, and service manager."""
