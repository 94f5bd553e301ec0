"""Models of the files on disk and of the records in logs. Pure: no files, no clocks."""
