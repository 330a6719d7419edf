"""Nodes that share one store as a fleet: leases, directories, node links, relays."""
