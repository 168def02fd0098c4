"""``python -m robodata_core.cli``: the same as the ``robodata`` command."""

from robodata_core.cli import main

main()
