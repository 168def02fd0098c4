"""Loopback servers: the interfaces of public services over a snapshot, for work without them."""
