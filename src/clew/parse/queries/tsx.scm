; beside typescript.scm, whose grammar has no elements
(jsx_opening_element name: (identifier) @call (#match? @call "^[A-Z]"))
(jsx_self_closing_element name: (identifier) @call (#match? @call "^[A-Z]"))
(jsx_attribute (property_identifier) @skip)
(jsx_opening_element name: (identifier) @skip (#match? @skip "^[a-z]"))
(jsx_self_closing_element name: (identifier) @skip (#match? @skip "^[a-z]"))
(jsx_closing_element name: (identifier) @skip (#match? @skip "^[a-z]"))
