"""Several daemons that share one store: leases, node links, relays."""
