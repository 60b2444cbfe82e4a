"""The page that ``qubopuzzle serve`` shows, and recorded runs as one HTML file.

``server`` answers requests, ``pool`` has the processes that do the work, ``requests`` calls there
what ``work`` can do, ``frames`` describes boards for ``page/``, which is plain HTML, CSS and
JavaScript.
"""
