(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name) @def.class
(module (expression_statement (assignment left: (identifier) @name) @def.variable))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @def.field)))
(type_alias_statement left: (type (identifier) @name)) @def.type

(function_definition body: (block . (expression_statement (string) @doc)))
(class_definition body: (block . (expression_statement (string) @doc)))
(comment) @comment

(import_statement) @import
(import_statement name: (dotted_name) @import.module)
(import_statement name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.alias))
(import_from_statement module_name: (_) @import.module) @import
(import_from_statement name: (dotted_name) @import.name)
(import_from_statement name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias))
(import_from_statement (wildcard_import) @import.all)
(future_import_statement "__future__" @import.module name: (dotted_name) @import.name) @import

(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
(identifier) @ref
