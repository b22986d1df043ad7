(function_definition name: (word) @name) @def.function
(program (variable_assignment name: (variable_name) @name) @def.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @def.variable))
(program (declaration_command "readonly" (variable_assignment name: (variable_name) @name) @def.constant))

(comment) @comment

(command name: (command_name (word) @import.all) . argument: (_) @import.module
  (#any-of? @import.all "source" "." "load")) @import
(command name: (command_name (word) @_source) . argument: [(word) @ref (string (string_content) @ref .)
  (concatenation (word) @ref .) (raw_string) @ref] (#any-of? @_source "source" "." "load"))

(command name: (command_name (word) @call))
(variable_name) @ref

; -- scopes and what is known of values (parse/events.py)
[(subshell) (command_substitution)] @inner.shell
(function_definition (compound_statement (declaration_command ["local" "declare" "typeset"] [
  (variable_assignment name: (variable_name) @bind) (variable_name) @bind])))
(function_definition (compound_statement (_ (declaration_command ["local" "declare" "typeset"] [
  (variable_assignment name: (variable_name) @bind) (variable_name) @bind]))))
