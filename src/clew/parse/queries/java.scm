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
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @def.property))
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

; -- scopes and what is known of values (parse/events.py)
(package_declaration [(scoped_identifier) (identifier)] @package)
(lambda_expression) @local
(object_creation_expression (class_body) @anonymous)
(enum_constant body: (class_body) @anonymous)
(local_variable_declaration declarator: (variable_declarator name: (identifier) @bind))
(formal_parameter name: (identifier) @bind)
(spread_parameter (variable_declarator name: (identifier) @bind))
(catch_formal_parameter name: (identifier) @bind)
(enhanced_for_statement name: (identifier) @bind)
(resource name: (identifier) @bind)
(instanceof_expression name: (identifier) @bind)
(lambda_expression parameters: (identifier) @bind)
(inferred_parameters (identifier) @bind)
(type_parameter . (type_identifier) @bind)
(this) @this
(super) @super
(package_declaration [(identifier) @skip (scoped_identifier name: (identifier) @skip)])
(element_value_pair key: (identifier) @skip)
(labeled_statement (identifier) @skip)

(superclass [(type_identifier) (scoped_type_identifier)] @base)
(superclass (generic_type . [(type_identifier) (scoped_type_identifier)] @base))
(type_list [(type_identifier) (scoped_type_identifier)] @base)
(type_list (generic_type . [(type_identifier) (scoped_type_identifier)] @base))
(type_parameter (type_identifier) @bound (type_bound . [
  (type_identifier) @bound.type (generic_type . (type_identifier) @bound.type)]))

(method_invocation object: [
  (method_invocation arguments: (_) @recv.args)
  (object_creation_expression arguments: (_) @recv.args .)])
(field_access object: [
  (method_invocation arguments: (_) @recv.args)
  (object_creation_expression arguments: (_) @recv.args .)])
(method_reference . (method_invocation arguments: (_) @recv.args))
(method_invocation object: (parenthesized_expression (cast_expression type: [
  (type_identifier) @cast (generic_type . (type_identifier) @cast)])) @cast.of)

(formal_parameter
  type: [
    (type_identifier) @typed.type (scoped_type_identifier) @typed.type
    (generic_type . [(type_identifier) (scoped_type_identifier)] @typed.type)]
  name: (identifier) @typed.name)
(enhanced_for_statement type: (type_identifier) @typed.type name: (identifier) @typed.name
  (#not-eq? @typed.type "var"))
(resource type: (type_identifier) @typed.type name: (identifier) @typed.name (#not-eq? @typed.type "var"))
(instanceof_expression right: (type_identifier) @typed.type name: (identifier) @typed.name)
(_ type: [
    (type_identifier) @typed.type (scoped_type_identifier) @typed.type
    (generic_type . [(type_identifier) (scoped_type_identifier)] @typed.type)]
  declarator: (variable_declarator name: (identifier) @typed.name) (#not-eq? @typed.type "var"))
(catch_formal_parameter (catch_type . (type_identifier) @typed.type) name: (identifier) @typed.name)
(variable_declarator value: [
  (object_creation_expression type: [
    (type_identifier) @assign.fn (scoped_type_identifier) @assign.fn
    (generic_type . [(type_identifier) (scoped_type_identifier)] @assign.fn)])
  (method_invocation name: (identifier) @assign.fn)
  [(identifier) (field_access)] @assign.value]) @assign
(method_declaration type: [
  (type_identifier) @returns (scoped_type_identifier) @returns
  (generic_type . [(type_identifier) (scoped_type_identifier)] @returns)])
