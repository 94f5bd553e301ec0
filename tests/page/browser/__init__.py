"""The page in a real Chromium: every flow by mouse and by keyboard, at two widths, light and dark.

`python -m tests.page` runs these; they need Chromium and the `browser` extra.
"""
