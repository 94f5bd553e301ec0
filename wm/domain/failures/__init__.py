"""Open errors: from a failed command's output to a list that clears itself (HS-2, HS-4).

    shell           a command line, parsed       commands     tools and targets
    terminal_lines  the output, without colours  formats      one parser per family of tools
    checks          which parser, whose error    coverage     what a success proves
    telling         the line of an unknown tool that says what is wrong
    open_errors     the list after each tool call

Nothing here runs anything or looks at a file. All matching is linear in the output (TR-5).
"""
