"""Writing down that a look-up found nothing, so that an answer can point at it.

Which look-ups may say so is the tools' business: those that looked through everything there is
to one question. What may rest on it is that of ``answers``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from robodata_core._codec import plain
from robodata_core.model import Absence
from robodata_core.tools.formatting import clip

if TYPE_CHECKING:
    from robodata_core.tools.base import ToolCall, ToolContext, ToolOutput


def note_absence(call: ToolCall, output: ToolOutput, context: ToolContext) -> ToolOutput:
    """Remember what ``output`` says is not there; return it with the handle in its text.

    The handle takes the number of the call, so it does not depend on which call ends first.
    """
    number = "".join(filter(str.isdigit, context.call_id)) or str(len(context.absences) + 1)
    handle = f"N{number}"
    arguments = plain(call.arguments)
    context.absences[handle] = Absence(
        handle=handle,
        text=clip(output.absence, 600),
        source=context.source.name,
        tool=call.tool,
        arguments=arguments if isinstance(arguments, dict) else {},
        retrieved=context.now,
        run_id=context.run_id,
        call_id=context.call_id,
    )
    return replace(output, text=f"{output.text}\nThis look-up can be cited as {handle}.")
