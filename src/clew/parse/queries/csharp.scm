(namespace_declaration name: (_) @name) @def.namespace
(file_scoped_namespace_declaration name: (_) @name) @def.namespace
(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(struct_declaration name: (identifier) @name) @def.struct
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(enum_member_declaration name: (identifier) @name) @def.enum_member
(delegate_declaration name: (identifier) @name) @def.type
(method_declaration name: (identifier) @name) @def.method
(local_function_statement name: (identifier) @name) @def.function
(constructor_declaration name: (identifier) @name) @def.constructor
(destructor_declaration name: (identifier) @name) @def.method
(operator_declaration operator: _ @name) @def.method
(property_declaration name: (identifier) @name) @def.property
(event_declaration name: (identifier) @name) @def.property
(event_field_declaration (variable_declaration . type: (_) . (variable_declarator name: (identifier) @name))) @def.field
(field_declaration (variable_declaration . type: (_) . (variable_declarator name: (identifier) @name))) @def.field
(field_declaration (modifier "const")) @def.constant
(field_declaration (variable_declaration "," (variable_declarator name: (identifier) @name) @def.field))
(record_declaration (parameter_list (parameter name: (identifier) @name) @def.property))

(comment) @comment

(using_directive) @import
(using_directive [(qualified_name) (identifier)] @import.module .)
(using_directive name: (identifier) @import.alias)

(invocation_expression
  function: [
    (identifier) @call
    (generic_name (identifier) @call)
    (member_access_expression name: [(identifier) @call (generic_name (identifier) @call)])
    (conditional_access_expression
      (member_binding_expression name: [(identifier) @call (generic_name (identifier) @call)]))])
(object_creation_expression
  type: [
    (identifier) @call
    (generic_name (identifier) @call)
    (qualified_name name: (identifier) @call)])
(_ type: [(identifier) @type (generic_name (identifier) @type) (nullable_type type: (identifier) @type)])
(method_declaration returns: [(identifier) @type (generic_name (identifier) @type)])
(as_expression right: (identifier) @type)
(type_argument_list (identifier) @type)
(base_list [(identifier) @type (generic_name (identifier) @type)])
(attribute name: (identifier) @type)
(identifier) @ref

; -- scopes and what is known of values (parse/events.py)
(file_scoped_namespace_declaration name: (_) @package)
(namespace_declaration name: (_) @package)
[(lambda_expression) (anonymous_method_expression)] @local
(parameter name: (identifier) @bind)
(parameter_list name: (identifier) @bind)
(implicit_parameter) @bind
(local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @bind)))
(using_statement (variable_declaration (variable_declarator name: (identifier) @bind)))
(for_statement (variable_declaration (variable_declarator name: (identifier) @bind)))
(foreach_statement left: (identifier) @bind)
(declaration_pattern name: (identifier) @bind)
(declaration_expression name: (identifier) @bind)
(catch_declaration name: (identifier) @bind)
(type_parameter name: (identifier) @bind)
"this" @this
"base" @super
(argument name: (identifier) @skip)
(initializer_expression (assignment_expression left: (identifier) @skip))
(attribute_argument name: (identifier) @skip)
(attribute_argument (assignment_expression left: (identifier) @skip))
(namespace_declaration name: [(identifier) @skip (qualified_name (identifier) @skip)])
(file_scoped_namespace_declaration name: [(identifier) @skip (qualified_name (identifier) @skip)])

(base_list [(identifier) @base (qualified_name) @base (generic_name (identifier) @base)
  (primary_constructor_base_type type: [(identifier) @base (generic_name (identifier) @base)])])
(member_access_expression expression: [
  (invocation_expression arguments: (_) @recv.args)
  (object_creation_expression arguments: (_) @recv.args .)])
(conditional_access_expression condition: (invocation_expression arguments: (_) @recv.args))
(member_access_expression expression: (parenthesized_expression [
  (cast_expression type: (identifier) @cast)
  (as_expression right: (identifier) @cast)]) @cast.of)

(parameter type: [
    (identifier) @typed.type (qualified_name) @typed.type (generic_name (identifier) @typed.type)
    (nullable_type type: [(identifier) @typed.type (generic_name (identifier) @typed.type)])]
  name: (identifier) @typed.name)
(variable_declaration
  type: [
    (identifier) @typed.type (qualified_name) @typed.type (generic_name (identifier) @typed.type)
    (nullable_type type: [(identifier) @typed.type (generic_name (identifier) @typed.type)])]
  (variable_declarator name: (identifier) @typed.name))
(property_declaration
  type: [
    (identifier) @typed.type (qualified_name) @typed.type (generic_name (identifier) @typed.type)
    (nullable_type type: [(identifier) @typed.type (generic_name (identifier) @typed.type)])]
  name: (identifier) @typed.name)
(foreach_statement type: (identifier) @typed.type left: (identifier) @typed.name)
(declaration_pattern type: (identifier) @typed.type name: (identifier) @typed.name)
(declaration_expression type: (identifier) @typed.type name: (identifier) @typed.name)
(catch_declaration type: (identifier) @typed.type name: (identifier) @typed.name)
(type_parameter_constraints_clause . (identifier) @bound
  (type_parameter_constraint type: [(identifier) @bound.type (generic_name (identifier) @bound.type)]))
(variable_declarator [
  (object_creation_expression type: [
    (identifier) @assign.fn (qualified_name) @assign.fn (generic_name (identifier) @assign.fn)])
  (invocation_expression function: [
    (identifier) @assign.fn (generic_name (identifier) @assign.fn)
    (member_access_expression name: [(identifier) @assign.fn (generic_name (identifier) @assign.fn)])])
  (await_expression (invocation_expression function: [
    (identifier) @assign.await (generic_name (identifier) @assign.await)
    (member_access_expression name: [(identifier) @assign.await (generic_name (identifier) @assign.await)])]))
  [(identifier) (member_access_expression)] @assign.value] .) @assign
(method_declaration returns: [
  (identifier) @returns (qualified_name) @returns (generic_name (identifier) @returns)
  (nullable_type type: (identifier) @returns)])
(method_declaration returns: (generic_name (identifier) @_t (type_argument_list . [
  (identifier) @returns.promise (generic_name (identifier) @returns.promise)
  (nullable_type type: (identifier) @returns.promise)])) (#any-of? @_t "Task" "ValueTask"))
(local_function_statement type: [(identifier) @returns (generic_name (identifier) @returns)])
