(function_declaration name: (_) @name) @def.function
(assignment_statement (variable_list . name: [(identifier) (dot_index_expression)] @name) (expression_list . value: (function_definition))) @def.function
(field name: (identifier) @name value: (function_definition)) @def.function
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name))) @def.variable)
(chunk (assignment_statement (variable_list . name: [(identifier) (dot_index_expression)] @name)) @def.variable)

(comment) @comment

(function_call name: (identifier) @_require arguments: (arguments . (string content: (string_content) @import.module))
  (#eq? @_require "require")) @import
(variable_declaration (assignment_statement (variable_list . name: (identifier) @import.alias)
  (expression_list . value: (function_call name: (identifier) @_require arguments: (arguments . (string)))))
  (#eq? @_require "require")) @import

(function_call name: (identifier) @call)
(function_call name: (dot_index_expression field: (identifier) @call))
(function_call name: (method_index_expression method: (identifier) @call))
(identifier) @ref

; -- scopes and what is known of values (parse/events.py)
(parameters name: (identifier) @bind)
(variable_declaration (assignment_statement (variable_list name: (identifier) @bind)))
(variable_declaration (variable_list name: (identifier) @bind))
(for_generic_clause (variable_list name: (identifier) @bind))
(for_numeric_clause name: (identifier) @bind)
(field name: (identifier) @skip)
[(function_definition) (for_statement)] @local
(block) @block
(function_call) @recv
(function_call name: (identifier) @_set arguments: (arguments (_) . (identifier) @made.of .)
  (#eq? @_set "setmetatable")) @made
(variable_declaration (assignment_statement (variable_list . name: (identifier) .) (expression_list . value: (_) @assign.value .))) @assign
(return_statement (expression_list . [(identifier) (function_call) (table_constructor) (dot_index_expression)
  (binary_expression) (parenthesized_expression)] @return.value .))
(chunk (return_statement (expression_list . (identifier) @export.whole .)))
(function_call name: (identifier) @_require arguments: (arguments . (string content: (string_content) @ref))
  (#eq? @_require "require"))
