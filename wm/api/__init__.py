"""Models of requests and answers of the socket (IF-1). Pure: no files, no clocks."""
