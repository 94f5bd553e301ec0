"""What leaves the context, when, and what replaces it (SPEC 13, PX-4, PX-7). Pure."""
