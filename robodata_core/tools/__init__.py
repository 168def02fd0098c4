"""What an agent may do, one module per family of tools."""
