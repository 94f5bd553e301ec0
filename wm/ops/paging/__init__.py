"""Use cases of paging: what a request looks like upstream (SPEC 13, PX-4)."""
