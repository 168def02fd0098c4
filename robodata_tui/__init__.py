"""The terminal UI: a Textual application over the core's events.

It imports the core and the core never imports it. ``bridge`` runs the core in a thread of its
own, ``records`` keeps runs and folds them, ``widgets`` and ``screens`` show what was folded.
"""
