(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name) @def.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @def.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @def.enum
(class_declaration declaration_kind: "extension" name: (user_type . (type_identifier) @name)) @def.extension
(protocol_declaration name: (type_identifier) @name) @def.protocol
(function_declaration name: [(simple_identifier) (custom_operator) "<" ">" "<=" ">=" "==" "!=" "+" "-" "*" "/" "%"] @name) @def.function
(protocol_function_declaration name: [(simple_identifier) (custom_operator) "<" ">" "<=" ">=" "==" "!=" "+" "-" "*" "/" "%"] @name) @def.function
(init_declaration "init" @name) @def.constructor
(deinit_declaration "deinit" @name) @def.method
(subscript_declaration "subscript" @name) @def.method
(enum_entry name: (simple_identifier) @name @def.enum_member)
(typealias_declaration . (modifiers)? . name: (type_identifier) @name) @def.type
(associatedtype_declaration . name: (type_identifier) @name) @def.type
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.variable)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.property)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.property

[(comment) (multiline_comment)] @comment

(import_declaration (identifier) @import.module) @import

(call_expression . (simple_identifier) @call (call_suffix (value_arguments "(")))
(call_expression . (simple_identifier) @call (call_suffix . (lambda_literal)))
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call)) (call_suffix (value_arguments "(")))
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call)) (call_suffix . (lambda_literal)))
(type_identifier) @type
(simple_identifier) @ref
