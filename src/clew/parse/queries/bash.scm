(function_definition name: (word) @name) @def.function
(program (variable_assignment name: (variable_name) @name) @def.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @def.variable))
(program (declaration_command "readonly" (variable_assignment name: (variable_name) @name) @def.constant))

(comment) @comment

(command name: (command_name (word) @_source) . argument: (_) @import.module (#any-of? @_source "source" ".")) @import

(command name: (command_name (word) @call))
(variable_name) @ref
