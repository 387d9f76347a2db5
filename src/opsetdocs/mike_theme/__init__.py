"""What mike adds to a site in our theme: a list of the published versions, beside the name of the site.

mike finds this package by the entry point `mike.themes`, and copies what is in `css` and `js`.
"""
