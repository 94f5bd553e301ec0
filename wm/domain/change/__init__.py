"""Whether one statement changes what another says (WM-8)."""
