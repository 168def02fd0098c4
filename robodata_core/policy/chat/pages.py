"""Entries that are no content of a graph: pages by which a wiki keeps itself in order.

Disambiguations, categories, templates and the like share names with what people ask about, and
answer nothing. They are told by their class, by the folder of their IRI, or by having nothing
around them but the relations that lead to such pages; never by their names.
"""

from __future__ import annotations

import re
from typing import Final

from robodata_core.language.view import View

__all__ = ["is_page"]

#: Wikidata's classes of pages: disambiguation, category, template, list, module, project page.
_CLASSES: Final = frozenset(
    ("Q4167410", "Q22808320", "Q4167836", "Q11266439", "Q13406463", "Q15184295", "Q14204246")
)
#: Where DBpedia has its pages; things lie beside them, in the folder without a prefix.
_FOLDERS: Final = re.compile(
    r"https?://(?:[a-z-]+\.)?dbpedia\.org/resource/(?:Category|Template|File|Wikipedia|Portal):"
)
#: Relations that lead to pages, or from them: different from, topic's main category, topic has
#: template, related category, category's main topic, list and category of what is related.
_RELATIONS: Final = frozenset(
    {
        *("P1889", "P910", "P1424", "P7084", "P301", "P1753", "P1754", "P971", "P4224"),
        "http://dbpedia.org/ontology/wikiPageDisambiguates",
        "http://dbpedia.org/ontology/wikiPageRedirects",
    }
)


def is_page(id_: str, view: View) -> bool:
    """Tell whether an entity is a page that answers nothing.

    Raises:
        SourceError: If the source fails.
    """
    if _FOLDERS.match(id_):
        return True
    around = view.relations(id_)
    if around and all(name in _RELATIONS for name, _ in around):
        return True
    return not _CLASSES.isdisjoint(view.kinds(id_))
