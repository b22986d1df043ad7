(class_declaration "class" name: (identifier) @name) @def.class
(class_declaration "interface" name: (identifier) @name) @def.interface
(class_declaration name: (identifier) @name (enum_class_body)) @def.enum
(object_declaration name: (identifier) @name) @def.object
(companion_object name: (identifier) @name) @def.object
(enum_entry . (identifier) @name) @def.enum_member
(enum_entry (modifiers) . (identifier) @name) @def.enum_member
(secondary_constructor "constructor" @name) @def.constructor
(function_declaration name: (identifier) @name) @def.function
(enum_entry (class_body (function_declaration name: (identifier) @name) @def.method))
(function_declaration [(user_type (identifier) @scope) (nullable_type (user_type (identifier) @scope))] . name: (identifier))
(type_alias type: (identifier) @name) @def.type
(class_parameter ["val" "var"] (identifier) @name) @def.property
(source_file (property_declaration (variable_declaration . (identifier) @name)) @def.variable)
(source_file (property_declaration (modifiers (property_modifier "const")) (variable_declaration . (identifier) @name)) @def.constant)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @def.property)
(class_body (property_declaration (modifiers (property_modifier "const")) (variable_declaration . (identifier) @name)) @def.constant)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @def.property)
(property_declaration [(user_type (identifier) @scope) (nullable_type (user_type (identifier) @scope))] . (variable_declaration))

[(line_comment) (block_comment)] @comment

(import (qualified_identifier) @import.module) @import
(import "as" (identifier) @import.alias)
(import "*" @import.all)

(call_expression . (identifier) @call)
(call_expression . (navigation_expression (identifier) @call .))
(constructor_invocation (user_type (identifier) @call .))
(constructor_invocation (user_type (identifier) @call . (type_arguments)))
(user_type (identifier) @type)
(identifier) @ref
