(function_declaration name: (identifier) @name) @def.function
(variable_declaration . (identifier) @name (struct_declaration)) @def.struct
(variable_declaration . (identifier) @name (union_declaration)) @def.struct
(variable_declaration . (identifier) @name (opaque_declaration)) @def.struct
(variable_declaration . (identifier) @name (enum_declaration)) @def.enum
(variable_declaration . (identifier) @name (error_set_declaration)) @def.enum
(source_file (variable_declaration "const" . (identifier) @name) @def.constant)
(source_file (variable_declaration "var" . (identifier) @name) @def.variable)
(struct_declaration (variable_declaration . (identifier) @name) @def.constant)
(union_declaration (variable_declaration . (identifier) @name) @def.constant)
(enum_declaration (variable_declaration . (identifier) @name) @def.constant)
(struct_declaration (container_field name: (identifier) @name) @def.field)
(union_declaration (container_field name: (identifier) @name) @def.field)
(source_file (container_field name: (identifier) @name) @def.field)
(enum_declaration (container_field name: (identifier) @name) @def.enum_member)
(error_set_declaration (identifier) @name @def.enum_member)
(test_declaration . [(string (string_content) @name) (identifier) @name]) @def.test

(comment) @comment

(builtin_function (builtin_identifier) @_import (arguments . (string (string_content) @import.module)) (#eq? @_import "@import")) @import
(variable_declaration . (identifier) @import.alias (builtin_function (builtin_identifier) @_import)
  (#eq? @_import "@import")) @import
(variable_declaration . (identifier) @import.alias
  (field_expression object: (builtin_function (builtin_identifier) @_import) member: (identifier) @import.name)
  (#eq? @_import "@import")) @import

(call_expression function: (identifier) @call)
(call_expression function: (field_expression member: (identifier) @call))
(_ type: (identifier) @type)
(struct_initializer . (identifier) @type)
(identifier) @ref
