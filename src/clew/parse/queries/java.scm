(class_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(annotation_type_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(record_declaration name: (identifier) @name) @def.class
(method_declaration name: (identifier) @name) @def.method
(annotation_type_element_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.constructor
(compact_constructor_declaration name: (identifier) @name) @def.constructor
(enum_constant name: (identifier) @name) @def.enum_member
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @def.field))
(field_declaration type: (_) . declarator: (variable_declarator name: (identifier) @name)) @def.field
(field_declaration (modifiers "static" "final")) @def.constant
(field_declaration "," declarator: (variable_declarator name: (identifier) @name) @def.field)
(constant_declaration type: (_) . declarator: (variable_declarator name: (identifier) @name)) @def.constant
(constant_declaration "," declarator: (variable_declarator name: (identifier) @name) @def.constant)

(line_comment) @comment
(block_comment) @comment

(import_declaration [(scoped_identifier) (identifier)] @import.module) @import
(import_declaration (asterisk) @import.all)

(method_invocation name: (identifier) @call)
(object_creation_expression
  type: [
    (type_identifier) @call
    (generic_type [(type_identifier) @call (scoped_type_identifier (type_identifier) @call .)])
    (scoped_type_identifier (type_identifier) @call .)])
(method_reference (identifier) @call .)
(marker_annotation name: (identifier) @type)
(annotation name: (identifier) @type)
(type_identifier) @type
(identifier) @ref
