"""Text primitives shared by every rule: patterns, stems, scripts, sentences. Pure."""
