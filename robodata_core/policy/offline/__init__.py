"""The policy that needs no model: links names, grows programs, ranks them, shows evidence."""
