"""What leaves the context, when, and what stands in its place (SPEC 13, PX-4, PX-7). Pure."""
