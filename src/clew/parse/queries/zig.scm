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
(builtin_function (builtin_identifier) @_import (arguments . (string (string_content) @ref)) (#eq? @_import "@import"))

; -- scopes and what is known of values (parse/events.py)
[(block) (if_statement) (for_statement) (while_statement) (switch_case)] @local
(parameter name: (identifier) @bind)
(block (variable_declaration . (identifier) @bind))
(payload (identifier) @bind)
(variable_declaration . (identifier) @this.name (builtin_function (builtin_identifier) @_this) (#eq? @_this "@This"))
(container_field name: (identifier) @skip)
(call_expression) @recv
(parameter type: (identifier) @typed.type) @typed
(parameter type: (field_expression) @typed.type) @typed
(parameter type: (pointer_type [(identifier) (field_expression)] @typed.type)) @typed
(parameter type: (nullable_type [(identifier) (field_expression)] @typed.type)) @typed
(parameter type: (nullable_type (pointer_type [(identifier) (field_expression)] @typed.type))) @typed
(container_field type: (identifier) @typed.type) @typed
(container_field type: (field_expression) @typed.type) @typed
(container_field type: (pointer_type [(identifier) (field_expression)] @typed.type)) @typed
(container_field type: (nullable_type [(identifier) (field_expression)] @typed.type)) @typed
(container_field type: (nullable_type (pointer_type [(identifier) (field_expression)] @typed.type))) @typed
(variable_declaration type: (identifier) @typed.type) @typed
(variable_declaration type: (field_expression) @typed.type) @typed
(variable_declaration type: (pointer_type [(identifier) (field_expression)] @typed.type)) @typed
(variable_declaration . (identifier) . [
  (call_expression) (field_expression) (identifier) (try_expression (call_expression))] @assign.value) @assign
(variable_declaration . (identifier) . (struct_initializer . [(identifier) (field_expression)] @assign.type)) @assign
(function_declaration type: (identifier) @returns)
(function_declaration type: (field_expression) @returns)
(function_declaration type: (pointer_type [(identifier) (field_expression)] @returns))
(function_declaration type: (error_union_type ok: [(identifier) (field_expression)] @returns))
(function_declaration type: (error_union_type ok: (pointer_type [(identifier) (field_expression)] @returns)))
