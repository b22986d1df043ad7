(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name) @def.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @def.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @def.enum
(class_declaration declaration_kind: "extension" name: [
  (user_type (type_identifier) @name .) (user_type (type_identifier) @name . (type_arguments))]) @def.extension
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier) @scope))
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

; -- scopes and what is known of values (parse/events.py)
[(lambda_literal) (computed_property) (computed_getter)] @local
[(computed_setter) (willset_clause) (didset_clause)] @local @implicit
(catch_block) @block @implicit
[(statements) (if_statement) (for_statement) (while_statement) (switch_entry)] @block
(parameter name: (simple_identifier) @bind)
(lambda_parameter name: (simple_identifier) @bind)
(_ bound_identifier: (simple_identifier) @bind)
(pattern (pattern . (simple_identifier) @bind .))
(for_statement item: (pattern . (simple_identifier) @bind .))
(type_parameter . (type_identifier) @bind)
(self_expression) @this
(super_expression) @super
(value_argument_label (simple_identifier) @skip)
(parameter external_name: (simple_identifier) @skip)
(capture_list_item name: (simple_identifier) @skip)
(inheritance_constraint constrained_type: (identifier (simple_identifier) @skip))
(equality_constraint constrained_type: (identifier (simple_identifier) @skip))
(attribute (user_type (type_identifier) @skip) (#match? @skip "^[a-z]"))

(inheritance_specifier inherits_from: [
  (user_type (type_identifier) @base .) (user_type (type_identifier) @base . (type_arguments))])
(type_parameter (type_identifier) @bound (user_type (type_identifier) @bound.type .))
(navigation_expression target: [
  (call_expression . [(simple_identifier) (navigation_expression)] @recv.fn) @recv
  (postfix_expression target: (call_expression . [(simple_identifier) (navigation_expression)] @recv.fn) @recv)])
(navigation_expression target: (tuple_expression value: (as_expression (user_type (type_identifier) @cast .)))
  @cast.of)

(parameter name: (simple_identifier) @typed [
  (user_type (type_identifier) @typed.type .) (user_type (type_identifier) @typed.type . (type_arguments))
  (optional_type (user_type (type_identifier) @typed.type .))
  (existential_type (user_type (type_identifier) @typed.type .))
  (opaque_type (user_type (type_identifier) @typed.type .))])
(lambda_parameter name: (simple_identifier) @typed [
  (user_type (type_identifier) @typed.type .) (user_type (type_identifier) @typed.type . (type_arguments))
  (optional_type (user_type (type_identifier) @typed.type .))
  (existential_type (user_type (type_identifier) @typed.type .))
  (opaque_type (user_type (type_identifier) @typed.type .))])
(_ name: (pattern bound_identifier: (simple_identifier) @typed) (type_annotation [
  (user_type (type_identifier) @typed.type .) (user_type (type_identifier) @typed.type . (type_arguments))
  (optional_type (user_type (type_identifier) @typed.type .))
  (existential_type (user_type (type_identifier) @typed.type .))
  (optional_type (tuple_type (tuple_type_item (existential_type (user_type (type_identifier)
    @typed.type .)))))
  (opaque_type (user_type (type_identifier) @typed.type .))]))
(typealias_declaration name: (type_identifier) @typed [
  (user_type (type_identifier) @typed.type .) (user_type (type_identifier) @typed.type . (type_arguments))])
(pattern (pattern . bound_identifier: (simple_identifier) @typed) (user_type (type_identifier) @typed.type .))
(pattern (pattern (simple_identifier) @typed .) (user_type (type_identifier) @typed.type .))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @held) value: [
  (call_expression . [
    (simple_identifier) @held.fn (navigation_expression suffix: (navigation_suffix (simple_identifier) @held.fn))])
  (try_expression expr: (call_expression . [
    (simple_identifier) @held.fn (navigation_expression suffix: (navigation_suffix (simple_identifier) @held.fn))]))
  (constructor_expression constructed_type: (user_type (type_identifier) @held.type . (type_arguments)))
  (as_expression (user_type (type_identifier) @held.type .))
  [(simple_identifier) (navigation_expression) (self_expression)] @held.value])
(_ bound_identifier: (simple_identifier) @held . [
  (call_expression . [
    (simple_identifier) @held.fn (navigation_expression suffix: (navigation_suffix (simple_identifier) @held.fn))])
  (as_expression (user_type (type_identifier) @held.type .))
  [(simple_identifier) (navigation_expression) (self_expression)] @held.value])
([(function_declaration [
    (user_type (type_identifier) @returns .) (user_type (type_identifier) @returns . (type_arguments))
    (optional_type (user_type (type_identifier) @returns .))
    (existential_type (user_type (type_identifier) @returns .))
    (opaque_type (user_type (type_identifier) @returns .))])
  (protocol_function_declaration [
    (user_type (type_identifier) @returns .) (user_type (type_identifier) @returns . (type_arguments))
    (optional_type (user_type (type_identifier) @returns .))])])
