"""Where facts come from: one protocol, its optional capabilities, and the sources themselves.

A room each, and what others may use of it is what its ``__all__`` lists:

``base``          the protocol ``KnowledgeSource`` and the limits of a query
``capabilities``  what a source may do besides, and what is done where it cannot
``open``          from settings to an opened source
``snapshot``      a folder of facts on this machine; ``snapshot.loading`` makes one from RDF files
``sparql``        any SPARQL 1.1 endpoint
``wikibase``      Wikidata, or any Wikibase
``chained``       several sources as one
``http``          requests: limits, retries, credentials, caches, recordings
``names``, ``predicates``, ``ntriples``  what is common: labels, roles of predicates, lines of RDF
``parsing``       RDF and OWL documents parsed in a worker that can be ended
"""
