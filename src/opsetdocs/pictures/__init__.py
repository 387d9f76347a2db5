"""Pictures made when the site is built: inline SVG that needs no script, right in light and in dark.

Every picture is a `<figure>` of its own with a text alternative. Its facts also stand as text on the page, so
it is kept out of the search index.
"""

from opsetdocs.pictures.graph import body_graph
from opsetdocs.pictures.growth import growth
from opsetdocs.pictures.lifeline import lifeline
from opsetdocs.pictures.matrix import matrix

__all__ = ["body_graph", "growth", "lifeline", "matrix"]
