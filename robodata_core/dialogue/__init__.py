"""Conversations: questions that point back to earlier ones, made to stand alone before they run.

``Conversation`` is the front door. ``rewriting`` decides by rules whether a question stands alone
and says it anew with the names it points to, ``rephraser`` asks a language model to do so, and
``assertions`` checks either's work. What a question asks once it stands alone is answered as any
other question is, by the policy; nothing in here answers from anything but earlier answers.
"""

from __future__ import annotations

from robodata_core.dialogue.conversation import Conversation
from robodata_core.dialogue.history import DialogueTurn

__all__ = ["Conversation", "DialogueTurn"]
