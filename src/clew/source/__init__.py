"""The code as it is on disk: which files belong to a tree, what they contain, what git says of them.

Reads only. `trees` walks and reads, `ignore` decides what is left out (with `patterns` for the syntax),
`git` and `git_index` read git's own files, `roots` names trees and files. Nothing here knows of the
index, the store or a language.
"""
