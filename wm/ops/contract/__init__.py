"""Use cases on the files that wm keeps in a project."""
